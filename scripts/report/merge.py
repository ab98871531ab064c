"""Several documents of one build on one machine become one document of the same schema."""

from report.load import InputError
from report.validate import ffn_rows

MUST_AGREE = (("context", "git_sha"), ("context", "compiler"), ("context", "onednn_version"), ("machine", "cpu_model"))
SECTIONS = ("benchmarks", "pairs", "samples", "checks")
REMEMBERED = ("command", "argv", "date", "seed", "interrupted")


def merge(documents, paths):
    """The documents (at least one, validated) joined. Those of `swiglu-bench paired` are launches of one measurement
    and numbered in a field `launch`; ffn rows of other commands are dropped. `context.merged_from` keeps what each
    document was made by."""
    _agree(documents, paths)
    if len(documents) == 1:
        return documents[0]
    paired = [document for document in documents if ffn_rows(document)]
    others = [document for document in documents if not ffn_rows(document)]
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
    for section in SECTIONS:
        merged[section] = [
            {**item, "launch": launch} if len(paired) > 1 else item
            for launch, document in enumerate(paired)
            for item in document.get(section, [])
        ]
        merged[section] += [
            item for document in others for item in document.get(section, []) if item.get("family") != "ffn"
        ]
    return merged


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
                    "only files of one build on one machine can be joined"
                )
