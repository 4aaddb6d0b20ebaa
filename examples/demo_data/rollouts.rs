//! Rollouts of a small world for the program `budget`: their number of turns has a heavy tail, and
//! long ones fail more often.

use std::error::Error;

use rand::{Rng, RngExt};
use serde::Serialize;

/// How often a task may double in size.
const MOST_DOUBLINGS: u32 = 4;
/// Turns of the smallest task are from this to twice as many.
const SMALLEST: u32 = 3;
/// Runs are cut off after so many turns.
const MOST_TURNS: u32 = 64;

#[derive(Serialize)]
struct Turn {
    input_tokens: u32,
    output_tokens: u32,
    cost_usd: f64,
}

#[derive(Serialize)]
struct Row {
    id: String,
    turns: Vec<Turn>,
    success: bool,
    stop_reason: &'static str,
}

/// So many rollouts as JSON Lines.
///
/// A task doubles in size with a chance of one half, again and again, so that the sizes follow a
/// power law. Each turn reads all that was written before and writes a little, sometimes ten times as
/// much. A run fails with a chance that grows with its size, and then takes half as many turns
/// again.
///
/// # Errors
///
/// None: numbers are finite.
pub(crate) fn lines(rollouts: u32, rng: &mut impl Rng) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for number in 0..rollouts {
        let mut doublings = 0;
        while doublings < MOST_DOUBLINGS && rng.random_bool(0.5) {
            doublings += 1;
        }
        let size = SMALLEST << doublings;
        let mut length = rng.random_range(size..=2 * size);
        let mut success = rng.random_bool(0.9 - 0.12 * f64::from(doublings));
        if !success {
            length += length / 2;
        }
        let cut_off = length > MOST_TURNS;
        if cut_off {
            (length, success) = (MOST_TURNS, false);
        }
        let mut context = rng.random_range(800..=1600_u32);
        let turns = (0..length).map(|_| {
            let burst = if rng.random_bool(0.1) { 10 } else { 1 };
            let output_tokens = burst * rng.random_range(20..=120_u32);
            let input_tokens = context;
            context += output_tokens + rng.random_range(50..=400_u32);
            // In millionths of a dollar, a token written costing eight times one read.
            let price = input_tokens + 8 * output_tokens;
            Turn { input_tokens, output_tokens, cost_usd: f64::from(price) / 1e6 }
        });
        let turns = turns.collect();
        let stop_reason = if cut_off { "max_steps" } else { "completed" };
        let row = Row { id: format!("run-{number:03}"), turns, success, stop_reason };
        text.push_str(&serde_json::to_string(&row)?);
        text.push('\n');
    }
    Ok(text)
}
