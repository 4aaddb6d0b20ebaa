"""Budgets that agents share: calls reserve amounts before they are made, and settle what they used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType

from agent_scorecard import _native
from agent_scorecard.arguments import amounts, count
from agent_scorecard.replayed import Replayed


class BudgetRefused(Exception):
    """A budget cannot pay for a call, or was stopped.

    Attributes
    ----------
    stop_reason : str
        The reason why a run that ends here stopped, such as ``"max_tokens"``.
    """

    def __init__(self, message: str, stop_reason: str) -> None:
        super().__init__(message, stop_reason)
        self.stop_reason = stop_reason

    def __str__(self) -> str:
        return str(self.args[0])


class Reservation:
    """Amounts of a budget that are held for one call, made by `Budget.reserve`.

    It is a context manager, also for ``async with``. A block that ends without `settle` counts the reserved amounts as
    used; a block that ends by an exception, such as a cancelled task, gives them back.
    """

    def __init__(self, held: _native.Reservation) -> None:
        self._held = held

    def settle(self, used: Mapping[str, float] | None = None) -> None:
        """End the reservation with the amounts that the call used.

        Parameters
        ----------
        used : mapping of str to float, optional
            The amounts, which may be larger than the reserved ones. A reserved resource without an amount counts as
            used in full.
        """
        if not self._held.settle(amounts("used", used)):
            raise ValueError("the reservation has ended; reserve anew for another call")

    def give_back(self) -> None:
        """Give back what is still held, for a call that was not made."""
        self._held.give_back()

    def __enter__(self) -> Reservation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self._held.settle([])
        self._held.give_back()

    async def __aenter__(self) -> Reservation:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)


class Budget:
    """What threads and tasks may spend together.

    The amounts spent and held together never exceed a cap, except by what calls used above their reservations. Amounts
    are counted exactly, as decimals.

    Parameters
    ----------
    caps : mapping of str to float or None
        One to eight resources, each with the largest amount, or None for no cap.
    notice_at : float, optional
        The share of a cap at which `notice` names the resource.

    Examples
    --------
    >>> budget = Budget({"tokens": 4000, "usd": 0.05})
    >>> with budget.reserve({"tokens": 1000, "usd": 0.01}) as call:
    ...     call.settle({"tokens": 640, "usd": 0.0064})
    >>> print(budget)
    3,360 of 4,000 tokens left; 0.0436 of 0.05 usd left
    >>> subagent = budget.child({"tokens": 500})
    >>> try:
    ...     subagent.reserve({"tokens": 1000})
    ... except BudgetRefused as refused:
    ...     print(refused, refused.stop_reason)
    cannot reserve 1000 tokens: 500 left max_tokens
    """

    def __init__(self, caps: Mapping[str, float | None], *, notice_at: float | None = None) -> None:
        self._budget = _native.Budget(list(caps.items()), notice_at)

    @classmethod
    def _of(cls, native: _native.Budget) -> Budget:
        made = cls.__new__(cls)
        made._budget = native
        return made

    def child(self, caps: Mapping[str, float] | None = None, *, notice_at: float | None = None) -> Budget:
        """Return a budget within this one, for example of a subagent.

        What a child holds and spends is also held and spent by its parent.

        Parameters
        ----------
        caps : mapping of str to float, optional
            Caps on some of the resources, at most those of the parent.
        notice_at : float, optional
            As in `Budget`.

        Returns
        -------
        Budget
        """
        return self._of(self._budget.child(amounts("caps", caps), notice_at))

    def reserve(self, reserved: Mapping[str, float]) -> Reservation:
        """Hold amounts for a call, or refuse the call with `BudgetRefused`.

        Parameters
        ----------
        reserved : mapping of str to float
            For instance the most that the call can use, or `CallCosts.amount`.

        Returns
        -------
        Reservation
        """
        held, message, reason = self._budget.reserve(amounts("reserved", reserved))
        if held is None:
            raise BudgetRefused(message, reason)
        return Reservation(held)

    def spend(self, spent: Mapping[str, float]) -> None:
        """Count amounts that were spent without a reservation, also above a cap.

        Parameters
        ----------
        spent : mapping of str to float
        """
        self._budget.spend(amounts("spent", spent))

    def _named(self, at: int) -> dict[str, float]:
        names, *columns = self._budget.amounts()
        return dict(zip(names, columns[at], strict=True))

    @property
    def caps(self) -> dict[str, float | None]:
        """The cap on each resource."""
        return {**self._named(0)}

    @property
    def spent(self) -> dict[str, float]:
        """The amount of each resource spent so far."""
        return self._named(1)

    @property
    def held(self) -> dict[str, float]:
        """The amount of each resource that calls under way hold."""
        return self._named(2)

    @property
    def left(self) -> dict[str, float | None]:
        """The amount of each resource that is neither spent nor held, here and in the budgets above; None without a cap."""
        return {**self._named(3)}

    @property
    def excess(self) -> dict[str, float]:
        """The amount of each resource that was spent without being held before."""
        return self._named(4)

    def notice(self) -> str | None:
        """Return a resource of which the share `notice_at` is spent, once for each resource.

        Returns
        -------
        str or None
        """
        found: str | None = self._budget.notice()
        return found

    def stop(self, reason: str) -> None:
        """Refuse every further call of this budget and its children. The first reason stays.

        Parameters
        ----------
        reason : str
            A stop reason, such as ``"user_stop"``.
        """
        self._budget.stop(reason)

    @property
    def stop_reason(self) -> str | None:
        """Why this budget, or one above it, was stopped."""
        found: str | None = self._budget.stop_reason
        return found

    def to_json(self) -> str:
        """Return the budget as JSON, without those above and below it.

        Returns
        -------
        str
            `from_json` and `adopt` read it. Amounts that are held count as spent then.
        """
        text: str = self._budget.to_json()
        return text

    @classmethod
    def from_json(cls, text: str) -> Budget:
        """Return the budget of `to_json`.

        Parameters
        ----------
        text : str

        Returns
        -------
        Budget
        """
        return cls._of(_native.Budget.from_json(text))

    def adopt(self, text: str) -> Budget:
        """Return a stored child of this budget as its child again.

        Parameters
        ----------
        text : str
            The child's `to_json`, from the same moment as that of this budget.

        Returns
        -------
        Budget
        """
        return self._of(self._budget.adopt(text))

    def __str__(self) -> str:
        return str(self._budget)


class CallCosts(Replayed):
    """The amount to hold for a call, from the costs of past calls.

    It is usually much smaller than the largest possible cost, and limits the chance that a budget is overspent.

    Parameters
    ----------
    chance : float
        The allowed chance that a budget is overspent, such as 0.01.
    window : int, default 2000
        The number of calls that are remembered.

    Examples
    --------
    >>> costs = CallCosts(0.01)
    >>> costs.learn(100 + call * 37 % 400 for call in range(2000))
    >>> costs.mean, costs.amount(4096)
    (299.5, 497.0)
    """

    def __init__(self, chance: float, window: int = 2000) -> None:
        self._made, self._calls = (chance, window), []
        self._costs = _native.CallCosts(chance, count("window", window))

    def learn(self, costs: float | Iterable[float]) -> None:
        """Learn the cost of a call, or of several calls in order.

        Parameters
        ----------
        costs : float or iterable of float
        """
        several = [float(costs)] if isinstance(costs, (int, float)) else [float(cost) for cost in costs]
        for cost in several:
            self._costs.learn(cost)
        self._calls.append(("learn", (several,)))

    def amount(self, largest: float) -> float:
        """Return the amount to hold for the next call.

        Parameters
        ----------
        largest : float
            The most that the call can cost.

        Returns
        -------
        float
        """
        found: float = self._costs.amount(largest)
        return found

    @property
    def mean(self) -> float | None:
        """The mean cost of the calls that are remembered; None before the first."""
        found: float | None = self._costs.mean
        return found
