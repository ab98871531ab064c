"""Several documents of one build on one machine become one document of the same schema."""

from report.load import InputError

MUST_AGREE = (("context", "git_sha"), ("context", "compiler"), ("context", "onednn_version"), ("machine", "cpu_model"))
SECTIONS = ("benchmarks", "pairs", "samples", "checks")
REMEMBERED = ("command", "argv", "date", "seed", "interrupted")


def merge(documents, paths):
    """The documents (at least one, validated) joined. Those with ffn rows come from one process launch each and are
    numbered in a field `launch`; `context.merged_from` keeps what each was made by."""
    _agree(documents, paths)
    if len(documents) == 1:
        return documents[0]
    main = next((d for d in documents if _has_ffn(d)), documents[0])
    merged = {
        "context": {
            **main["context"],
            "merged_from": [source for document in documents for source in sources(document)],
            "interrupted": any(d["context"].get("interrupted", False) for d in documents),
        },
        "machine": main["machine"],
        "calibration": main["calibration"],
    }
    planned = [d["context"].get("points_planned", 0) for d in documents if _has_ffn(d)]
    merged["context"]["points_planned"] = sum(planned)
    if not all(planned):
        del merged["context"]["points_planned"]
    launches = {id(d): i for i, d in enumerate(d for d in documents if _has_ffn(d))}
    for section in SECTIONS:
        merged[section] = [
            {**item, "launch": launches[id(d)]} if id(d) in launches and len(launches) > 1 else item
            for d in documents
            for item in d.get(section, [])
        ]
    return merged


def sources(document):
    """What the document was made by: one entry per program run."""
    context = document["context"]
    return context.get("merged_from") or [{key: context[key] for key in REMEMBERED if key in context}]


def _has_ffn(document):
    return any(row.get("family") == "ffn" for row in document["benchmarks"])


def _agree(documents, paths):
    for section, key in MUST_AGREE:
        first = documents[0][section].get(key)
        for document, path in zip(documents[1:], paths[1:]):
            if document[section].get(key) != first:
                raise InputError(
                    f"{path}: {section}.{key} is {document[section].get(key)!r}, but {paths[0]} has {first!r}: "
                    "only files of one build on one machine can be joined"
                )
