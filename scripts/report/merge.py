"""Several documents of one build on one machine become one document of the same schema."""

from report.load import InputError
from report.validate import block_rows

MUST_AGREE = (
    ("context", "git_sha"), ("context", "compiler"), ("context", "tuning"), ("context", "onednn_version"),
    ("machine", "cpu_model"),
)  # fmt: skip
SECTIONS = ("benchmarks", "pairs", "samples", "checks", "targets")
REMEMBERED = ("command", "argv", "date", "seed", "interrupted")


def merge(documents, paths):
    """The documents (at least one, validated) joined. Those of `swiglu-bench paired` are launches of one measurement;
    ffn rows of other commands are dropped. A field `source` numbers where each item came from, so that a joined
    document can be joined again; `context.merged_from` keeps what each file was made by."""
    _agree(documents, paths)
    if len(documents) == 1:
        return documents[0]
    paired = [document for document in documents if block_rows(document)]
    others = [document for document in documents if not block_rows(document)]
    main = (paired or documents)[0]
    context = {
        **main["context"],
        "merged_from": [source for document in documents for source in sources(document)],
        "interrupted": any(document["context"].get("interrupted", False) for document in documents),
    }
    planned = [document["context"].get("points_planned") for document in paired]
    context.pop("points_planned", None)
    if planned and None not in planned:
        context["points_planned"] = sum(planned)
    merged = {"context": context, "machine": main["machine"], "calibration": main["calibration"]}
    merged |= {section: [] for section in SECTIONS}
    first_free = 0
    for document in (*paired, *others):
        first_free = _append(document, merged, first_free, drop_blocks=document in others)
    return merged


def _append(document, merged, first_free, drop_blocks):
    """Adds the document's items, numbered from `first_free`; returns the next free number."""
    highest = first_free
    for section in SECTIONS:
        for item in document.get(section, []):
            if drop_blocks and item.get("family") in ("ffn", "ffn2"):
                continue
            number = first_free + item.get("source", 0)
            highest = max(highest, number)
            merged[section].append({**item, "source": number})
    return highest + 1


def sources(document):
    """What the document was made by: one entry per program run."""
    context = document["context"]
    return context.get("merged_from") or [{key: context[key] for key in REMEMBERED if key in context}]


def _agree(documents, paths):
    for section, key in MUST_AGREE:
        first = documents[0][section].get(key)
        for document, path in zip(documents[1:], paths[1:]):
            if document[section].get(key) != first:
                raise InputError(
                    f"{path}: {section}.{key} is {document[section].get(key)!r}, but {paths[0]} has {first!r}: "
                    "only files of one build on one machine can be joined (others: --history or --compare)"
                )
