//! Logs of two models for the program `compare`: one that solves more and says so too loudly, and one that
//! solves less and knows it.

use std::error::Error;

use rand::{Rng, RngExt};
use serde_json::json;

/// Tasks, each of which both models try so often.
const TASKS: u32 = 60;
const TRIALS: u32 = 2;

/// Two models: their names, what they add to the ease of a task, what they add to their confidence, and the
/// tokens that they write.
const MODELS: [(&str, f64, f64, u32); 2] = [("alpha", 0.25, 0.2, 900), ("beta", 0.0, 0.0, 400)];

/// The files of logs, by name: that of each model as JSON Lines of recorded exchanges, and a table of what both stated,
/// as if there were no limit.
///
/// The ease of a task is a uniform number. A model succeeds with a chance that grows with it, and states that
/// chance more or less. A limit on tokens that has nothing to do with the run ends some.
///
/// # Errors
///
/// None: numbers are finite.
pub(crate) fn logs(rng: &mut impl Rng) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let eases: Vec<f64> = (0..TASKS).map(|_| rng.random()).collect();
    let (mut logs, mut table) = (Vec::new(), "id,model,task,confidence,correct\n".to_owned());
    for (name, skill, boast, length) in MODELS {
        let mut log = String::new();
        for (task, ease) in (0..).zip(&eases) {
            for trial in 0..TRIALS {
                let chance = (0.1 + 0.65 * ease + skill).min(0.95);
                let stated = (chance + boast + rng.random_range(-0.1..0.1)).clamp(0.05, 0.99);
                let written = rng.random_range(length / 2..2 * length);
                let mut row = json!({
                    "id": format!("task-{task:02}/{trial}"),
                    "task": format!("task-{task:02}"),
                    "turns": [{"response": {
                        "model": name,
                        "choices": [{"message": {"content": format!("<confidence>{stated:.2}</confidence>")}}],
                        "usage": {"prompt_tokens": 300, "completion_tokens": written},
                    }}],
                });
                let is_solved = rng.random_bool(chance);
                table.push_str(&format!(
                    "task-{task:02}/{trial},{name},task-{task:02},{stated:.2},{}\n",
                    u8::from(is_solved)
                ));
                if rng.random_bool(0.04) {
                    row["stop"] = "max_tokens".into();
                } else {
                    row["outcome"] = is_solved.into();
                }
                log.push_str(&format!("{row}\n"));
            }
        }
        logs.push((format!("demo_{name}.jsonl"), log));
    }
    logs.push(("confidences.csv".to_owned(), table));
    Ok(logs)
}
