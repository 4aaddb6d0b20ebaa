use scoring_rules::Error as Shared;
use trajectory_metrics::{
    CalibrationMap, Calibrator, CrossFit, Error, Folds, Isotonic, Platt, Probability, TiedBlocks,
    Traces, Weight, WeightSchedule,
};

/// Keeps the records on which it was fitted.
#[derive(Debug)]
struct Recorder;

#[derive(Debug)]
struct Recorded(Vec<(f64, bool, f64)>);

impl CalibrationMap for Recorded {
    fn apply(&self, _: Probability) -> Probability {
        Probability::HALF
    }
}

impl Calibrator for Recorder {
    type Map = Recorded;

    fn fit_blocks(&self, blocks: &TiedBlocks) -> Result<Recorded, Error> {
        let records = blocks.as_slice().iter().flat_map(|block| {
            let p = block.confidence.get();
            [(p, false, block.failures), (p, true, block.successes)]
        });
        Ok(Recorded(records.filter(|(.., weight)| *weight > 0.0).collect()))
    }
}

#[test]
fn every_step_outside_a_fold_is_a_record_with_its_weight_under_the_schedule() {
    let traces =
        Traces::from_flat(&[0.1, 0.2, 0.3, 0.4, 0.5], &[2, 3, 5], &[true, true, false]).unwrap();
    let folds = Folds::new(traces.outcomes(), &[1, 2, 3], 2).unwrap();
    let fitted = CrossFit::new(&Recorder, &traces, &folds, &WeightSchedule::LinearFront).unwrap();
    let (first, second) = (2.0 / 3.0, 1.0 / 3.0);
    let records =
        [(0.1, true, first), (0.2, true, second), (0.4, false, first), (0.5, false, second)];
    let recorded: Vec<_> = fitted.maps.iter().map(|Recorded(records)| &records[..]).collect();
    assert_eq!(recorded, [&[(0.3, true, 1.0)][..], &records]);
    assert!(fitted.traces.iter().all(|t| t.forecasts()[0] == Probability::HALF));
}

#[test]
fn a_fold_with_too_few_traces_outside_it_is_named() {
    let cross = |outcomes: &[bool]| {
        let forecasts = vec![0.5; outcomes.len()];
        let ends: Vec<usize> = (1..=outcomes.len()).collect();
        let traces = Traces::from_flat(&forecasts, &ends, outcomes).unwrap();
        let folds = Folds::new(outcomes, &ends, 2).unwrap();
        let uniform = WeightSchedule::Uniform;
        let platt = CrossFit::new(&Platt::default(), &traces, &folds, &uniform).map(drop);
        let isotonic = CrossFit::new(&Isotonic, &traces, &folds, &uniform).map(drop);
        [platt, isotonic]
    };
    let of_first_fold = |result: &Result<(), Error>| match result {
        Err(Error::Fold { fold: 0, source, .. }) => Some((**source).clone()),
        _ => None,
    };
    for outcomes in [&[][..], &[true, false]] {
        for result in &cross(outcomes) {
            assert_eq!(of_first_fold(result), Some(Shared::Empty.into()));
        }
    }
    let [platt, isotonic] = cross(&[true, false, false]);
    let one_class = of_first_fold(&platt).unwrap();
    assert!(matches!(one_class, Error::OneClass { outcome: false, .. }));
    assert_eq!(isotonic, Ok(()));
    assert_eq!(cross(&[true, false, true, false]), [Ok(()), Ok(())]);
    let custom = WeightSchedule::custom(&[Weight::ONE]).unwrap();
    let long = Traces::from_flat(&[0.5; 4], &[2, 4], &[true; 2]).unwrap();
    let folds = Folds::new(long.outcomes(), &[1, 2], 2).unwrap();
    let error = CrossFit::new(&Isotonic, &long, &folds, &custom).map(drop);
    assert!(matches!(error, Err(Error::ScheduleTooShort { horizon: 2, weights: 1, .. })));
}
