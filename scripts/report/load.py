"""Strict reading of one results file: anything doubtful is an InputError, never a guess."""

import json
import math

SCHEMA = "swiglu-bench/1"
KINDS = {SCHEMA: "results", "swiglu-gate/1": "gate"}


class InputError(Exception):
    """The input cannot be reported on. The message is one line and says what is wrong where."""


def load(path):
    """(kind, JSON document) of `path`; kind is "results" or "gate". Refuses what Python's parser would let through:
    NaN, Infinity, 1e999 and duplicate keys (a benchmark library was seen to write bare NaN for a 0/0 counter)."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        document = json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_duplicates
        )
    except json.JSONDecodeError as error:
        hint = " (truncated?)" if error.pos >= len(text.rstrip()) else ""
        raise InputError(f"{path}: not JSON: {error.msg} at line {error.lineno}{hint}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    context = document.get("context") if isinstance(document, dict) else None
    schema = context.get("ffn_schema") if isinstance(context, dict) else None
    if schema is None and isinstance(document, dict):
        schema = document.get("schema")
    if not isinstance(schema, str) or schema not in KINDS:
        raise InputError(
            f"{path}: its schema (context.ffn_schema or schema) is {schema!r}, this report reads "
            f"{' and '.join(map(repr, KINDS))}"
        )
    return KINDS[schema], document


def _no_constant(token):
    raise ValueError(f"holds the number {token}: a measurement failed")


def _finite(token):
    value = float(token)
    if not math.isfinite(value):
        raise ValueError(f"holds the number {token}, beyond what a double can hold")
    return value


def _no_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        name = result.get("name")
        raise ValueError(f"duplicate key {twice!r}" + (f" in {name}" if name else ""))
    return result
