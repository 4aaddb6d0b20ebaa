"""Checks of arguments that all modules share."""

from __future__ import annotations

import errno
import operator
import os
import secrets
from collections.abc import Mapping
from typing import Any, SupportsIndex

import numpy as np

# The number of resamples of every function, as `Bootstrap::RESAMPLES` in Rust.
RESAMPLES = 1000

RandomState = int | np.random.Generator | np.random.RandomState | None


def count(name: str, value: SupportsIndex) -> int:
    """Return a whole number of at least 0; `name` is the name of the argument."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 2**64:
        raise ValueError(f"{name} is {value!r}; it must be a whole number of at least 0")
    return number


def seed(value: RandomState) -> int:
    """Return the seed of a random state: a number as it is, a draw of a generator, or a new one for None."""
    if value is None:
        return secrets.randbits(64)
    if isinstance(value, np.random.Generator):
        return int(value.integers(2**63))
    if isinstance(value, np.random.RandomState):
        return int(value.randint(2**31))
    return count("random_state", value)


def path(value: str | os.PathLike[str]) -> str:
    """Return the path of a file or folder that exists."""
    text = os.fspath(value)
    if not os.path.exists(text):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)
    return text


def choice(name: str, value: Any, *choices: str) -> None:
    """Raise an error if a text is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; it must be {', '.join(choices[:-1])} or {choices[-1]}")


def amounts(name: str, given: Mapping[str, float] | None) -> list[tuple[str, float]]:
    """Return names of resources with their amounts; of None, no names."""
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"{name}: expected a mapping of resources to amounts, such as {{'tokens': 1000}}, found {given!r}")
    return list((given or {}).items())
