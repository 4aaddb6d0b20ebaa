"""Results with many figures."""

from collections.abc import Iterator, Mapping
from typing import Any


class Record(Mapping[str, Any]):
    """A frozen mapping of figures by name, which are also attributes.

    Examples
    --------
    >>> record = Record({"mean": 0.5, "interval": {"low": 0.25, "high": 0.75}})
    >>> record.interval.low
    0.25
    >>> record
    Record(mean=0.5, interval=Record(low=0.25, high=0.75))
    """

    __slots__ = ("_fields",)
    _fields: dict[str, Any]

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", {name: _record(value) for name, value in fields.items()})

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __getattr__(self, name: str) -> Any:
        if name == "_fields":  # while an object is copied
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"no figure {name!r}; there are {', '.join(self._fields)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a result cannot be changed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, (self._fields,)

    def __repr__(self) -> str:
        return f"Record({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


def _record(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_record(entry) for entry in value]
    return value
