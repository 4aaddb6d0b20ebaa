//! Published figures of the paper that follow from counts.
#![allow(clippy::panic, clippy::unwrap_used)]

use budget_estimation::{Estimate, FeasibilityCounts, IntervalScores, Rollouts, Sample};

/// Samples of either label. The paper does not print it: no other number up to 1000 but its multiples
/// gives the recalls and accuracies of table 5.
const OF_EITHER_LABEL: usize = 190;

fn per_cent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// The number of samples of one label that the printed share stands for.
fn count(printed: &str) -> usize {
    let share = printed.parse::<f64>().unwrap() / 100.0;
    (share * OF_EITHER_LABEL as f64).round() as usize
}

#[test]
fn accuracy_and_cover_of_table_5_are_those_of_190_samples_of_either_label() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    rollouts.push(&[1.0, 437.0], true).unwrap();
    rollouts.push(&[1.0, 437.0], false).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    let sample = |run, answer| Sample::new(&rollouts.get(run).unwrap(), tokens, 1, answer).unwrap();
    let (feasible, impossible) = (|answer| sample(0, answer), |answer| sample(1, answer));
    let covers = Estimate::interval(393.0, 480.0).unwrap();
    let misses = Estimate::interval(500.0, 600.0).unwrap();

    let lines = include_str!("golden/table_5.csv").lines().skip(2);
    let mut rows = 0;
    for line in lines {
        let [model, accuracy, recall_feasible, recall_impossible, cover] =
            line.split(',').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        // What is feasible and not covered stands for any miss, also a scalar.
        let (possible, covered) = (count(recall_feasible), count(cover));
        let mut feasibility = FeasibilityCounts::default();
        let mut intervals = IntervalScores::default();
        for i in 0..OF_EITHER_LABEL {
            let answer = match i {
                i if i < covered => covers,
                i if i < possible => misses,
                _ => Estimate::Impossible,
            };
            let sample = feasible(answer);
            feasibility.update(&sample);
            intervals.update(&sample).unwrap();
            let right = i < count(recall_impossible);
            feasibility.update(&impossible(if right { Estimate::Impossible } else { misses }));
        }
        let (found, intervals) = (feasibility.finish().unwrap(), intervals.finish().unwrap());
        assert_eq!(per_cent(found.feasible.recall.unwrap()), recall_feasible, "{model}");
        assert_eq!(per_cent(found.impossible.recall.unwrap()), recall_impossible, "{model}");
        assert_eq!(per_cent(found.accuracy), accuracy, "{model}");
        // Over all feasible samples, also those that were called impossible.
        assert_eq!(per_cent(intervals.hit_rate), cover, "{model}");
        rows += 1;
    }
    assert_eq!(rows, 26);
}
