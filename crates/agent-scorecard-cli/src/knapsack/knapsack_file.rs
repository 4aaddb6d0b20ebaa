//! One 0-1 knapsack, `{"capacity", "profits", "weights"}`, solved and timed.

use std::{error::Error, path::Path, time::Instant};

use knapsack_oracle::{Knapsack, KnapsackItem};
use run_logs::json_lines::{InputError, Object, parse_document};
use serde::Deserialize;

use crate::files::json_lines::bytes;

#[derive(Deserialize)]
struct Instance {
    capacity: u64,
    profits: Vec<u64>,
    weights: Vec<u64>,
}

/// The best choice of items.
#[derive(Clone, Debug)]
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

/// Reads a file and solves what is in it.
///
/// # Errors
///
/// [`InputError`] that names the file and the field that is wrong.
pub fn solve(path: &Path) -> Result<Solved, Box<dyn Error>> {
    let file = path.display().to_string();
    let wrong = |field: &str, problem: String| InputError {
        field: Some(field.to_owned()),
        ..InputError::of_file(&file, problem)
    };
    let Object(instance): Object<Instance> = parse_document(&file, &bytes(path)?)?;
    let (profits, weights) = (instance.profits.len(), instance.weights.len());
    if profits != weights {
        let problem = format!("weights: expected {profits}, found {weights}");
        return Err(wrong("weights", problem).into());
    }
    let pairs = instance.profits.into_iter().zip(instance.weights);
    let items: Vec<KnapsackItem> =
        pairs.map(|(profit, weight)| KnapsackItem { profit, weight }).collect();
    let start = Instant::now();
    let knapsack = Knapsack::new(instance.capacity, &items)
        .map_err(|error| wrong(field_of(&error), error.to_string()))?;
    let solution = knapsack.solve();
    let seconds = start.elapsed().as_secs_f64();
    Ok(Solved {
        value: solution.value,
        optimal: solution.is_optimal(),
        chosen: solution.chosen,
        seconds,
    })
}

fn field_of(error: &knapsack_oracle::Error) -> &'static str {
    match error {
        knapsack_oracle::Error::Sum { what: "profits", .. } => "profits",
        _ => "weights",
    }
}
