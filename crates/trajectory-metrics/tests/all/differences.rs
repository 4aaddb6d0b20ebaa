//! Differences between two streams: paired by run, by task, and of streams that share nothing.
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Bootstrap, Error, Folds, Level, Resampling, ScoredStream, Seed, StreamFigure, Summary, Traces,
    Weight, WeightSchedule,
};

use crate::common::{changes as changes_of, level_of, probability, uniform};

/// Runs of a forecaster that tells the chance of success as it is. Each chance is that of the task,
/// moved by what happens in the run.
fn calibrated(chances: &[f64], trials: usize, generator: &mut ChaCha8Rng) -> Traces {
    let mut traces = Traces::default();
    for &chance in chances {
        for _ in 0..trials {
            let moved = (chance + 0.4 * (uniform(generator) - 0.5)).clamp(0.03, 0.97);
            let outcome = uniform(generator) < moved;
            traces.push(&[probability(moved); 2], outcome).unwrap();
        }
    }
    traces
}

fn estimates(
    [first, second]: [&Traces; 2],
    clusters: &[String],
    resamples: usize,
    seed: u64,
) -> Vec<StreamFigure> {
    let bootstrap = Bootstrap::clusters(clusters, Seed(seed)).unwrap();
    let level = level_of(0.95);
    let resampling = Some(Resampling { bootstrap: &bootstrap, resamples, level });
    scored(second).minus(&scored(first), None, resampling).unwrap()
}

fn scored(traces: &Traces) -> ScoredStream {
    let schedule = WeightSchedule::LinearFront;
    ScoredStream::new(traces, &schedule, &Summary::Weighted(schedule.clone())).unwrap()
}

/// Which clusters the runs of two streams belong to.
#[derive(Clone, Copy, Debug)]
enum Design {
    /// Both streams are of the same tasks.
    SharedTasks,
    /// A third of the tasks of each stream is also of the other.
    SomeShared,
    /// No task is shared.
    Apart,
    /// Both streams are of the same runs, one with a noisy copy of the forecasts.
    SameRuns,
}

/// How often the interval of the difference in mean log scores lies below 0, and how often it holds
/// the true difference, over pairs of streams of equally good forecasters.
fn simulated(
    design: Design,
    tasks: usize,
    trials: usize,
    pairs: u64,
    resamples: usize,
) -> (f64, f64) {
    let (mut fired, mut covered) = (0, 0);
    for pair in 0..pairs {
        let mut generator = ChaCha8Rng::seed_from_u64(1_000 + pair);
        let chance = |generator: &mut ChaCha8Rng| 0.1 + 0.8 * uniform(generator);
        let chances: Vec<f64> = (0..2 * tasks).map(|_| chance(&mut generator)).collect();
        let start = match design {
            Design::SharedTasks | Design::SameRuns => 0,
            Design::SomeShared => tasks - tasks / 3,
            Design::Apart => tasks,
        };
        let first = calibrated(&chances[..tasks], trials, &mut generator);
        let second = match design {
            // Neither is better: the noise of each is that of the other in another order.
            Design::SameRuns => noisy(&first, &mut generator),
            _ => calibrated(&chances[start..start + tasks], trials, &mut generator),
        };
        let first = match design {
            Design::SameRuns => noisy(&first, &mut generator),
            _ => first,
        };
        let names = |from: usize| {
            (from..from + tasks).flat_map(move |task| vec![format!("t{task}"); trials])
        };
        let clusters: Vec<String> = names(0).chain(names(start)).collect();
        let found = estimates([&first, &second], &clusters, resamples, pair);
        let interval = found[0].figure.clone().unwrap().interval.unwrap();
        fired += u32::from(interval.high() < 0.0);
        covered += u32::from(interval.contains(0.0));
    }
    (f64::from(fired) / pairs as f64, f64::from(covered) / pairs as f64)
}

/// The forecasts with noise of the same distribution for every run.
fn noisy(traces: &Traces, generator: &mut ChaCha8Rng) -> Traces {
    let mut noisy = Traces::default();
    for trace in traces.iter() {
        let noise = 0.3 * (uniform(generator) - 0.5);
        let moved = (trace.forecasts()[0].get() + noise).clamp(0.03, 0.97);
        noisy.push(&[probability(moved); 2], trace.outcome()).unwrap();
    }
    noisy
}

/// The designs of the two tests below, each with tasks and runs per task; the first takes the first
/// four.
const DESIGNS: [(Design, usize, usize); 5] = [
    (Design::Apart, 200, 1),
    (Design::SharedTasks, 50, 4),
    (Design::Apart, 50, 4),
    (Design::SameRuns, 200, 1),
    (Design::SomeShared, 50, 4),
];

fn check_rates(designs: &[(Design, usize, usize)], pairs: u64, resamples: usize) {
    let rates: Vec<_> = std::thread::scope(|scope| {
        let threads = designs.iter().map(|&(design, tasks, trials)| {
            scope.spawn(move || simulated(design, tasks, trials, pairs, resamples))
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for ((design, tasks, trials), (fired, covered)) in designs.iter().zip(rates) {
        println!("{design:?} {tasks} x {trials}: below 0 {fired:.4}, covers {covered:.4}");
        let case = format!("{design:?} {tasks} x {trials}");
        assert!((0.01..=0.05).contains(&fired), "{case}: below 0 in {fired}");
        assert!((0.93..=0.97).contains(&covered), "{case}: covers {covered}");
    }
}

#[test]
fn the_interval_of_a_difference_of_equal_forecasters_holds_zero_in_95_of_100_pairs() {
    check_rates(&DESIGNS[..4], 400, 500);
}

/// The same with the resamples of a report: `cargo test --release -- --ignored` prints the rates.
#[test]
#[ignore = "takes minutes"]
fn the_interval_of_a_difference_holds_zero_as_often_with_more_pairs_and_resamples() {
    check_rates(&DESIGNS, 2_000, 1_000);
}

/// Runs of 20 tasks, two of each, by two forecasters.
fn pair() -> ([Traces; 2], Vec<String>) {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    let chances: Vec<f64> = (0..20).map(|_| uniform(&mut generator)).collect();
    let first = calibrated(&chances, 2, &mut generator);
    let second = noisy(&first, &mut generator);
    let tasks = (0..40).map(|run| format!("t{:02}", run / 2)).collect();
    ([first, second], tasks)
}

#[test]
fn the_difference_on_the_same_runs_is_that_of_raw_against_calibrated() {
    let ([first, second], tasks) = pair();
    let both = [&tasks[..], &tasks].concat();
    let found = estimates([&first, &second], &both, 100, 7);
    let bootstrap = Bootstrap::clusters(&tasks, Seed(7)).unwrap();
    let schedule = WeightSchedule::LinearFront;
    let folds = Folds::clustered(first.outcomes(), &tasks, 2).unwrap();
    let changes = changes_of([&first, &second], &folds, &schedule, &bootstrap, 100).unwrap();
    assert_eq!(found.len(), changes.len());
    for (found, change) in found.into_iter().zip(changes) {
        assert_eq!(found.measure, change.measure);
        if ["auroc", "average_precision", "aurc"].contains(&found.measure.key) {
            // Those of the change are means over the folds.
            continue;
        }
        if found.measure.key == "t_ece" {
            let why = change.difference.unwrap_err().to_string();
            assert!(why.starts_with("a difference of T-ECEs is undefined"), "{why}");
            assert_eq!(found.figure.unwrap_err().to_string(), why);
            continue;
        }
        let expected = change.difference.unwrap().figure(level_of(0.95));
        assert_eq!(found.figure, Ok(expected));
    }
}

#[test]
fn the_value_is_the_difference_of_two_evaluations_and_swapping_the_streams_turns_its_sign() {
    let ([first, second], tasks) = pair();
    let mut shorter = Traces::default();
    second
        .iter()
        .take(31)
        .for_each(|trace| shorter.push(trace.forecasts(), trace.outcome()).unwrap());
    let clusters = |a: &[String], b: &[String]| [a, b].concat();
    let found = estimates([&first, &shorter], &clusters(&tasks, &tasks[..31]), 50, 1);
    let swapped = estimates([&shorter, &first], &clusters(&tasks[..31], &tasks), 50, 1);
    let alone = |traces| scored(traces).estimates(None, None).unwrap();
    let separate = alone(&first).into_iter().zip(alone(&shorter));
    for ((found, swapped), (first, second)) in found.iter().zip(&swapped).zip(separate) {
        if found.measure.key == "t_ece" {
            assert!(found.figure.is_err() && swapped.figure.is_err());
            continue;
        }
        let (measure, [found, swapped, first, second]) =
            (found.measure, [found, swapped, &first, &second].map(|it| it.figure.clone().unwrap()));
        assert_eq!(found.value, second.value - first.value, "{}", measure.key);
        assert_eq!(swapped.value, -found.value);
        let [found, swapped] = [found, swapped].map(|of| of.interval.unwrap());
        assert!((found.low() + swapped.high()).abs() < 1e-12);
    }
}

#[test]
fn a_weight_of_2_is_the_row_twice() {
    let ([first, second], tasks) = pair();
    let weights: Vec<Weight> =
        (0..80).map(|row| Weight::new(if row % 3 == 0 { 2.0 } else { 1.0 }).unwrap()).collect();
    let level = level_of(0.95);
    let both = [&tasks[..], &tasks].concat();
    let bootstrap = Bootstrap::clusters(&both, Seed(5)).unwrap();
    let resampling = Some(Resampling { bootstrap: &bootstrap, resamples: 50, level });
    let weighted = scored(&second).minus(&scored(&first), Some(&weights), resampling).unwrap();
    let doubled = |traces: &Traces, offset: usize| {
        let (mut out, mut own) = (Traces::default(), Vec::new());
        for (row, trace) in traces.iter().enumerate() {
            for _ in 0..1 + usize::from((row + offset).is_multiple_of(3)) {
                out.push(trace.forecasts(), trace.outcome()).unwrap();
                own.push(tasks[row].clone());
            }
        }
        (out, own)
    };
    let ((first, of_first), (second, of_second)) = (doubled(&first, 0), doubled(&second, 40));
    let found = estimates([&first, &second], &[of_first, of_second].concat(), 50, 5);
    let is_defined = |found: &&StreamFigure| found.measure.key != "t_ece";
    for (weighted, found) in weighted.iter().zip(&found).filter(|(it, _)| is_defined(it)) {
        let [weighted, found] = [weighted, found].map(|of| of.figure.clone().unwrap().value);
        assert!((weighted - found).abs() < 1e-12);
    }
}

#[test]
fn a_stream_of_one_cluster_has_no_interval_and_an_empty_one_no_difference() {
    let ([first, second], tasks) = pair();
    let one = vec!["u".to_owned(); 40];
    for clusters in [[&tasks[..], &one].concat(), [&one[..], &tasks].concat()] {
        for found in estimates([&first, &second], &clusters, 20, 1) {
            assert!(found.figure.map_or(true, |it| it.interval.is_err()));
        }
    }
    let none = Traces::default();
    for pair in [[&none, &first], [&first, &none]] {
        let [first, second] = pair.map(scored);
        assert_eq!(second.minus(&first, None, None), Err(Shared::Empty.into()));
    }
    let bootstrap = Bootstrap::clusters(&tasks, Seed(1)).unwrap();
    let resampling = Resampling { bootstrap: &bootstrap, resamples: 5, level: Level::HALF };
    let short = scored(&second).minus(&scored(&first), None, Some(resampling));
    assert!(
        matches!(short, Err(Error::ScoringRules(Shared::Length { expected: 80, found: 40, .. }))),
        "{short:?}"
    );
}
