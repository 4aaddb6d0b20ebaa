//! Problems with costs and outcomes, made up: the bundled pools of `triage`.

use rand::{Rng, RngExt};
use serde::Serialize;

#[derive(Serialize)]
struct Row {
    problem: String,
    solved: bool,
    output_tokens: u32,
    value: u32,
}

const PROBLEMS: u32 = 120;

/// JSON Lines of problems. Each has a difficulty from 1 to 5, of which cost grows and the chance to be
/// solved falls; values have nothing to do with it.
///
/// # Errors
///
/// None but those of the writer.
pub(crate) fn json_lines(rng: &mut impl Rng) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for number in 0..PROBLEMS {
        let difficulty: u32 = rng.random_range(1..=5);
        let row = Row {
            problem: format!("problem-{number:03}"),
            solved: rng.random_range(0..6) >= difficulty,
            output_tokens: rng.random_range(200..=1_000) * difficulty,
            value: [1, 1, 2, 3][rng.random_range(0..4_usize)],
        };
        text.push_str(&serde_json::to_string(&row)?);
        text.push('\n');
    }
    Ok(text)
}
