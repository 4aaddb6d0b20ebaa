//! Makes the data that the command is bundled with: runs in a small world whose true probability of success is
//! known at every step, seen by three forecasters; problems for `triage`, rollouts for `budget`, and logs of two
//! models for `compare`, with a table of their confidences.
//!
//! ```text
//! cargo run -p examples --example demo_data FOLDER [TASKS [SEED]]
//! ```
//!
//! With 200 tasks and seed 2026, the defaults, the files are those in `crates/agent-scorecard-cli/data`.
//!
//! A run has a known number of steps, of which each goes well with a chance that belongs to its
//! task. It succeeds, nine times in ten, if most steps went well, and one time in ten otherwise.
//! So the truth at each step is a binomial tail, and the *truthful* forecaster reports it. The
//! *overconfident* one goes half of the way from there to certain success, which never changes
//! which of two runs looks better. The *constant* one always reports the chance of success over all
//! tasks and lengths. A budget that has nothing to do with the run cuts some runs off, and some end
//! in output that cannot be read.

#![allow(clippy::print_stdout, reason = "a program")]

mod models;
mod problems;
mod rollouts;

use std::{env, error::Error, fs, path::Path};

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// Chances that a step goes well; every task has one of them.
const SKILLS: [f64; 5] = [0.35, 0.45, 0.5, 0.6, 0.7];
/// Lengths of runs.
const LENGTHS: std::ops::RangeInclusive<u32> = 5..=15;
/// Rollouts.
const ROLLOUTS: u32 = 100;
/// Runs of each task.
const TRIALS: u32 = 2;
/// Chance that a run with most steps gone well succeeds, and that another does not.
const RELIABILITY: f64 = 0.9;

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    task: &'a str,
    forecasts: Vec<f64>,
    outcome: Option<bool>,
    stop: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    horizon: Option<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (folder, tasks, seed) = match arguments.as_slice() {
        [folder] => (folder, 200, 2026),
        [folder, tasks] => (folder, tasks.parse()?, 2026),
        [folder, tasks, seed] => (folder, tasks.parse()?, seed.parse()?),
        _ => return Err("give FOLDER [TASKS [SEED]]".into()),
    };
    let constant = overall_chance();
    type Forecaster = fn(f64, f64) -> f64;
    let forecasters: [(&str, Forecaster); 3] = [
        ("truthful", |truth, _| truth),
        ("overconfident", |truth, _| f64::midpoint(truth, 1.0)),
        ("constant", |_, constant| constant),
    ];
    let mut files = forecasters.map(|_| String::new());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for task in 0_u32..tasks {
        let skill = SKILLS[task as usize % SKILLS.len()];
        let task = format!("task-{task:03}");
        for trial in 0..TRIALS {
            let run = Run::new(skill, &mut rng);
            let id = format!("{task}/{trial}");
            for ((_, forecaster), file) in forecasters.iter().zip(&mut files) {
                let forecasts = run
                    .truth
                    .iter()
                    .map(|&truth| rounded(forecaster(rounded(truth, 4), rounded(constant, 4)), 5))
                    .collect();
                let row = Row {
                    id: &id,
                    task: &task,
                    forecasts,
                    outcome: run.outcome,
                    stop: run.stop,
                    horizon: run.horizon,
                };
                file.push_str(&serde_json::to_string(&row)?);
                file.push('\n');
            }
        }
    }
    let problems = problems::json_lines(&mut rng)?;
    // Numbers of their own, so that neither changes the other.
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1);
    let rollouts = rollouts::lines(ROLLOUTS, &mut rng)?;
    rng.set_stream(2);
    let logs = models::logs(&mut rng)?;
    let files = forecasters.iter().map(|(name, _)| *name).zip(files);
    fs::create_dir_all(folder)?;
    let others = [("problems", problems), ("rollouts", rollouts)];
    let lines = files.chain(others);
    let lines = lines.map(|(name, content)| (format!("demo_{name}.jsonl"), content));
    for (name, content) in lines.chain(logs) {
        let path = Path::new(folder).join(name);
        fs::write(&path, content)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// One run up to its stop.
struct Run {
    truth: Vec<f64>,
    outcome: Option<bool>,
    stop: &'static str,
    /// The whole length of a run that was cut off.
    horizon: Option<usize>,
}

impl Run {
    fn new(skill: f64, rng: &mut impl Rng) -> Self {
        let length = rng.random_range(LENGTHS);
        let mut good = 0;
        let mut truth = Vec::new();
        for step in 1..=length {
            good += u32::from(rng.random_bool(skill));
            truth.push(chance(skill, length, step, good));
        }
        let success = rng.random_bool(truth[truth.len() - 1]);
        // Drawn without a look at the run, so that stopping early says nothing about it.
        let budget = rng.random_range(1..=60_u32);
        let unreadable = rng.random_bool(0.03);
        if budget < length {
            truth.truncate(budget as usize);
            Self { truth, outcome: None, stop: "max_steps", horizon: Some(length as usize) }
        } else if unreadable {
            Self { truth, outcome: None, stop: "parse_error", horizon: None }
        } else {
            Self { truth, outcome: Some(success), stop: "completed", horizon: None }
        }
    }
}

/// The true chance of success of a run of `length` steps after `step` of them, `good` of which went
/// well.
fn chance(skill: f64, length: u32, step: u32, good: u32) -> f64 {
    let (rest, needed) = (length - step, length / 2 + 1);
    let mut most = 0.0;
    for more in 0..=rest {
        if good + more >= needed {
            most += choose(rest, more)
                * skill.powi(more as i32)
                * (1.0 - skill).powi((rest - more) as i32);
        }
    }
    RELIABILITY * most + (1.0 - RELIABILITY) * (1.0 - most)
}

fn choose(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |product, i| product * f64::from(n - i) / f64::from(i + 1))
}

/// The chance of success before the first step, over all skills and lengths.
fn overall_chance() -> f64 {
    let each =
        SKILLS.iter().flat_map(|&skill| LENGTHS.map(move |length| chance(skill, length, 0, 0)));
    each.sum::<f64>() / (SKILLS.len() * LENGTHS.count()) as f64
}

/// Four decimals keep the files small and the truth true to as many; half-way points take five.
fn rounded(p: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (p * scale).round() / scale
}
