"""Results with many figures, and figures with their precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn


class Interval(NamedTuple):
    """The lower and upper bound of an interval."""

    low: float
    high: float


class Figure(NamedTuple):
    """A number with its interval and its standard error.

    ``interval`` is None if there is no interval. If an interval was requested, ``no_interval`` then has the reason.
    ``undefined`` counts the resamples in which the number does not exist.
    """

    value: float
    interval: Interval | None = None
    standard_error: float | None = None
    no_interval: str | None = None
    undefined: int = 0

    def __repr__(self) -> str:
        known = {name: value for name, value in self._asdict().items() if value not in (None, 0) or name == "value"}
        return f"Figure({', '.join(f'{name}={value!r}' for name, value in known.items())})"


def figure(parts: tuple[float, tuple[float, float] | None, float | None, str | None, int]) -> Figure:
    """Return the figure that has these parts, as the compiled half returns them."""
    value, interval, standard_error, no_interval, undefined = parts
    ends = None if interval is None else Interval(*interval)
    return Figure(value, ends, standard_error, no_interval, undefined)


class Record(dict[str, Any]):
    """A frozen dictionary of figures by name, which are also attributes.

    Examples
    --------
    >>> record = Record({"mean": 0.5, "interval": {"low": 0.25, "high": 0.75}})
    >>> record.interval.low
    0.25
    >>> record
    Record(mean=0.5, interval=Record(low=0.25, high=0.75))
    """

    __slots__ = ()

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__({name: _record(value) for name, value in fields.items()})

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no figure {name!r}; there are {', '.join(self)}") from None

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise AttributeError("a result cannot be changed")

    __setattr__ = __delattr__ = __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def __repr__(self) -> str:
        text = f"Record({', '.join(f'{name}={value!r}' for name, value in self.items())})"
        if len(text) <= _LONGEST:
            return text
        return f"Record({', '.join(f'{name}={_short(value)}' for name, value in self.items())})"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as dictionaries, lists and numbers.

        Returns
        -------
        dict
            Intervals and figures are dictionaries with the names of their parts.
        """
        return {name: _plain(value) for name, value in self.items()}


# Records with more letters are shown without what is inside.
_LONGEST = 1000


def _short(value: Any) -> str:
    if isinstance(value, Record) and len(value) > 3:
        return f"Record({len(value)} figures)"
    if isinstance(value, list) and len(value) > 3:
        return f"[{len(value)} entries]"
    return repr(value)


def _record(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_record(entry) for entry in value]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, (Interval, Figure)):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value
