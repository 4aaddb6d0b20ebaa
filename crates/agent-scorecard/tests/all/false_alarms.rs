//! How often confidence is called better or worse than one constant forecast for all runs, and too high or too low, where it
//! is not.

use agent_scorecard::{
    compare::{CompareOptions, Side, SideRun, compare},
    scoring_rules::Level,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Data sets of each design.
const SETS: u32 = 1_000;

/// Half of the tasks are easier than the others by twice this.
const SPREAD: f64 = 0.2;

/// What is stated of a run: of the success rate over all tasks, and of the chance of its own task.
type State = fn(&mut ChaCha8Rng, f64, f64) -> f64;

/// The shares of data sets whose confidence is called better than one number, worse, and too high or too low.
fn shares(tasks: usize, trials: usize, rate: f64, spread: f64, state: State) -> [f64; 3] {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let level = Level::new(0.95).unwrap();
    let mut counts = [0_u32; 3];
    for _ in 0..SETS {
        let mut side = Side::default();
        for task in 0..tasks {
            let chance = rate + if rng.random_bool(0.5) { spread } else { -spread };
            side.runs.extend((0..trials).map(|_| SideRun {
                task: task.to_string(),
                confidence: Some(state(&mut rng, rate, chance)),
                grade: Some(f64::from(rng.random_bool(chance))),
                ..SideRun::default()
            }));
        }
        let block =
            compare(&[side], CompareOptions::default(), level).unwrap().columns.remove(0).block;
        let ends = ["brier_gain_last", "overconfidence_last"].map(|key| {
            let ends = block.figure(key).unwrap().interval;
            ends.map_or([0.0; 2], |ends| [ends.low(), ends.high()])
        });
        let [gain, over] = ends;
        let found = [gain[0] > 0.0, gain[1] < 0.0, over[0] > 0.0 || over[1] < 0.0];
        counts.iter_mut().zip(found).for_each(|(count, found)| *count += u32::from(found));
    }
    counts.map(|count| f64::from(count) / f64::from(SETS))
}

#[test]
fn confidence_that_is_no_better_than_one_number_is_seldom_called_better() {
    let states: [(&str, State); 3] = [
        ("the true success rate for all", |_, rate, _| rate),
        ("noise of 2 points", |rng, rate, _| rate + rng.random_range(-0.02..0.02)),
        // Knows how hard a task is, and exaggerates so much that its expected score is that of the success rate.
        ("exaggerated twofold", |_, rate, chance| rate + 2.0 * (chance - rate)),
    ];
    for (name, state) in states {
        for (tasks, trials, rate) in [(20, 1, 0.5), (60, 2, 0.5), (60, 4, 0.6), (200, 1, 0.4)] {
            let [better, worse, off] = shares(tasks, trials, rate, SPREAD, state);
            println!(
                "{name}, {tasks} tasks x {trials}, rate {rate}: better {better:.3}, worse {worse:.3}, \
                 over- or underconfident {off:.3}"
            );
            // Three standard errors of 1,000 draws above the 2.5 % of one side, and around the 5 % of both.
            assert!(better <= 0.04, "{name} {tasks} x {trials}: {better}");
            assert!(
                name.starts_with("noise") || worse <= 0.06,
                "{name} {tasks} x {trials}: {worse}"
            );
            // Confidence that knows how hard a task is has an interval that is wider than need be.
            let least = if name.starts_with("exaggerated") { 0.0 } else { 0.029 };
            assert!((least..=0.071).contains(&off), "{name} {tasks} x {trials}: {off}");
        }
    }
}

#[test]
fn calibrated_confidence_near_certainty_is_seldom_called_wrong() {
    let states: [(&str, State); 2] = [
        ("the success rate for all", |_, rate, _| rate),
        ("the chance of each task", |_, _, chance| chance),
    ];
    for (name, state) in states {
        for rate in [0.02, 0.1, 0.9, 0.98] {
            for (tasks, trials) in [(10, 1), (20, 3), (50, 1)] {
                let [better, worse, off] = shares(tasks, trials, rate, 0.018, state);
                println!(
                    "{name}, {tasks} tasks x {trials}, rate {rate}: better {better:.3}, worse {worse:.3}, off {off:.3}"
                );
                // No more than 6 %; and three standard errors of 1,000 draws above the 2.5 % of one side.
                assert!(off <= 0.06, "{name} {tasks} x {trials}, {rate}: {off}");
                assert!(worse <= 0.04, "{name} {tasks} x {trials}, {rate}: {worse}");
                let is_wrong = name.ends_with("for all");
                assert!(!is_wrong || better <= 0.04, "{name} {tasks} x {trials}, {rate}: {better}");
            }
        }
    }
}
