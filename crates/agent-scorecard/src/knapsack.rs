//! Which items should one 0-1 knapsack hold, and how long does it take to know that?

use std::{io::Read, time::Instant};

use knapsack_oracle::{Error, Knapsack, KnapsackItem};
use run_logs::json_lines::{InputError, Object, bytes, parse_document};
use serde::Deserialize;

use crate::report::{
    block::{Block, Field},
    sentence::counted,
};

#[derive(Deserialize)]
struct Instance {
    capacity: u64,
    profits: Vec<u64>,
    weights: Vec<u64>,
}

/// The best choice of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Its value.
    pub value: u64,
    /// The positions of its items, from 0, ascending.
    pub chosen: Vec<usize>,
    /// Whether it is proved to be best.
    pub optimal: bool,
    /// What solving took, without reading.
    pub seconds: f64,
}

impl Solved {
    /// What the command shows.
    #[must_use]
    pub fn block(&self) -> Block {
        let Self { value, chosen, optimal, seconds } = self;
        let items = counted(chosen.len(), "item");
        let clause = match optimal {
            true => format!(
                "no choice within the capacity is worth more than {value}, which {items} give"
            ),
            false => format!(
                "the best choice found is worth {value}, with {items}; that none is worth more is not proved"
            ),
        };
        let fields = [
            Field::shown("value", "value", *value),
            Field::shown("chosen", "chosen items, from 0", chosen.as_slice()),
            Field::shown("optimal", "proved to be best", *optimal),
            Field::shown("seconds", "seconds to solve", *seconds),
        ];
        Block { conclusion: vec![clause], ..Block::of(fields) }
    }
}

/// Reads one object `{"capacity", "profits", "weights"}` and solves it. `file` names the source in errors.
///
/// # Errors
///
/// [`InputError`] that names the field that is wrong.
///
/// ```
/// use agent_scorecard::{InputError, knapsack::solve};
///
/// let instance = br#"{"capacity": 10, "profits": [6, 5, 4], "weights": [6, 5, 5]}"#;
/// let solved = solve("knapsack.json", &instance[..])?;
/// assert_eq!((solved.value, solved.chosen), (9, vec![1, 2]));
/// # Ok::<(), InputError>(())
/// ```
pub fn solve(file: &str, source: impl Read) -> Result<Solved, InputError> {
    let wrong = |field: &str, problem: String| InputError {
        field: Some(field.to_owned()),
        ..InputError::of_file(file, problem)
    };
    let Object(instance): Object<Instance> = parse_document(file, &bytes(file, source)?)?;
    let (profits, weights) = (instance.profits.len(), instance.weights.len());
    if profits != weights {
        let problem = format!("weights: expected {profits}, found {weights}");
        return Err(wrong("weights", problem));
    }
    let pairs = instance.profits.into_iter().zip(instance.weights);
    let items: Vec<KnapsackItem> =
        pairs.map(|(profit, weight)| KnapsackItem { profit, weight }).collect();
    let start = Instant::now();
    let knapsack = Knapsack::new(instance.capacity, &items).map_err(|error| {
        let is_profit = matches!(error, Error::Sum { what: "profits", .. });
        wrong(if is_profit { "profits" } else { "weights" }, error.to_string())
    })?;
    let solution = knapsack.solve();
    let seconds = start.elapsed().as_secs_f64();
    let optimal = solution.is_optimal();
    Ok(Solved { value: solution.value, chosen: solution.chosen, optimal, seconds })
}
