//! Scores under several variants of a prompt, compared with tables 1 to 3 of the paper.

use knapsack_oracle::{VariantPair, VariantScores};
use serde_json::Value;

use crate::{EMPTY, entry, length, setting};

/// The scores of one table: for each alpha, one row per configuration with one score per variant.
fn published(table: &str) -> Vec<Vec<Vec<f64>>> {
    let golden: Value = serde_json::from_str(include_str!("../golden/triage.json")).unwrap();
    serde_json::from_value(golden["table_3_from_tables_1_and_2"][table].clone()).unwrap()
}

/// The printed ranges of one regime: for each configuration, one range per alpha.
fn printed_ranges(regime: &str) -> Vec<Vec<f64>> {
    let lines = include_str!("../golden/triage_ranges.csv").lines().skip(2);
    let rows = lines.filter_map(|line| line.strip_prefix(regime)?.strip_prefix(','));
    rows.map(|row| row.split(',').skip(1).map(|range| range.parse().unwrap()).collect()).collect()
}

#[test]
fn the_ranges_of_tables_1_and_2_follow_from_their_rows() {
    let mut off = 0;
    for (table, regime) in [("eta_u", "advisory"), ("eta_e", "enforced")] {
        let printed = printed_ranges(regime);
        assert_eq!(printed.len(), 4);
        for (alpha, rows) in published(table).iter().enumerate() {
            let ranges = VariantScores::new(rows).unwrap().ranges();
            for (range, printed) in ranges.iter().zip(&printed) {
                // The rows are rounded to three digits, so a range may differ by one in the last.
                let difference = (range - printed[alpha]).abs();
                assert!(difference < 0.001 + 1e-12, "{regime} {alpha}: {range}");
                off += usize::from(difference > 1e-12);
            }
        }
    }
    assert_eq!(off, 4);
}

#[test]
fn the_counts_of_stable_cells_are_published_and_one_median_is_not_that_of_its_rows() {
    for (table, stable, median) in [("eta_u", 11, 0.074), ("eta_e", 14, 0.056)] {
        let rows: Vec<Vec<f64>> = published(table).into_iter().flatten().collect();
        let scores = VariantScores::new(&rows).unwrap();
        assert_eq!(scores.ranges().len(), 16);
        assert_eq!(scores.count_ranges_below(0.1), stable);
        // The paper prints 0.077 under table 1 and 0.057 under table 2. Rounding of the rows can
        // explain a difference of 0.001.
        assert_eq!(scores.median_range(), median);
    }
}

#[test]
fn the_share_of_stable_cells_in_appendix_c_2_follows_and_the_median_of_its_non_thinking_cells_does_not()
 {
    let cells = |table: &str| published(table).into_iter().flatten().collect::<Vec<_>>();
    let both = VariantScores::new(&[cells("eta_u"), cells("eta_e")].concat()).unwrap();
    let share = both.count_ranges_below(0.1) as f64 / both.ranges().len() as f64;
    assert_eq!(format!("{:.0} %", 100.0 * share), "78 %");
    // The configurations of each alpha alternate between both modes.
    let non_thinking: Vec<Vec<f64>> = cells("eta_u").into_iter().step_by(2).collect();
    let scores = VariantScores::new(&non_thinking).unwrap();
    // The paper prints 0.040.
    assert_eq!((scores.ranges().len(), scores.median_range()), (8, 0.0445));
}

#[test]
fn table_3_follows_from_the_scores_of_each_alpha() {
    let tables = [
        ("eta_u", "tau_b_u", [0.085, 0.13, 0.188, 0.383]),
        ("eta_e", "tau_b_e", [0.068, 0.073, 0.214, 0.165]),
    ];
    for (table, taus, max_ranges) in tables {
        let golden: Value = serde_json::from_str(include_str!("../golden/triage.json")).unwrap();
        let taus = golden["table_3_from_tables_1_and_2"][taus].clone();
        let taus: Vec<Vec<f64>> = serde_json::from_value(taus).unwrap();
        for ((rows, taus), max_range) in published(table).iter().zip(taus).zip(max_ranges) {
            let scores = VariantScores::new(rows).unwrap();
            assert!((scores.max_range() - max_range).abs() < 0.001 + 1e-12, "{rows:?}");
            let pairs = scores.rank_correlations();
            let places: Vec<_> = pairs.iter().map(|pair| (pair.first, pair.second)).collect();
            assert_eq!(places, [(0, 1), (0, 2), (1, 2)]);
            assert_eq!(taus.len(), 3);
            for (VariantPair { tau_b, .. }, want) in pairs.iter().zip(taus) {
                assert_eq!(format!("{:.3}", tau_b.unwrap()), format!("{want:.3}"));
            }
        }
    }
}

#[test]
fn a_range_is_the_difference_of_the_decimals() {
    let scores = VariantScores::new(&[[0.3, 0.1], [-0.1, -0.4]]).unwrap();
    assert_eq!((scores.ranges(), scores.median_range()), (vec![0.2, 0.3], 0.25));
    // As binary numbers, 0.781 - 0.681 is below 0.1.
    let scores = VariantScores::new(&[[0.781, 0.681]]).unwrap();
    assert_eq!((scores.count_ranges_below(0.1), scores.median_range()), (0, 0.1));
}

#[test]
fn one_configuration_or_equal_scores_have_no_ranking() {
    let one = VariantScores::new(&[[0.3, 0.1]]).unwrap();
    assert_eq!(one.rank_correlations()[0].tau_b, None);
    let equal = VariantScores::new(&[[0.5, 0.1, 0.2], [0.5, 0.3, 0.4]]).unwrap();
    let taus: Vec<_> = equal.rank_correlations().iter().map(|pair| pair.tau_b).collect();
    assert_eq!(taus, [None, None, Some(1.0)]);
}

#[test]
fn invalid_scores_are_refused() {
    assert_eq!(VariantScores::new::<[f64; 2]>(&[]), Err(EMPTY));
    assert_eq!(setting(VariantScores::new(&[[0.5]])), "number of variants");
    let short = VariantScores::new(&[vec![0.5, 0.6], vec![0.5]]);
    assert_eq!(short, Err(length("scores of a configuration", 2, 1)));
    for score in [f64::NAN, f64::NEG_INFINITY, 1.1e100] {
        let refused = VariantScores::new(&[[0.5, 0.6], [0.5, score]]);
        assert_eq!(entry(refused).1, 1, "{score}");
    }
}
