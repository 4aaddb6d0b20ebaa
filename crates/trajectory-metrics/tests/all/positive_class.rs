//! Either class as the positive one, and rank measures of scores that are no probabilities.
use proptest::prelude::*;
use serde_json::Value;
use trajectory_metrics::{
    Bootstrap, Error, Figure, PositiveClass, Probability, Ranking, Seed, TiedBlocks, augrc, aurc,
    auroc, average_precision, excess_aurc, precision_recall_curve, risk_coverage_curve, roc_curve,
};

use crate::common::{Worst, json_rows, ps, ws};

#[test]
fn logits_with_either_class_positive_score_as_in_scikit_learn() {
    let golden: Value =
        serde_json::from_str(include_str!("../golden/positive_class.json")).unwrap();
    let (mut seen, mut worst) = (0, Worst::default());
    let mut close = |found: f64, want: &Value, at: &str| {
        worst.see(found, want.as_f64().unwrap(), 1e-14, at);
    };
    for case in golden["cases"].as_array().unwrap() {
        let (scores, outcomes, weights) = json_rows(case, ["scores", "outcomes"]);
        let weights = weights.as_deref().map(ws);
        let blocks = TiedBlocks::from_scores(&scores, &outcomes, weights).unwrap();
        close(auroc(&blocks).unwrap(), &case["auroc"], "auroc");
        for (positive, name) in
            [(PositiveClass::Failure, "failure"), (PositiveClass::Success, "success")]
        {
            let want = &case[name];
            let precision = average_precision(&blocks, positive).unwrap();
            close(precision, &want["average_precision"], name);
            let roc = roc_curve(&blocks, positive).unwrap();
            let theirs = want["roc"].as_array().unwrap();
            assert_eq!(roc.len(), theirs.len());
            for (point, rates) in roc.iter().zip(theirs) {
                close(point.false_positive_rate, &rates[0], name);
                close(point.true_positive_rate, &rates[1], name);
            }
            let curve = precision_recall_curve(&blocks, positive).unwrap();
            // Beyond full recall scikit-learn's curve may stop.
            let theirs = want["pr"].as_array().unwrap();
            assert!(theirs.len() <= curve.len() && !theirs.is_empty());
            for (point, want) in curve.iter().zip(theirs) {
                close(point.precision, &want[0], name);
                close(point.recall, &want[1], name);
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 48);
    println!("{seen} curves, off by at most {:.1e}", worst.0);
}

#[test]
fn tiny_confidences_stay_distinct_although_their_complements_would_be_equal() {
    let tiny = [1e-20, 3e-20, 2e-20, 4e-20];
    let outcomes = [true, false, false, true];
    let confidence = ps(&tiny);
    let blocks = TiedBlocks::new(confidence, &outcomes, None).unwrap();
    // From the highest: a success, two failures, a success.
    let successes = average_precision(&blocks, PositiveClass::Success).unwrap();
    assert_eq!(successes, (1.0 + 0.5) / 2.0);
    let curve = precision_recall_curve(&blocks, PositiveClass::Success).unwrap();
    let thresholds: Vec<f64> = curve.iter().map(|point| point.threshold.get()).collect();
    assert_eq!(thresholds, [4e-20, 3e-20, 2e-20, 1e-20]);

    let flipped: Vec<Probability> = confidence.iter().map(|p| p.complement()).collect();
    let swapped = outcomes.map(|outcome| !outcome);
    let merged = TiedBlocks::new(&flipped, &swapped, None).unwrap();
    assert_eq!(average_precision(&merged, PositiveClass::Failure), Ok(0.5));
}

#[test]
fn a_missing_class_is_named() {
    let blocks = TiedBlocks::from_scores(&[1.0, 2.0], &[true; 2], None).unwrap();
    assert!(matches!(
        average_precision(&blocks, PositiveClass::Failure),
        Err(Error::OneClass { outcome: true, .. })
    ));
    assert_eq!(average_precision(&blocks, PositiveClass::Success), Ok(1.0));
    let failures = TiedBlocks::from_scores(&[1.0, 2.0], &[false; 2], None).unwrap();
    let one = average_precision(&failures, PositiveClass::Success).unwrap_err();
    assert!(matches!(one, Error::OneClass { outcome: false, .. }));
    assert_eq!(precision_recall_curve(&failures, PositiveClass::Success), Err(one.clone()));
    assert_eq!(roc_curve(&failures, PositiveClass::Success), Err(one));
}

proptest! {
    #[test]
    fn measures_of_scores_and_of_probabilities_have_the_same_bits(
        rows in prop::collection::vec((0..30_u32, any::<bool>(), 1..5_u32), 2..80),
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let (values, outcomes, weights): (Vec<f64>, Vec<bool>, Vec<f64>) =
            rows.iter().map(|&(p, y, w)| (f64::from(p) / 29.0, y, f64::from(w) / 3.0)).collect();
        let weights = weighted.then(|| ws(&weights));
        let confidence = ps(&values);
        let a = TiedBlocks::new(confidence, &outcomes, weights).unwrap();
        let b = TiedBlocks::from_scores(&values, &outcomes, weights).unwrap();
        prop_assert_eq!(auroc(&a), auroc(&b));
        prop_assert_eq!(aurc(&a), aurc(&b));
        prop_assert_eq!(augrc(&a), augrc(&b));
        prop_assert_eq!(excess_aurc(&a), excess_aurc(&b));
        prop_assert_eq!(Figure::auroc(&a), Figure::auroc(&b));
        for positive in [PositiveClass::Failure, PositiveClass::Success] {
            prop_assert_eq!(average_precision(&a, positive), average_precision(&b, positive));
            let (a, b) = (roc_curve(&a, positive), roc_curve(&b, positive));
            prop_assert_eq!(a.is_ok(), b.is_ok());
            for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                prop_assert_eq!(a.threshold.map(f64::from), b.threshold.map(f64::from));
                prop_assert_eq!(a.true_positive_rate, b.true_positive_rate);
                prop_assert_eq!(a.false_positive_rate, b.false_positive_rate);
            }
        }
        let (a, b) = (risk_coverage_curve(&a).unwrap(), risk_coverage_curve(&b).unwrap());
        for (a, b) in a.iter().zip(&b) {
            prop_assert_eq!((a.threshold.get(), a.risk), (b.threshold.get(), b.risk));
        }
        let bootstrap = Bootstrap::rows(rows.len(), Seed(seed)).unwrap();
        let ranked = Ranking::new(confidence, &outcomes).unwrap();
        let scored = Ranking::from_scores(&values, &outcomes).unwrap();
        prop_assert_eq!(bootstrap.auroc(&ranked, 20), bootstrap.auroc(&scored, 20));
    }
}
