use scoring_rules::Error as Shared;
use trajectory_metrics::{Error, Folds};

#[test]
fn traces_of_one_outcome_take_turns_in_the_order_of_their_ids() {
    let outcomes = [true, false, true, true, false, true];
    let ids = [9, 5, 2, 4, 1, 7];
    assert_eq!(Folds::new(&outcomes, &ids, 2).unwrap().of_each(), [1, 1, 0, 1, 0, 0]);
    assert_eq!(Folds::new(&outcomes, &ids, 3).unwrap().of_each(), [0, 1, 0, 1, 0, 2]);
    assert_eq!(Folds::new(&[true; 4], &["same"; 4], 2).unwrap().of_each(), [0, 1, 0, 1]);
}

#[test]
fn clusters_go_to_folds_with_few_of_their_outcomes() {
    // Two clusters of failures, two of successes, one of each size: a greedy split by size alone
    // would put all failures into one fold.
    let clusters = ["f", "f", "f", "s", "s", "g", "g", "t"];
    let outcomes = [false, false, false, true, true, false, false, true];
    let folds = Folds::clustered(&outcomes, &clusters, 2).unwrap();
    assert_eq!(folds.of_each(), [0, 0, 0, 1, 1, 1, 1, 0]);
}

#[test]
fn a_cluster_goes_to_the_fold_with_the_smallest_shares_of_its_outcomes() {
    // The largest goes first, c to fold 0; of equal ones that with more failures, b, to the
    // fold with fewer traces. Then a, with 1/4 of the successes and 1/3 of the failures: in
    // fold 0 it meets 3/4 of the successes, 3/4 * 1/4, in fold 1 2/3 of the failures, 2/3 * 1/3
    // is more.
    let clusters = ["a", "a", "b", "b", "c", "c", "c"];
    let outcomes = [false, true, false, false, true, true, true];
    let folds = Folds::clustered(&outcomes, &clusters, 2).unwrap();
    assert_eq!(folds.of_each(), [0, 0, 1, 1, 0, 0, 0]);
}

#[test]
fn invalid_numbers_of_folds_and_lengths_are_refused() {
    for k in [0, 1] {
        let error = Folds::new(&[true], &[1], k).unwrap_err();
        assert!(matches!(error, Error::ScoringRules(Shared::Setting { name: "folds", .. })));
    }
    let error = Folds::clustered(&[true], &["a", "b"], 2).unwrap_err();
    assert_eq!(error, scoring_rules::checks::length("clusters", 1, 2).into());
    for k in [1 << 17, 1 << 26, usize::MAX] {
        let error = Folds::clustered(&[true, false], &[1, 2], k).unwrap_err();
        assert!(matches!(error, Error::ScoringRules(Shared::Setting { name: "folds", .. })));
        assert!(Folds::new(&[true, false], &[1, 2], k).is_err());
    }
    let lonely = Folds::clustered(&[true, false], &["a", "a"], 3).unwrap();
    assert_eq!((lonely.of_each(), lonely.count()), (&[0, 0][..], 3));
}
