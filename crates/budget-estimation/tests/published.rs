//! Published figures of BAGEN (arXiv:2606.00198) that follow from counts.
#![allow(clippy::unwrap_used)]

use budget_estimation::{Estimate, Metrics, Rollouts, Sample};

/// The number of feasible and of infeasible samples behind table 5, which the paper does not print. The test
/// `only_190_samples_of_either_label_or_a_multiple_give_table_5` derives it.
const OF_EITHER_LABEL: usize = 190;

fn per_cent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// The number of samples of one label that the printed share stands for.
fn count(printed: &str) -> usize {
    let share = printed.parse::<f64>().unwrap() / 100.0;
    (share * OF_EITHER_LABEL as f64).round() as usize
}

/// Model, accuracy, both recalls and cover, as printed.
fn table_5() -> Vec<[&'static str; 5]> {
    let lines = include_str!("golden/table_5.csv").lines().skip(2);
    lines.map(|line| line.split(',').collect::<Vec<_>>().try_into().unwrap()).collect()
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

    let mut rows = 0;
    for [model, accuracy, recall_feasible, recall_impossible, cover] in table_5() {
        // A feasible sample that is answered and not covered is entered as an interval that misses. This
        // includes the scalars of the row "scalar bug", which the paper counts as "feasible" answers.
        let (possible, covered) = (count(recall_feasible), count(cover));
        let mut metrics = Metrics::new();
        for i in 0..OF_EITHER_LABEL {
            let answer = match i {
                i if i < covered => covers,
                i if i < possible => misses,
                _ => Estimate::Impossible,
            };
            metrics.update(&feasible(answer)).unwrap();
            let right = i < count(recall_impossible);
            let said = impossible(if right { Estimate::Impossible } else { misses });
            metrics.update(&said).unwrap();
        }
        let summary = metrics.finish().unwrap();
        let (found, intervals) = (summary.feasibility, summary.intervals.unwrap());
        assert_eq!(per_cent(found.feasible.recall.unwrap()), recall_feasible, "{model}");
        assert_eq!(per_cent(found.impossible.recall.unwrap()), recall_impossible, "{model}");
        assert_eq!(per_cent(found.accuracy), accuracy, "{model}");
        // Over all feasible samples, also those that were called impossible.
        assert_eq!(per_cent(intervals.hit_rate), cover, "{model}");
        rows += 1;
    }
    assert_eq!(rows, 26);
}

/// The counts of n samples that round to the printed share.
fn counts(n: usize, printed: &str) -> Vec<usize> {
    let near = (printed.parse::<f64>().unwrap() / 100.0 * n as f64) as usize;
    (near.saturating_sub(2)..=near + 2)
        .filter(|&k| k <= n && per_cent(k as f64 / n as f64) == printed)
        .collect()
}

#[test]
fn only_190_samples_of_either_label_or_a_multiple_give_table_5() {
    let fits = |n: usize| {
        table_5().iter().all(|[_, accuracy, recall_feasible, recall_impossible, _]| {
            let (feasible, impossible) = (counts(n, recall_feasible), counts(n, recall_impossible));
            let share = |right: usize| per_cent(right as f64 / (2 * n) as f64);
            feasible.iter().any(|a| impossible.iter().any(|b| share(a + b) == *accuracy))
        })
    };
    let found: Vec<usize> = (1..=1000).filter(|&n| fits(n)).collect();
    assert_eq!(found, [190, 380, 570, 760, 950]);
}

/// The notes of the table read as if the cover were over the feasible samples that were answered with an
/// interval. Each of the 26 covers is a whole number out of the feasible samples; 17 are not a whole number
/// out of the answered ones.
#[test]
fn the_cover_of_table_5_is_over_all_feasible_samples_and_not_over_the_answered_ones() {
    let mut not_of_the_answered = 0;
    for [model, _, recall_feasible, _, cover] in table_5() {
        assert!(!counts(OF_EITHER_LABEL, cover).is_empty(), "{model}");
        let answered = count(recall_feasible);
        not_of_the_answered += usize::from(answered > 0 && counts(answered, cover).is_empty());
    }
    assert_eq!(not_of_the_answered, 17);
    assert!(counts(count("96.3"), "92.6").is_empty());
}

/// Pearson's correlation of two columns of table 1, over the rows that have both.
fn correlation(a: usize, b: usize) -> (usize, f64) {
    let lines = include_str!("golden/table_1.csv").lines().skip(2);
    let rows: Vec<(f64, f64)> = lines
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter_map(|cells| Some((cells[a].parse().ok()?, cells[b].parse().ok()?)))
        .collect();
    let n = rows.len() as f64;
    let (x, y) = rows.iter().fold((0.0, 0.0), |(x, y), row| (x + row.0 / n, y + row.1 / n));
    let sum =
        |of: fn(f64, f64) -> f64| -> f64 { rows.iter().map(|row| of(row.0 - x, row.1 - y)).sum() };
    let [xx, xy, yy] = [sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y)];
    (rows.len(), xy / (xx * yy).sqrt())
}

/// Section 4 prints about 0.35 for both. For the hit rate that is right; for task success it is not.
#[test]
fn the_correlation_of_hit_rate_and_macro_f1_follows_from_table_1_and_that_of_success_does_not() {
    const SUCCESS: usize = 2;
    const FIRST_TURN: usize = 3;
    const ALL_TURNS: usize = 4;
    const HIT_RATE: usize = 5;
    let printed = |a, b| {
        let (pairs, r) = correlation(a, b);
        (pairs, format!("{r:.2}"))
    };
    assert_eq!(printed(HIT_RATE, FIRST_TURN), (20, "0.34".into()));
    assert_eq!(printed(HIT_RATE, ALL_TURNS), (20, "0.33".into()));
    assert_eq!(printed(SUCCESS, FIRST_TURN), (15, "0.55".into()));
    assert_eq!(printed(SUCCESS, ALL_TURNS), (15, "0.45".into()));
    assert_eq!(printed(SUCCESS, HIT_RATE), (15, "0.44".into()));
}

/// Table 6: the rewards and retentions as printed.
#[test]
fn the_retentions_of_table_6_follow_from_its_rewards() {
    for (in_task, transferred, printed) in
        [(0.143, 0.052, "36%"), (0.155, 0.026, "17%"), (0.258, 0.090, "35%")]
    {
        let retention = budget_estimation::reward_retention(in_task, transferred).unwrap();
        assert_eq!(format!("{:.0}%", 100.0 * retention), printed);
    }
    for (in_task, transferred) in [(-0.1, 0.1), (0.1, f64::NAN), (f64::INFINITY, 0.1)] {
        let error = budget_estimation::reward_retention(in_task, transferred).unwrap_err();
        assert!(
            matches!(
                error,
                budget_estimation::Error::ScoringRules(scoring_rules::Error::Setting { .. })
            ),
            "{error}"
        );
    }
}
