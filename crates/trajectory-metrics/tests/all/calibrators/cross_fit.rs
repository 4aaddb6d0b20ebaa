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
    let folds = Folds::halves(traces.outcomes(), &[1, 2, 3]).unwrap();
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
        let folds = Folds::halves(outcomes, &ends).unwrap();
        let uniform = WeightSchedule::Uniform;
        let platt = CrossFit::new(&Platt::default(), &traces, &folds, &uniform).map(drop);
        let isotonic = CrossFit::new(&Isotonic, &traces, &folds, &uniform).map(drop);
        [platt, isotonic]
    };
    let fold = |fold, error| Err(Error::Fold { fold, source: Box::new(error) });
    let empty = || fold(0, Shared::Empty.into());
    assert_eq!(cross(&[]), [empty(), empty()]);
    assert_eq!(cross(&[true, false]), [empty(), empty()]);
    let one_class = fold(0, Error::OneClass { outcome: false });
    assert_eq!(cross(&[true, false, false]), [one_class, Ok(())]);
    assert_eq!(cross(&[true, false, true, false]), [Ok(()), Ok(())]);
    let custom = WeightSchedule::custom(&[Weight::ONE]).unwrap();
    let long = Traces::from_flat(&[0.5; 4], &[2, 4], &[true; 2]).unwrap();
    let folds = Folds::halves(long.outcomes(), &[1, 2]).unwrap();
    let error = CrossFit::new(&Isotonic, &long, &folds, &custom).map(drop);
    assert_eq!(error, Err(Error::ScheduleTooShort { horizon: 2, weights: 1 }));
}
