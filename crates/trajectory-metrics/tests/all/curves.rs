//! Curves, what is measured on them and calibration diagnostics: against scikit-learn and brute
//! force (`golden/curves.py`), and what must hold of them whatever the data are.
use proptest::prelude::*;
use scoring_rules::Error as Shared;
use serde_json::Value;
use trajectory_metrics::{
    Binning, Error, Figure, Level, PositiveClass, Seed, TiedBlocks, augrc, aurc, auroc,
    average_precision, brier_loss, consistency_band, excess_aurc, expected_calibration_error,
    maximum_calibration_error, precision_recall_curve, reliability_curve, reliability_diagram,
    risk_coverage_curve, roc_curve, root_mean_square_calibration_error,
};

use crate::common::{Worst, blocks_of, json_numbers, json_rows, level_of, ps, refused, ws};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/curves.json")).unwrap()
}

impl Worst {
    fn agree(&mut self, ours: f64, theirs: &Value, what: &str) {
        self.see(ours, theirs.as_f64().unwrap(), 1e-12, what);
    }

    fn all_agree(&mut self, ours: impl ExactSizeIterator<Item = f64>, theirs: &Value, what: &str) {
        let theirs = theirs.as_array().unwrap();
        assert_eq!(ours.len(), theirs.len(), "{what}");
        ours.zip(theirs).for_each(|(ours, theirs)| self.agree(ours, theirs, what));
    }
}

#[test]
fn curves_and_diagnostics_agree_with_scikit_learn_and_brute_force() {
    let golden = golden();
    let cases = golden["cases"].as_array().unwrap();
    assert!(cases.len() >= 80);
    let mut worst = Worst::default();
    for case in cases {
        let name = &case["name"].to_string();
        let (confidence, outcomes, weights) = json_rows(case, ["confidence", "outcome"]);
        let blocks =
            TiedBlocks::new(ps(&confidence), &outcomes, weights.as_deref().map(ws)).unwrap();

        match (roc_curve(&blocks, PositiveClass::Failure), case.get("roc")) {
            (Ok(curve), Some(roc)) => {
                worst.all_agree(curve.iter().map(|p| p.false_positive_rate), &roc[0], name);
                worst.all_agree(curve.iter().map(|p| p.true_positive_rate), &roc[1], name);
            }
            (result, roc) => {
                assert!(matches!(result, Err(Error::OneClass { .. })) && roc.is_none(), "{name}");
            }
        }
        match (precision_recall_curve(&blocks, PositiveClass::Failure), case.get("pr")) {
            (Ok(curve), Some(pr)) => {
                worst.all_agree(curve.iter().map(|p| p.precision), &pr[0], name);
                worst.all_agree(curve.iter().map(|p| p.recall), &pr[1], name);
            }
            (result, pr) => {
                assert!(matches!(result, Err(Error::OneClass { outcome: true, .. })), "{name}");
                assert_eq!(pr, None, "{name}");
            }
        }
        let points = case["risk_coverage"].as_array().unwrap();
        let curve = risk_coverage_curve(&blocks).unwrap();
        assert_eq!(curve.len(), points.len());
        for (point, exact) in curve.iter().zip(points) {
            let ours = [point.coverage, point.risk, point.generalized_risk];
            worst.all_agree(ours.into_iter(), exact, name);
        }
        worst.agree(aurc(&blocks).unwrap(), &case["aurc"], name);
        worst.agree(excess_aurc(&blocks).unwrap(), &case["excess_aurc"], name);
        if let Some(area) = case.get("augrc") {
            worst.agree(augrc(&blocks).unwrap(), area, name);
        }

        let binning = Binning::EqualWidth { bins: 10 };
        let bins = reliability_diagram(&blocks, binning).unwrap();
        let diagram = &case["diagram"];
        worst.all_agree(bins.iter().map(|bin| bin.weight), &diagram[0], name);
        worst.all_agree(bins.iter().map(|bin| bin.mean_confidence), &diagram[1], name);
        worst.all_agree(bins.iter().map(|bin| bin.success_rate), &diagram[2], name);
        worst.agree(expected_calibration_error(&blocks, binning).unwrap(), &case["l1"], name);
        worst.agree(
            root_mean_square_calibration_error(&blocks, binning).unwrap(),
            &case["l2"],
            name,
        );
        worst.agree(maximum_calibration_error(&blocks, binning).unwrap(), &case["max"], name);
        let curve = reliability_curve(&blocks).unwrap();
        worst.all_agree(curve.iter().map(|point| point.success_rate), &case["isotonic"], name);
    }
    println!("{} cases, largest error {:.1e}", cases.len(), worst.0);
}

#[test]
fn delong_agrees_with_all_pairs_and_the_covariance_matrix_of_the_paper() {
    let golden = golden();
    let (mut worst, mut variances, mut tests) = (Worst::default(), 0, 0);
    for case in golden["cases"].as_array().unwrap() {
        let name = &case["name"].to_string();
        let Some(exact) = case.get("delong") else { continue };
        let (confidence, outcomes, weights) = json_rows(case, ["confidence", "outcome"]);
        let (confidence, weights) = (ps(&confidence), weights.as_deref().map(ws));
        let blocks = TiedBlocks::new(confidence, &outcomes, weights).unwrap();
        if exact.is_null() {
            assert!(
                matches!(Figure::auroc(&blocks), Err(Error::ScoringRules(Shared::Setting { .. }))),
                "{name}"
            );
            continue;
        }
        variances += 1;
        let estimate = Figure::auroc(&blocks).unwrap();
        assert_eq!(Ok(estimate.value), auroc(&blocks));
        // Relative, as areas of many rows have small errors.
        let exact = exact.as_f64().unwrap().sqrt();
        let error = estimate.standard_error.unwrap();
        let off = (error - exact).abs();
        assert!(off <= 1e-13 * exact, "{name}: {error} against {exact}");
        let Some(test) = case.get("test") else { continue };
        tests += 1;
        let second = json_numbers(&case["second"]);
        let ours = Figure::auroc_difference(confidence, &outcomes, ps(&second), &outcomes, weights)
            .unwrap();
        worst.agree(ours.value, &test[0], name);
        worst.agree(ours.standard_error.unwrap(), &test[1], name);
        match ours.p_value() {
            Some(p) => {
                worst.agree(ours.value / ours.standard_error.unwrap(), &test[2], name);
                worst.agree(p, &test[3], name);
            }
            None => assert!(test[2].is_null(), "{name}"),
        }
    }
    assert!(variances >= 75 && tests >= 75);
    println!("{variances} variances, {tests} tests, largest error {:.1e}", worst.0);
}

#[test]
fn consistency_bands_end_where_the_exact_distribution_of_the_curve_does() {
    let mut ends = 0;
    for case in golden()["bands"].as_array().unwrap() {
        let rows =
            json_numbers(&case["confidence"]).into_iter().zip(json_numbers(&case["weights"]));
        let blocks = blocks_of(rows.map(|(p, weight)| (p, false, weight)));
        let level = level_of(case["level"].as_f64().unwrap());
        let band = consistency_band(&blocks, level, 40_000, Seed(2007)).unwrap();
        for (ours, exact) in band.iter().zip(case["band"].as_array().unwrap()) {
            for (end, exact) in [(ours.low(), &exact[0]), (ours.high(), &exact[1])] {
                if let Some(exact) = exact.as_f64() {
                    assert!((end - exact).abs() < 1e-11, "{}: {end} {exact}", case["name"]);
                    ends += 1;
                }
            }
        }
    }
    assert_eq!(ends, 24);
}

/// A confidence with ties, another one, an outcome, a whole weight.
type Row = (f64, f64, bool, u32);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let confidence = || prop_oneof![0.0..=1.0_f64, (0..=10_u32).prop_map(|p| f64::from(p) / 10.0)];
    let row = (confidence(), confidence(), any::<bool>(), 1..5_u32);
    prop::collection::vec(row, 4..60).prop_map(|mut rows| {
        // Two of each outcome, so that everything is defined.
        (0..4).for_each(|i| rows[i].2 = i % 2 == 0);
        rows
    })
}

/// Columns of rows: first and second confidence, outcome, weight.
fn columns(rows: &[Row]) -> (Vec<f64>, Vec<f64>, Vec<bool>, Vec<f64>) {
    rows.iter().map(|&(p, q, y, w)| (p, q, y, f64::from(w))).collect()
}

fn blocks(rows: &[Row], weighted: bool) -> TiedBlocks {
    let (confidence, _, outcomes, weights) = columns(rows);
    TiedBlocks::new(ps(&confidence), &outcomes, weighted.then_some(ws(&weights))).unwrap()
}

/// What depends on ranks only.
fn of_ranks(blocks: &TiedBlocks) -> Vec<f64> {
    let mut all = vec![
        auroc(blocks).unwrap(),
        average_precision(blocks, PositiveClass::Failure).unwrap(),
        aurc(blocks).unwrap(),
        excess_aurc(blocks).unwrap(),
        augrc(blocks).unwrap(),
        Figure::auroc(blocks).unwrap().standard_error.unwrap(),
    ];
    for point in roc_curve(blocks, PositiveClass::Failure).unwrap() {
        all.extend([point.false_positive_rate, point.true_positive_rate]);
    }
    for point in precision_recall_curve(blocks, PositiveClass::Failure).unwrap() {
        all.extend([point.precision, point.recall]);
    }
    for point in risk_coverage_curve(blocks).unwrap() {
        all.extend([point.coverage, point.risk, point.generalized_risk]);
    }
    all
}

/// What depends on the confidences themselves.
fn of_confidences(blocks: &TiedBlocks) -> Vec<f64> {
    let mut all = vec![brier_loss(blocks).unwrap()];
    for binning in [Binning::Quantile { bins: 7 }, Binning::EqualWidth { bins: 7 }] {
        all.push(expected_calibration_error(blocks, binning).unwrap());
        all.push(root_mean_square_calibration_error(blocks, binning).unwrap());
        all.push(maximum_calibration_error(blocks, binning).unwrap());
        for bin in reliability_diagram(blocks, binning).unwrap() {
            all.extend([bin.weight, bin.mean_confidence, bin.success_rate]);
            all.extend([bin.lowest.get(), bin.highest.get()]);
        }
    }
    all.extend(reliability_curve(blocks).unwrap().iter().map(|point| point.success_rate));
    for point in consistency_band(blocks, Level::HALF, 20, Seed(3)).unwrap() {
        all.extend([point.low(), point.high()]);
    }
    all
}

fn test_of(rows: &[Row], weighted: bool) -> [f64; 2] {
    let (first, second, outcomes, weights) = columns(rows);
    let weights = weighted.then_some(ws(&weights));
    let test = Figure::auroc_difference(ps(&first), &outcomes, ps(&second), &outcomes, weights);
    let test = test.unwrap();
    [test.value, test.standard_error.unwrap()]
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// The area under straight lines.
fn trapezoids(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<_> = points.collect();
    points.windows(2).map(|pair| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0).sum()
}

/// Weights that are no whole numbers, for which sums are rounded.
#[test]
fn no_measure_leaves_its_range_by_rounding() {
    let failures = blocks_of([
        (0.75, false, 0.873_598_417_281_659_2),
        (0.5, false, 121.776_252_278_619_42),
        (1.0, false, 42.894_100_689_397_72),
    ]);
    assert_eq!(augrc(&failures).unwrap(), 0.5);
    let failures = blocks_of([
        (0.1, false, 0.8),
        (0.2, false, 0.8),
        (0.3, false, 0.8),
        (0.4, false, 0.700_000_000_000_000_1),
    ]);
    assert_eq!(aurc(&failures).unwrap(), 1.0);
    assert!(average_precision(&failures, PositiveClass::Failure).unwrap() <= 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn no_result_depends_on_the_order_of_rows((rows, shuffled) in rows().prop_flat_map(|rows| {
        (Just(rows.clone()), Just(rows).prop_shuffle())
    })) {
        for weighted in [false, true] {
            let (a, b) = (blocks(&rows, weighted), blocks(&shuffled, weighted));
            prop_assert_eq!(bits(&of_ranks(&a)), bits(&of_ranks(&b)));
            prop_assert_eq!(bits(&of_confidences(&a)), bits(&of_confidences(&b)));
            prop_assert_eq!(bits(&test_of(&rows, weighted)), bits(&test_of(&shuffled, weighted)));
        }
    }

    #[test]
    fn an_integer_weight_has_the_same_bits_as_that_many_rows(rows in rows()) {
        let copied: Vec<Row> =
            rows.iter().flat_map(|&row| (0..row.3).map(move |_| row)).collect();
        let (a, b) = (blocks(&rows, true), blocks(&copied, false));
        prop_assert_eq!(bits(&of_ranks(&a)), bits(&of_ranks(&b)));
        prop_assert_eq!(bits(&of_confidences(&a)), bits(&of_confidences(&b)));
        prop_assert_eq!(bits(&test_of(&rows, true)), bits(&test_of(&copied, false)));
    }

    #[test]
    fn an_increasing_transform_does_not_change_any_curve_or_area_by_a_bit(
        rows in rows(),
        steps in prop::collection::vec(1e-6..1.0_f64, 64),
    ) {
        // Any rising map there is: each confidence goes to a place of its own, in order.
        let mut said: Vec<f64> = rows.iter().map(|row| row.0).collect();
        said.sort_by(f64::total_cmp);
        said.dedup();
        let step = |i: usize| steps[i % steps.len()];
        let total: f64 = (0..=said.len()).map(step).sum();
        let distort = |p: f64| {
            let place = said.partition_point(|&other| other < p);
            ((0..=place).map(step).sum::<f64>() / total).min(1.0)
        };
        let distorted: Vec<Row> = rows.iter().map(|&(p, q, y, w)| (distort(p), q, y, w)).collect();
        let (a, b) = (blocks(&rows, true), blocks(&distorted, true));
        prop_assert_eq!(a.as_slice().len(), b.as_slice().len());
        prop_assert_eq!(bits(&of_ranks(&a)), bits(&of_ranks(&b)));
        prop_assert_eq!(bits(&test_of(&rows, true)), bits(&test_of(&distorted, true)));
    }

    #[test]
    fn areas_under_the_curves_equal_the_scalar_measures(rows in rows()) {
        let weighted = blocks(&rows, true);
        let roc = roc_curve(&weighted, PositiveClass::Failure).unwrap();
        let area = trapezoids(roc.iter().map(|p| (p.false_positive_rate, p.true_positive_rate)));
        prop_assert!((area - auroc(&weighted).unwrap()).abs() < 1e-13);
        let mut recall = 0.0;
        let steps = precision_recall_curve(&weighted, PositiveClass::Failure).unwrap().into_iter().map(|point| {
            let step = (point.recall - recall) * point.precision;
            recall = point.recall;
            step
        });
        prop_assert!((steps.sum::<f64>() - average_precision(&weighted, PositiveClass::Failure).unwrap()).abs() < 1e-13);
        let curve = risk_coverage_curve(&weighted).unwrap();
        let line = std::iter::once((0.0, 0.0))
            .chain(curve.iter().map(|point| (point.coverage, point.generalized_risk)));
        prop_assert!((trapezoids(line) - augrc(&weighted).unwrap()).abs() < 1e-13);

        // The risk of each point times the coverage that it adds.
        let before = std::iter::once(0.0).chain(curve.iter().map(|point| point.coverage));
        let steps = curve.iter().zip(before).map(|(point, before)| point.risk * (point.coverage - before));
        prop_assert!((steps.sum::<f64>() - aurc(&weighted).unwrap()).abs() < 1e-13);
    }

    #[test]
    fn the_scale_of_all_weights_changes_no_area(rows in rows(), scale in -40.0..40.0_f64) {
        let scale = scale.exp2();
        let of = |factor: f64| blocks_of(rows.iter().map(|&(p, _, y, w)| (p, y, factor * f64::from(w))));
        let (own, other) = (of(1.0), of(scale));
        for area in [aurc, excess_aurc, augrc] {
            prop_assert!((area(&own).unwrap() - area(&other).unwrap()).abs() < 1e-14);
        }
    }

    #[test]
    fn augrc_follows_from_auroc_and_the_failure_rate_and_the_best_excess_aurc_is_0(rows in rows()) {
        let ranked = blocks(&rows, true);
        let (failures, successes) = (ranked.failures(), ranked.successes());
        let rate = failures / (failures + successes);
        let wrong = 1.0 - auroc(&ranked).unwrap();
        let closed = rate * rate / 2.0 + rate * (1.0 - rate) * wrong;
        prop_assert!((augrc(&ranked).unwrap() - closed).abs() < 1e-14);

        let excess = excess_aurc(&ranked).unwrap();
        prop_assert!((0.0..1.0).contains(&excess) && (excess > 1e-9) == (wrong > 1e-9));
        let perfect: Vec<Row> = rows
            .iter()
            .map(|&(p, q, y, w)| ((p + f64::from(u8::from(y)) * 1.5) / 3.0, q, y, w))
            .collect();
        prop_assert!(excess_aurc(&blocks(&perfect, true)).unwrap() < 1e-14);
    }

    #[test]
    fn swapping_the_confidences_changes_the_sign_and_a_constant_leaves_the_error_of_one_area(rows in rows()) {
        let turned: Vec<Row> = rows.iter().map(|&(p, q, y, w)| (q, p, y, w)).collect();
        let ([difference, error], [back, same]) = (test_of(&rows, true), test_of(&turned, true));
        prop_assert_eq!((difference, error), (-back, same));
        // A constant has no sampling error, so that the error of the other confidence remains.
        let flat: Vec<Row> = rows.iter().map(|&(p, _, y, w)| (p, 0.5, y, w)).collect();
        let [difference, error] = test_of(&flat, true);
        let single = Figure::auroc(&blocks(&rows, true)).unwrap();
        prop_assert!((difference - (single.value - 0.5)).abs() < 1e-14);
        prop_assert!((error - single.standard_error.unwrap()).abs() < 1e-14);
    }

    #[test]
    fn the_root_mean_square_lies_between_mean_and_maximum(rows in rows()) {
        let blocks = blocks(&rows, true);
        for binning in [Binning::Quantile { bins: 5 }, Binning::EqualWidth { bins: 5 }] {
            let mean = expected_calibration_error(&blocks, binning).unwrap();
            let root = root_mean_square_calibration_error(&blocks, binning).unwrap();
            let largest = maximum_calibration_error(&blocks, binning).unwrap();
            prop_assert!(mean <= root + 1e-15 && root <= largest + 1e-15 && largest <= 1.0);
            let bins = reliability_diagram(&blocks, binning).unwrap();
            let gaps = bins.iter().map(|b| b.weight * (b.mean_confidence - b.success_rate).abs());
            let weight: f64 = bins.iter().map(|bin| bin.weight).sum();
            prop_assert!((gaps.sum::<f64>() / weight - mean).abs() < 1e-14);
        }
    }
}

#[test]
fn calibrated_confidences_stay_in_their_band_about_as_often_as_its_level() {
    // A hundred data sets of 300 rows each, drawn from the confidences themselves.
    let confidence: Vec<f64> = (0..300).map(|i| 0.05 + f64::from(i % 30) / 33.0).collect();
    let (mut state, mut inside, mut points) = (2007_u64, 0, 0);
    let band = {
        let blocks = TiedBlocks::new(ps(&confidence), &[true; 300], None).unwrap();
        consistency_band(&blocks, level_of(0.9), 1_000, Seed(11)).unwrap()
    };
    for _ in 0..100 {
        let outcomes: Vec<bool> = confidence
            .iter()
            .map(|&p| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ((state >> 11) as f64 / (1_u64 << 53) as f64) < p
            })
            .collect();
        let blocks = TiedBlocks::new(ps(&confidence), &outcomes, None).unwrap();
        for (point, band) in reliability_curve(&blocks).unwrap().iter().zip(&band) {
            inside += usize::from(band.contains(point.success_rate));
            points += 1;
        }
    }
    let share = inside as f64 / points as f64;
    assert!((0.88..0.95).contains(&share), "{share}");
}

#[test]
fn a_missing_class_or_a_class_of_one_row_has_no_standard_error() {
    let p = ps(&[0.1, 0.4, 0.8]);
    let of = |outcomes: &[bool], weight: f64| {
        Figure::auroc(&TiedBlocks::new(p, outcomes, Some(ws(&[weight; 3]))).unwrap())
    };
    assert!(matches!(of(&[true; 3], 1.0), Err(Error::OneClass { outcome: true, .. })));
    assert!(matches!(of(&[false; 3], 1.0), Err(Error::OneClass { outcome: false, .. })));
    let one_failure = [true, false, true];
    for weight in [1.0, 0.25] {
        let error = of(&one_failure, weight).unwrap_err();
        let name = "weight of the failures";
        assert!(
            matches!(error, Error::ScoringRules(Shared::Setting { name: n, value, .. }) if n == name && value == weight)
        );
    }
    assert!(of(&one_failure, 1.5).unwrap().standard_error > Some(0.0));
    // Placements are 1/2 and 1 in both classes, with a squared distance of 1/16 from their mean.
    let (confidence, outcomes) = ([0.2, 0.4, 0.6, 0.8].repeat(600), [false, true].repeat(1_200));
    let blocks = TiedBlocks::new(ps(&confidence), &outcomes, Some(ws(&[5e11; 2_400])));
    let heavy = Figure::auroc(&blocks.unwrap()).unwrap();
    assert!((heavy.value - 0.75).abs() < 1e-14);
    let error = (2.0_f64 / 16.0 / 6e14).sqrt();
    assert!((heavy.standard_error.unwrap() / error - 1.0).abs() < 1e-12, "{heavy:?}");
    let huge = of(&one_failure, 1e100);
    assert_eq!(refused(huge), "weight of the failures");
    assert_eq!(
        Figure::auroc_difference(p, &one_failure, &p[..2], &one_failure, None),
        Err(scoring_rules::checks::length("second_confidence", 3, 2).into())
    );
    let empty: TiedBlocks = TiedBlocks::default();
    assert_eq!(Figure::auroc(&empty), Err(Shared::Empty.into()));
    assert_eq!(roc_curve(&empty, PositiveClass::Failure), Err(Shared::Empty.into()));
    assert_eq!(precision_recall_curve(&empty, PositiveClass::Failure), Err(Shared::Empty.into()));
    assert_eq!(risk_coverage_curve(&empty), Err(Shared::Empty.into()));
    assert_eq!(
        (excess_aurc(&empty), augrc(&empty)),
        (Err(Shared::Empty.into()), Err(Shared::Empty.into()))
    );
}

#[test]
fn mathematically_equal_rankings_have_no_test_for_any_weights() {
    // Failures and successes in turn, in runs of four, and in one of them the rows of each run in
    // another order: the same placements, added up in another order.
    let outcomes: Vec<bool> = (0..400).map(|i| i / 4 % 2 == 1).collect();
    let perfect: Vec<bool> = (0..400).map(|i| i >= 200).collect();
    let first: Vec<f64> = (0..400).map(|i| f64::from(i) / 400.0).collect();
    let turned = |run: i32| -> Vec<f64> {
        (0..400).map(|i| f64::from(i / run * run + run - 1 - i % run) / 400.0).collect()
    };
    for (outcomes, second) in [(&outcomes, turned(4)), (&perfect, turned(200))] {
        for seed in 0..50_u32 {
            let weight = |i: u32| 1.0 + f64::from((seed * 7 + i * 13) % 29) / 10.0;
            let weights: Vec<f64> = (0..400).map(weight).collect();
            let (first, second) = (ps(&first), ps(&second));
            let weights = Some(ws(&weights));
            let test =
                Figure::auroc_difference(first, outcomes, second, outcomes, weights).unwrap();
            assert!(test.value.abs() < 1e-15, "{test:?}");
            assert_eq!((test.standard_error, test.p_value()), (Some(0.0), None), "{test:?}");
        }
    }
    let weights: Vec<f64> = (0..400).map(|i| 1.0 + f64::from(i % 7) / 10.0).collect();
    let blocks = TiedBlocks::new(ps(&first), &perfect, Some(ws(&weights))).unwrap();
    assert_eq!(Figure::auroc(&blocks).unwrap().standard_error, Some(0.0));
}

#[test]
fn placements_with_a_tiny_variance_have_a_standard_error() {
    // Failures of weight w below both successes and of weight 1 between them: the placements of
    // successes are w / (w + 1) and 1, of failures 1 and 1/2.
    for w in [1e4, 1e8, 1e11_f64] {
        let rows = [(0.1, false, w), (0.5, false, 1.0), (0.4, true, 2.0), (0.6, true, 2.0)];
        let error = Figure::auroc(&blocks_of(rows)).unwrap().standard_error.unwrap();
        let all = w + 1.0;
        // The mean squared distance from the mean of two values d apart with shares a and 1 - a
        // is a (1 - a) d^2; as many rows as weight W make W / (W - 1) of it, and W less of a mean.
        let successes = 0.25 / (all * all) * (4.0 / 3.0) / 4.0;
        let failures = w / (all * all) * 0.25 * (all / w) / all;
        let exact = (successes + failures).sqrt();
        approx::assert_relative_eq!(error, exact, epsilon = 0.0, max_relative = 1e-9);
    }
}
