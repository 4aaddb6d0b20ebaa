"""Sokoban and the warehouse of BAGEN with Gymnasium's interface, and as runs of a language model.

Needs Gymnasium: ``pip install 'agent-scorecard[gymnasium]'``. The environments are registered as
``agent_scorecard/Sokoban-v0`` and ``agent_scorecard/Warehouse-v0`` once this module is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import BenchmarkRun
from agent_scorecard.arguments import count
from agent_scorecard.budgets import Rollouts
from agent_scorecard.models import Model, replies

try:
    import gymnasium
except ImportError:
    raise ImportError(
        "agent_scorecard.environments needs Gymnasium; install it with pip install 'agent-scorecard[gymnasium]'"
    )

_Observation = TypeVar("_Observation")
_Action = TypeVar("_Action")

# States after which the search for the least steps is given up.
_MOST_STATES = 100_000


class _Environment(gymnasium.Env[_Observation, _Action]):
    """The part that both environments share: a game in the compiled half, which is shown as text."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(self, render_mode: Literal["ansi"] | None = None) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is {render_mode!r}; it must be 'ansi' or None")
        self.render_mode = render_mode
        self._game: Any = None
        self._is_over = False

    def _started(self) -> Any:
        if self._game is None:
            raise gymnasium.error.ResetNeeded("call reset before anything else")
        return self._game

    def _playing(self) -> Any:
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the episode has ended; call reset")
        return self._started()

    def _start(self, game: Any) -> None:
        self._game, self._is_over = game, False

    def render(self) -> str | None:
        """Return the state as a model reads it.

        Returns
        -------
        str or None
            None without ``render_mode="ansi"``.
        """
        return str(self._started().text()) if self.render_mode == "ansi" else None


def _options(options: Mapping[str, Any] | None, *known: str) -> dict[str, Any]:
    found = dict(options or {})
    for name in found:
        if name not in known:
            raise ValueError(f"options: {name!r} is unknown; there {'is ' + ', '.join(known) if known else 'are none'}")
    return found


class Sokoban(_Environment[npt.NDArray[np.uint8], SupportsIndex]):
    """Sokoban with the rooms, rules and rewards of BAGEN.

    An observation has the released numbers of cells: 0 wall, 1 floor, 2 target, 3 box on a target, 4 box, 5 player, 6
    player on a target. Actions are 0 up, 1 down, 2 left and 3 right. A step costs 0.1. A box that reaches a target
    earns 1, and a box that leaves its target costs 1. The last box earns 10 more. A solved room ends the episode, and
    100 steps truncate it.

    The information of each step has ``text``, the state as a model reads it, and ``seed``, the seed of the room. This
    is the seed of ``reset``, or the next seed that gives a valid room. ``reset(options={"room": text})`` takes a room
    in the released alphabet or in XSB.

    Parameters
    ----------
    size : (int, int)
        The numbers of rows and columns, from 5 to 16.
    boxes : int
    depth : int
        The largest number of steps that are played backwards to make a room. The defaults give the rooms of the
        evaluation. The rooms of the training have the size (6, 6) and one box.
    tells_least_steps : bool
        Whether the information has ``least_steps``, the smallest number of steps to the solution. It is infinite if
        there is no solution, and None if the search was given up. This option needs a search at each step.
    render_mode : "ansi", optional

    Examples
    --------
    >>> room = Sokoban((3, 6), boxes=1, tells_least_steps=True)
    >>> observation, information = room.reset(options={"room": "######\\n#@ $.#\\n######"})
    >>> observation[1].tolist(), information["least_steps"]
    ([0, 5, 1, 4, 2, 0], 2.0)
    >>> for _ in range(2):
    ...     observation, reward, terminated, truncated, information = room.step(3)
    >>> round(reward, 6), terminated, truncated
    (10.9, True, False)
    """

    def __init__(
        self,
        size: tuple[int, int] = (8, 8),
        boxes: int = 2,
        depth: int = 30,
        *,
        tells_least_steps: bool = False,
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        super().__init__(render_mode)
        if np.shape(size) != (2,):
            raise ValueError(f"size is {size!r}; it must be two numbers from 3 to 64")
        self._size = rows, columns = count("size", size[0]), count("size", size[1])
        if not (3 <= rows <= 64 and 3 <= columns <= 64):
            raise ValueError(f"size is {size!r}; it must be two numbers from 3 to 64")
        self._settings = self._size, count("boxes", boxes), count("depth", depth)
        self._tells_least_steps = _native.flag("tells_least_steps", tells_least_steps)
        self._seed: int | None = None
        self.observation_space = gymnasium.spaces.Box(0, 6, self._size, np.uint8)
        self.action_space = gymnasium.spaces.Discrete(4)

    def _observed(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        cells = np.frombuffer(self._game.cells(), np.uint8).reshape(self._size).copy()
        information = {"seed": self._seed, "text": self._game.text()}
        if self._tells_least_steps:
            information["least_steps"] = self._game.least_steps(_MOST_STATES)
        return cells, information

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            The seed of the room, below 2**32. By default, it is drawn from the environment's generator.
        options : dict, optional
            ``room``: a room as text, instead of a room from a seed.

        Returns
        -------
        (ndarray, dict)
            The cells and the information.
        """
        super().reset(seed=seed)
        room = _options(options, "room").get("room")
        if room is None:
            first = int(self.np_random.integers(2**31)) if seed is None else count("seed", seed)
            if first >= 2**32:
                raise ValueError(f"seed is {first}; seeds of rooms are below 2**32")
            game, self._seed = _native.SokobanGame.generate(self._settings, first)
        else:
            game, self._seed = _native.SokobanGame(room), None
        if game.shape != self._size:
            raise ValueError(f"room: it has the size {game.shape}, and the environment {self._size}")
        self._start(game)
        return self._observed()

    def step(self, action: SupportsIndex) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Take a step.

        Parameters
        ----------
        action : int
            0 up, 1 down, 2 left, 3 right.

        Returns
        -------
        (ndarray, float, bool, bool, dict)
            The cells, the reward, whether the room is solved, whether steps are used up, and the information.
        """
        reward, is_solved, self._is_over = self._playing().step(count("action", action))
        cells, information = self._observed()
        return cells, reward, is_solved, self._is_over and not is_solved, information


# More than any game comes to: goods of some 10 million dollars are asked for in all.
_MOST = 1e9
_PRODUCTS, _RETAILERS = _native.WarehouseGame.names()


class Warehouse(_Environment[dict[str, Any], npt.ArrayLike]):
    """The warehouse of BAGEN: 11 steps of 14 days in which a maker of electronics produces, ships and supplies retailers.

    An observation has ``step``, the money ``cash``, ``credit``, ``credit_left`` and ``receivables``, units by product
    (``in_production``, ``in_transit`` to the warehouse, ``stock``), and units by retailer and product
    (``retailer_in_transit``, ``retailer_stock`` and ``retailer_demand`` of the latest step).
    `gymnasium.wrappers.FlattenObservation` turns an observation into one array.

    An action has 32 numbers: the credit to be used, in quarters of the line (0 to 4); the receivables to be sold, in
    halves (0 to 2); for each of five products nothing (0), one to three lots by ship (1 to 3) or by air (4 to 6); and
    for each of five retailers and five products, the trucks (0 to 3). The reward is in dollars. The information has
    ``orders``, the orders as a model writes them; ``problems``, the reasons why orders could not be carried out;
    ``text``, the state as a model reads it; and at the end ``succeeded``.

    Parameters
    ----------
    start : {"empty", "stocked"}
    target : float, optional
        The cash that a run has to reach, in dollars.
    render_mode : "ansi", optional

    Examples
    --------
    >>> warehouse = Warehouse()
    >>> observation, _ = warehouse.reset(seed=1)
    >>> action = np.zeros(32, int)
    >>> action[0], action[4] = 2, 5  # Half of the credit line, and two lots of the third product by air.
    >>> observation, reward, terminated, truncated, information = warehouse.step(action)
    >>> information["orders"]
    'draw_credit 100000.00; produce JCA374 2 air'
    >>> observation["credit"].item(), terminated
    (100000.0, False)
    """

    def __init__(
        self,
        start: Literal["empty", "stocked"] = "empty",
        *,
        target: float | None = None,
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        super().__init__(render_mode)
        self._settings = start, target
        # Settings are checked at once.
        shown = dict(_native.WarehouseGame(start, 0, target).numbers())
        self._shapes = {name: (5, 5) if len(numbers) == 25 else (len(numbers),) for name, numbers in shown.items()}
        boxes: dict[str, gymnasium.Space[Any]] = {
            name: gymnasium.spaces.Box(-_MOST if name == "cash" else 0, _MOST, shape, np.float64)
            for name, shape in self._shapes.items()
        }
        self.observation_space = gymnasium.spaces.Dict(boxes)
        self.action_space = gymnasium.spaces.MultiDiscrete([5, 3] + 5 * [7] + 25 * [4])

    def _observed(self) -> tuple[dict[str, npt.NDArray[np.float64]], dict[str, Any]]:
        numbers = dict(self._game.numbers())
        observation = {name: np.array(numbers[name]).reshape(shape) for name, shape in self._shapes.items()}
        return observation, {"text": self._game.text()}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[np.float64]], dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            The seed of the demand and of the travel times of goods. By default, it is drawn from the environment's
            generator.
        options : dict, optional
            Not used, because there are no options.

        Returns
        -------
        (dict, dict)
            The state and the information.
        """
        super().reset(seed=seed)
        _options(options)
        start, target = self._settings
        number = int(self.np_random.integers(2**63)) if seed is None else count("seed", seed)
        self._start(_native.WarehouseGame(start, number, target))
        return self._observed()

    def orders(self, action: npt.ArrayLike) -> str:
        """Return the orders of an action as a model writes them.

        Parameters
        ----------
        action : array-like
            The 32 numbers of an action.

        Returns
        -------
        str
        """
        numbers = np.asarray(action)
        if not self.action_space.contains(numbers):
            raise ValueError(f"action: expected 32 numbers in the ranges of action_space, found {action!r}")
        credit, sold, *rest = numbers.tolist()
        state = dict(self._started().numbers())
        used, left, owed = (state[name][0] for name in ("credit", "credit_left", "receivables"))
        change, sold = round((used + left) * credit / 4 - used, 2), round(owed * sold / 2, 2)
        orders = [f"draw_credit {change:.2f}"] if change > 0 else []
        orders += [f"factor_ar {sold:.2f}"] if sold > 0 else []
        for product, lots in zip(_PRODUCTS, rest):
            if lots:
                orders.append(f"produce {product} {(lots - 1) % 3 + 1} {'air' if lots > 3 else 'ocean'}")
        for at, trucks in enumerate(rest[len(_PRODUCTS) :]):
            if trucks:
                retailer, product = divmod(at, len(_PRODUCTS))
                orders.append(f"replenish {_RETAILERS[retailer]} {_PRODUCTS[product]} {trucks}")
        # Last, from what is left.
        orders += [f"repay_credit {-change:.2f}"] if change < 0 else []
        return "; ".join(orders) or "pass"

    def step(
        self, action: npt.ArrayLike
    ) -> tuple[dict[str, npt.NDArray[np.float64]], float, bool, bool, dict[str, Any]]:
        """Give orders and let 14 days pass.

        Parameters
        ----------
        action : array-like
            The 32 numbers of an action.

        Returns
        -------
        (dict, float, bool, bool, dict)
            The state, the reward in dollars, whether the run has ended, False, and the information.
        """
        game, orders = self._playing(), self.orders(action)
        reward, problems, succeeded = game.step(orders)
        self._is_over = succeeded is not None
        observation, information = self._observed()
        information |= {"orders": orders, "problems": problems}
        if self._is_over:
            information["succeeded"] = succeeded
        return observation, reward, self._is_over, False, information


for _kind in (Sokoban, Warehouse):
    gymnasium.register(f"agent_scorecard/{_kind.__name__}-v0", f"{__name__}:{_kind.__name__}")


def play(
    environment: gymnasium.Env[Any, Any],
    model: Model,
    *,
    id: str = "run",
    name: str = "model",
    questions: Mapping[str, float | None] | None = None,
    shows_answers: bool = False,
    enforces_caps: bool = True,
    impossible_in_a_row: int | None = None,
    most_turns: int | None = None,
    most_tokens_of_a_turn: int | None = None,
    instruction: str | None = None,
) -> BenchmarkRun:
    """Let a language model play from the current state of an environment. The environment itself does not change.

    Parameters
    ----------
    environment : Sokoban or Warehouse
        An environment after ``reset``; it may be wrapped.
    model : callable
        A function from the body of a request of OpenAI's chat completions to the response, as for `BudgetBenchmark`.
    id, name : str
        The names of the run, and of the model in the requests.
    questions : mapping of str to float or None, optional
        Resources, each with its cap or None. After each turn, the model is asked for the remaining cost of the run in
        each resource. The resources are ``output_tokens``, ``total_tokens``, for Sokoban ``steps``, and for the
        warehouse ``time_weeks``, ``warehouse_item_weeks`` and ``cumulative_cost_usd``.
    shows_answers : bool
        Whether later turns show the earlier answers of the model.
    enforces_caps : bool
        Whether a run ends when it exceeds a cap. Otherwise the model is told the cap and continues, so that the full
        cost of the run is observed.
    impossible_in_a_row : int, optional
        Stop the run after this number of consecutive answers that it cannot succeed.
    most_turns : int, optional
        The largest number of turns: by default 10 for Sokoban, and the remaining steps of 11 for the warehouse.
    most_tokens_of_a_turn : int, optional
        The largest number of tokens of a turn. A turn with more tokens is not carried out and ends the run.
    instruction : str, optional
        The first text for the model, instead of the environment's own text.

    Returns
    -------
    BenchmarkRun
        Its scores have ``succeeded``, ``end``, ``reward``, ``is_truncated``, ``question_tokens``, ``turns``, and
        ``spent``, the cost of each turn by resource.

    Examples
    --------
    >>> room = Sokoban((3, 6), boxes=1)
    >>> _ = room.reset(options={"room": "######\\n#@ $.#\\n######"})
    >>> def model(request):
    ...     return {"choices": [{"message": {"role": "assistant", "content": "<answer>Right || Right</answer>"}}]}
    >>> run = play(room, model)
    >>> run.outcome, run.scores()["spent"]["steps"]
    (True, [2.0])
    """
    asks = list((questions or {}).items())
    row = None if impossible_in_a_row is None else count("impossible_in_a_row", impossible_in_a_row)
    flags = _native.flag("shows_answers", shows_answers), _native.flag("enforces_caps", enforces_caps)
    settings = asks, flags, row, most_turns, most_tokens_of_a_turn, instruction
    inner = environment.unwrapped
    if not isinstance(inner, _Environment):
        raise TypeError(f"environment: expected Sokoban or Warehouse, found {type(inner).__name__}")
    run: BenchmarkRun = inner._started().play((settings, (id, name), replies(model)))
    return run


def rollouts(runs: Iterable[BenchmarkRun], resources: str | Sequence[str]) -> Rollouts:
    """Return the runs of `play` as rollouts, which `BudgetEstimator` and `score_rollouts` take.

    Parameters
    ----------
    runs : iterable of BenchmarkRun
        The runs. Runs without a turn are left out.
    resources : str or sequence of str

    Returns
    -------
    Rollouts
        The content of a turn is the reply. The content before the first turn is the text that the model was shown.

    Examples
    --------
    >>> rollouts([], "steps")
    Rollouts(0 runs)
    """
    found = Rollouts(resources)
    for run in runs:
        scores = run.scores()
        turns, spent = scores.get("turns", ()), scores.get("spent", {})
        costs = [spent.get(resource) for resource in found.resources]
        if any(cost is None for cost in costs):
            raise ValueError(f"run {run.id!r}: what its turns spent of {', '.join(found.resources)} is not known")
        if turns:
            contents = [turns[0]["observation"], *(turn["reply"] for turn in turns)]
            found.append(np.column_stack(costs), scores["succeeded"], id=run.id, contents=contents)
    return found
