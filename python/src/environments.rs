//! The environments that are played: their games, and runs of a model in them.

use agent_benchmarks::{
    Error, Seed,
    play::{self, End, Environment, Play},
    sokoban::{Direction, Game, Need, Room, RoomSettings, Sokoban},
    warehouse::{Cents, Retailer, STEPS, Sku, Start, Warehouse},
};
use budget_estimation::{Reading, StopRule};
use pyo3::prelude::*;

use crate::{
    choices::choice,
    conversations::{BenchmarkRun, Outcome, converse},
    errors::{Failure, invalid},
};

/// Cells in the order of the numbers of the released code.
const CELLS: &str = "#_O√XPS";
/// Seeds that are tried one after the other until one gives a room.
const MOST_SEEDS: u32 = 100;

/// A game of Sokoban.
#[pyclass(module = "agent_scorecard")]
#[derive(Clone)]
pub(crate) struct SokobanGame {
    game: Game,
}

#[pymethods]
impl SokobanGame {
    /// A game in a room that is written.
    #[new]
    fn new(room: &str) -> PyResult<Self> {
        Ok(Self { game: Game::new(Room::parse(room).map_err(Failure::from)?) })
    }

    /// The game of the first seed from this one on that gives a room, and that seed.
    #[staticmethod]
    fn generate(
        py: Python<'_>,
        settings: ([usize; 2], usize, u32),
        first: u32,
    ) -> PyResult<(Self, u32)> {
        let (size, boxes, depth) = settings;
        let settings = RoomSettings { size, boxes, depth };
        let seeds = first..first.saturating_add(MOST_SEEDS);
        let mut rooms = seeds.map(|seed| (Room::generate(&settings, seed), seed));
        let is_one = |it: &(Result<Room, Error>, u32)| !matches!(it.0, Err(Error::NoRoom { .. }));
        let (room, seed) = py.detach(|| rooms.find(is_one)).ok_or_else(|| {
            invalid(format!("none of {MOST_SEEDS} seeds from {first} on gives such a room"))
        })?;
        Ok((Self { game: Game::new(room.map_err(Failure::from)?) }, seed))
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.game.room().rows(), self.game.room().columns())
    }

    /// The cells, row by row.
    fn cells(&self) -> Vec<u8> {
        let text = self.game.room().to_string();
        let numbers = text.chars().filter_map(|cell| CELLS.chars().position(|known| known == cell));
        numbers.map(|number| number as u8).collect()
    }

    fn text(&self) -> String {
        self.game.room().observation()
    }

    /// Takes a step, and returns its reward, whether the room is solved and whether the game has ended.
    fn step(&mut self, direction: usize) -> PyResult<(f64, bool, bool)> {
        let direction = Direction::ALL.get(direction).copied();
        let direction = direction.ok_or_else(|| invalid("action: expected 0, 1, 2 or 3"))?;
        let effect = self.game.step(direction);
        Ok((effect.reward, effect.is_solved, self.game.has_ended()))
    }

    /// The least number of steps to the solution: infinite without a solution; `None` if `most_states` states gave no
    /// answer.
    fn least_steps(&self, py: Python<'_>, most_states: usize) -> Option<f64> {
        match py.detach(|| self.game.room().least_steps(most_states)) {
            Need::Steps(plan) => Some(plan.len() as f64),
            Need::Unsolvable => Some(f64::INFINITY),
            Need::Unknown => None,
        }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn play(&self, how: How<'_>) -> PyResult<BenchmarkRun> {
        run(Sokoban::new(self.game.room().clone()), 10, how)
    }
}

/// A game of the warehouse.
#[pyclass(module = "agent_scorecard")]
#[derive(Clone)]
pub(crate) struct WarehouseGame {
    warehouse: Warehouse,
}

#[pymethods]
impl WarehouseGame {
    #[new]
    fn new(start: &str, seed: u64, target: Option<f64>) -> PyResult<Self> {
        let starts = [("empty", Start::Empty), ("stocked", Start::Stocked)];
        let warehouse = Warehouse::new(choice("start", start, &starts)?, Seed(seed));
        if target.is_some_and(|target| !(0.0..=1e12).contains(&target)) {
            return Err(invalid("target: expected dollars from 0 to 1e12"));
        }
        let target = target.map(|dollars| Cents::new((100.0 * dollars).round() as i64));
        Ok(Self { warehouse: warehouse.with_target(target) })
    }

    /// The names of products and of retailers.
    #[staticmethod]
    fn names() -> (Vec<&'static str>, Vec<&'static str>) {
        (Sku::ALL.map(Sku::name).to_vec(), Retailer::ALL.map(Retailer::name).to_vec())
    }

    /// What a policy may know, each with its numbers; products vary fastest.
    fn numbers(&self) -> Vec<(&'static str, Vec<f64>)> {
        let game = self.warehouse.game();
        let skus = |of: &dyn Fn(Sku) -> i64| Sku::ALL.map(|sku| of(sku) as f64).to_vec();
        let retailers = |of: &dyn Fn(Retailer, Sku) -> i64| {
            Retailer::ALL.iter().flat_map(|it| skus(&|sku| of(*it, sku))).collect()
        };
        let latest = game.steps().checked_sub(1);
        let demand =
            |it, sku| latest.and_then(|step| game.demand(step, it, sku)).map_or(0, i64::from);
        vec![
            ("step", vec![game.steps() as f64]),
            ("cash", vec![game.cash().dollars()]),
            ("credit", vec![game.credit().dollars()]),
            ("credit_left", vec![game.credit_left().dollars()]),
            ("receivables", vec![game.receivables().dollars()]),
            ("in_production", skus(&|sku| game.in_production(sku))),
            ("in_transit", skus(&|sku| game.in_transit(None, sku))),
            ("stock", skus(&|sku| game.stock(None, sku))),
            ("retailer_in_transit", retailers(&|it, sku| game.in_transit(Some(it), sku))),
            ("retailer_stock", retailers(&|it, sku| game.stock(Some(it), sku))),
            ("retailer_demand", retailers(&demand)),
        ]
    }

    fn text(&self) -> String {
        self.warehouse.observation()
    }

    /// Carries orders out and lets a step pass: its reward, what could not be carried out, and at the end whether the run
    /// has succeeded.
    fn step(&mut self, orders: &str) -> (f64, Vec<String>, Option<bool>) {
        let acted = self.warehouse.act(&format!("<answer>{orders}</answer>").into());
        let succeeded = self.warehouse.end().map(|end| end == End::Succeeded);
        (acted.reward, acted.problems, succeeded)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn play(&self, how: How<'_>) -> PyResult<BenchmarkRun> {
        let left = STEPS.saturating_sub(self.warehouse.game().steps());
        run(self.warehouse.clone(), left, how)
    }
}

/// Questions with caps, whether answers are shown and whether caps end a run, after how many answers that say impossible it ends, the most turns and
/// tokens of a turn, and what a model is told first.
type PlaySettings = (
    Vec<(String, Option<f64>)>,
    [bool; 2],
    Option<u32>,
    Option<usize>,
    Option<u64>,
    Option<String>,
);

/// Settings, the names of the run and of the model, and what replies.
type How<'py> = (PlaySettings, (String, String), Bound<'py, PyAny>);

fn run<E: Environment>(environment: E, all_turns: usize, how: How<'_>) -> PyResult<BenchmarkRun> {
    let (settings, (id, model), reply) = how;
    let (questions, flags, impossible_in_a_row, turns, tokens, instruction) = settings;
    let [shows_answers, enforces_caps] = flags;
    let asks = Vec::from_iter(questions.iter().map(|(name, cap)| (name.as_str(), *cap)));
    let rule = impossible_in_a_row.map(StopRule::impossible_in_a_row).transpose();
    let rule = rule.map_err(Failure::from)?.map(|rule| rule.with_reading(Reading::Cap));
    let run = Play::new()
        .with_most_turns(turns.unwrap_or(all_turns))
        .with_questions(&asks, shows_answers)
        .with_enforced_caps(enforces_caps)
        .with_stop_rule(rule)
        .with_most_tokens_of_a_turn(tokens)
        .with_instruction(instruction)
        .conversation(&id, environment);
    let record = converse(run.map_err(Failure::from)?, &model, &reply)?;
    let rollouts = play::rollouts::<E>([&record]).map_err(Failure::from)?;
    Ok(BenchmarkRun { outcome: Outcome::Play(Box::new((record, rollouts))) })
}
