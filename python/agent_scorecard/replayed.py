"""Objects with a compiled state that is restored by repeating the calls that made it."""

from __future__ import annotations

from typing import Any


class Replayed:
    """An object that is pickled as the arguments of its constructor and the calls that changed it.

    These calls are made again when the object is unpickled. The subclass sets ``_made`` in its constructor, and appends
    to ``_calls`` the name and the arguments of each call that changes it.
    """

    _made: tuple[Any, ...]
    _calls: list[tuple[str, tuple[Any, ...]]]

    def __reduce__(self) -> tuple[Any, ...]:
        return again, (type(self), self._made, tuple(self._calls))


def again(kind: type[Any], made: tuple[Any, ...], calls: tuple[tuple[str, tuple[Any, ...]], ...]) -> Any:
    """Restore an object from its constructor's arguments and its calls."""
    found = kind(*made)
    for name, arguments in calls:
        getattr(found, name)(*arguments)
    return found
