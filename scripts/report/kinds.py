"""Checks of single values of a JSON document, with messages that name the place."""

from report.load import InputError


def text(item, key, where, may_be_empty=False):
    value = item.get(key)
    if not isinstance(value, str) or not (value or may_be_empty):
        raise InputError(f"{where}: {key} is {value!r}, must be text")
    return value


def positive(item, key, where):
    value = item.get(key)
    if not is_number(value) or value <= 0:
        raise InputError(f"{where}: {key} is {value!r}, must be a number above 0")


def optional(item, key, where, is_right, what):
    """The value of `key`, None if it is absent; refuses one of the wrong kind."""
    if key in item and not is_right(item[key]):
        raise InputError(f"{where}: {key} is {item[key]!r}, must be {what}")
    return item.get(key)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_point(value):
    return list_of(is_number)(value) and len(value) == 2 and min(value) > 0


def is_text(value):
    return isinstance(value, str)


def is_object(value):
    return isinstance(value, dict)


def list_of(is_right):
    return lambda value: isinstance(value, list) and all(map(is_right, value))
