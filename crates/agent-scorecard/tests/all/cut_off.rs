//! Runs that a budget cut off. A stream that misstates the chance of runs that were cut off must never get a better
//! exact mean than one that states it, whatever the chances come from.

use std::collections::BTreeMap;

use agent_scorecard::{
    Block, Error, Report, Value,
    censoring::{CensoringAssumption, Continuations, StopReason, Tps, WeightSchedule},
    cut_off,
    cut_off::{CutOffOptions, METRICS},
    traces::{Calibration, TraceFile, TraceRun},
    trajectory_metrics::{LogScore, Probability},
};
use serde_json::Value as Json;

/// Numbers in [0, 1) from a seed (splitmix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

#[derive(Clone)]
struct OneRun {
    id: String,
    steps: usize,
    /// The true chance of success at every step.
    chance: f64,
    /// `None` if it was cut off.
    outcome: Option<bool>,
    /// How many of ten continuations succeeded.
    successes: u64,
}

impl OneRun {
    fn is_cut_off(&self) -> bool {
        self.outcome.is_none()
    }
}

/// Runs, each with a chance of success that is drawn together with whether the run is cut off.
fn drawn(seed: u64, n: usize, kind: impl Fn(&mut Draws) -> (f64, bool)) -> Vec<OneRun> {
    let mut draws = Draws(seed);
    let one = |i: usize| {
        let (chance, is_cut_off) = kind(&mut draws);
        let succeeded = draws.next() < chance;
        let successes = (0..10).filter(|_| draws.next() < chance).count() as u64;
        // Complete runs go on after every step at which runs are cut off.
        let steps = 1 + draws.below(10) + usize::from(!is_cut_off);
        let outcome = (!is_cut_off).then_some(succeeded);
        OneRun { id: format!("run-{i}"), steps, chance, outcome, successes }
    };
    (0..n).map(one).collect()
}

/// Runs have a state that only a forecaster sees: those that are stuck are cut off most often, and others never.
fn world(seed: u64, n: usize, stuck: &[f64]) -> Vec<OneRun> {
    drawn(seed, n, |draws| {
        let is_stuck = draws.next() < 0.61;
        let chance = if is_stuck { stuck[draws.below(stuck.len())] } else { 0.9 };
        (chance, draws.next() < 0.7 && is_stuck)
    })
}

/// Runs whose chance of success is the same whatever they show, cut off at random: the turn says all.
fn plain_world(seed: u64, n: usize) -> Vec<OneRun> {
    drawn(seed, n, |draws| (0.2, draws.next() < 0.4))
}

fn p(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

/// A forecast moved by this much in log-odds.
fn moved(chance: f64, by: f64) -> f64 {
    1.0 / (1.0 + (-((chance / (1.0 - chance)).ln() + by)).exp())
}

/// The runs with one forecast at every step.
fn stream(file: &str, runs: &[OneRun], forecast: impl Fn(usize, &OneRun) -> f64) -> TraceFile {
    let run = |(i, run): (usize, &OneRun)| TraceRun {
        id: run.id.clone(),
        task: Some(format!("task-{}", i / 4)),
        forecasts: vec![p(forecast(i, run)); run.steps],
        outcome: run.outcome,
        stop: run.is_cut_off().then_some(StopReason::MaxSteps),
        line: Some(i + 1),
        ..TraceRun::default()
    };
    TraceFile::new(file, runs.iter().enumerate().map(run))
}

fn truth(runs: &[OneRun]) -> TraceFile {
    stream("truth", runs, |_, run| run.chance)
}

/// A stream of the same information on another scale, which no scored stream is.
fn other(run: &OneRun) -> f64 {
    let log_odds = 0.6 * (run.chance / (1.0 - run.chance)).ln() + 0.3;
    1.0 / (1.0 + (-log_odds).exp())
}

/// Streams that lie: on runs that were cut off and there only, on all runs, and by repeating the stream that teaches.
fn liars(runs: &[OneRun]) -> Vec<TraceFile> {
    let cut_off = |lie: &dyn Fn(usize, &OneRun) -> f64, file: &str| {
        stream(file, runs, |i, run| if run.is_cut_off() { lie(i, run) } else { run.chance })
    };
    let mean = {
        let chances: Vec<f64> =
            runs.iter().filter(|run| run.is_cut_off()).map(|run| run.chance).collect();
        chances.iter().sum::<f64>() / chances.len() as f64
    };
    vec![
        cut_off(&|_, _| 0.9, "0.9 after stops"),
        cut_off(&|_, _| 0.99, "0.99 after stops"),
        cut_off(&|_, _| 0.6, "0.6 after stops"),
        cut_off(&|_, _| 0.01, "0.01 after stops"),
        cut_off(&|_, run| moved(run.chance, 1.0), "up after stops"),
        cut_off(&|_, run| moved(run.chance, -1.0), "down after stops"),
        cut_off(&|i, run| if i.is_multiple_of(2) { run.chance } else { 0.9 }, "half after stops"),
        // Right on the average of the runs that were cut off.
        cut_off(&|_, _| mean, "their mean after stops"),
        cut_off(&|_, run| other(run), "the teacher after stops"),
        stream("up", runs, |_, run| moved(run.chance, 0.7)),
        stream("down", runs, |_, run| moved(run.chance, -0.7)),
        stream("the teacher", runs, |_, run| other(run)),
    ]
}

fn by_id<T>(
    runs: &[OneRun],
    keep: impl Fn(usize) -> bool,
    value: impl Fn(&OneRun) -> T,
) -> BTreeMap<String, T> {
    let cut_off = runs.iter().enumerate().filter(|(i, run)| run.is_cut_off() && keep(*i));
    cut_off.map(|(_, run)| (run.id.clone(), value(run))).collect()
}

fn continued(run: &OneRun) -> Continuations {
    let (successes, failures) = (run.successes, 10 - run.successes);
    Continuations { successes, failures, ..Continuations::default() }
}

fn plain() -> CutOffOptions {
    CutOffOptions { resamples: 0, ..CutOffOptions::default() }
}

/// Every source of chances, alone and together with others, by name.
fn sources(runs: &[OneRun]) -> Vec<(&'static str, CutOffOptions)> {
    let chances = |keep: fn(usize) -> bool| by_id(runs, keep, |run| p(run.chance));
    let branches = |keep: fn(usize) -> bool| Some(by_id(runs, keep, continued));
    let teachers = || vec![stream("teacher", runs, |_, run| other(run))];
    vec![
        ("turn and task", plain()),
        ("given", CutOffOptions { given: chances(|_| true), ..plain() }),
        ("some given", CutOffOptions { given: chances(|i| i % 8 < 4), ..plain() }),
        ("continuations", CutOffOptions { continuations: branches(|_| true), ..plain() }),
        ("some continuations", CutOffOptions { continuations: branches(|i| i % 8 < 4), ..plain() }),
        ("teacher", CutOffOptions { teachers: teachers(), ..plain() }),
        (
            "teacher and some continuations",
            CutOffOptions {
                teachers: teachers(),
                continuations: branches(|i| i % 8 < 4),
                ..plain()
            },
        ),
        (
            "all of them",
            CutOffOptions {
                given: chances(|i| i % 5 == 0),
                continuations: branches(|i| i % 5 < 3),
                teachers: teachers(),
                ..plain()
            },
        ),
    ]
}

fn json(report: &Report) -> Json {
    serde_json::to_value(report).unwrap()
}

/// The standard error of the difference of two streams that comes from what happened by chance: the outcomes of
/// complete runs, and those of continuations.
fn noise(runs: &[OneRun], streams: [&TraceFile; 2], options: &CutOffOptions) -> f64 {
    let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), options.schedule.clone());
    let variance = |(at, run): (usize, &OneRun)| {
        let gain = streams.map(|stream| {
            let forecasts = stream.runs.forecasts(at);
            let score = |outcome| tps.prefix_score(forecasts, outcome, forecasts.len()).unwrap();
            score(true) - score(false)
        });
        let draws = if run.is_cut_off() { 10.0 } else { 1.0 };
        run.chance * (1.0 - run.chance) * (gain[0] - gain[1]).powi(2) / draws
    };
    runs.iter().enumerate().map(variance).sum::<f64>().sqrt() / runs.len() as f64
}

/// What is lost to rounding.
const ROUNDING: f64 = 1e-12;

/// The exact means of a report by column; `None` where they are undefined.
fn exact_means(report: &Report) -> Vec<Option<f64>> {
    report.columns.iter().map(|column| column.block.number("exact_plug_in")).collect()
}

#[test]
fn a_stream_that_lies_never_beats_the_truth_under_any_source_of_chances_and_any_option() {
    // One chance for all runs that are stuck, two, and one for all runs.
    let worlds = [world(1, 2_000, &[0.2]), world(3, 2_000, &[0.1, 0.3]), plain_world(20, 2_000)];
    let mut scored: BTreeMap<&str, usize> = BTreeMap::new();
    for runs in &worlds {
        let (truth, liars) = (truth(runs), liars(runs));
        for (source, own) in sources(runs) {
            let with = |change: &dyn Fn(&mut CutOffOptions)| {
                let mut options = own.clone();
                change(&mut options);
                options
            };
            let options = [
                own.clone(),
                with(&|it| it.calibration = Calibration::Platt),
                with(&|it| {
                    (it.calibration, it.schedule) =
                        (Calibration::Isotonic, WeightSchedule::Uniform);
                }),
                with(&|it| {
                    it.assumption = CensoringAssumption::FailureSide;
                    (it.odds_ratio, it.min_valid, it.seed) = (4.0, 3, 9);
                    (it.hide, it.schedule) = (Some(p(0.5)), WeightSchedule::LinearBack);
                }),
            ];
            for (option, options) in options.iter().enumerate() {
                // Each liar beside the truth alone; under further options all of them together, which is faster.
                let (alone, together): (Vec<_>, Vec<_>) = liars.iter().partition(|_| option == 0);
                let together: Vec<&TraceFile> =
                    together.into_iter().filter(|it| !it.file.starts_with("the teacher")).collect();
                let groups = alone.into_iter().map(|liar| vec![liar]).chain([together]);
                for group in groups.filter(|group| !group.is_empty()) {
                    let columns: Vec<TraceFile> =
                        std::iter::once(&truth).chain(group.iter().copied()).cloned().collect();
                    let report = match cut_off(&columns, options) {
                        Ok(report) => report,
                        // A stream that would teach its own chances is refused.
                        Err(Error::Options { options, .. }) => {
                            assert_eq!(options, ["--chance-from"]);
                            assert!(group[0].file.starts_with("the teacher"), "{}", group[0].file);
                            continue;
                        }
                        Err(error) => panic!("{source}, option {option}: {error}"),
                    };
                    let pairs = &json(&report)["pairs"];
                    // The truth is the first of the first pairs.
                    for (at, liar) in group.into_iter().enumerate() {
                        assert_eq!(pairs[at]["second"], liar.file.as_str());
                        let Some(difference) = pairs[at]["difference"].as_f64() else { continue };
                        // Lies after stops alone differ from the truth where no outcome was drawn. The others, and
                        // maps that are fitted, depend on outcomes, which happened by chance.
                        let is_drawn = option == 1 || option == 2 || !liar.file.ends_with("stops");
                        let noise =
                            if is_drawn { noise(runs, [&truth, liar], options) } else { 0.0 };
                        assert!(
                            difference >= -1.96 * noise - ROUNDING,
                            "{source}, option {option}, {:?}: {difference} of noise {noise}",
                            liar.file
                        );
                        *scored.entry(source).or_default() += 1;
                    }
                }
            }
        }
    }
    // What is refused or undefined is not all there is.
    let least = [("given", 110), ("continuations", 110), ("teacher", 40), ("turn and task", 20)];
    assert!(least.iter().all(|(source, least)| scored[source] >= *least), "{scored:?}");
}

#[test]
fn a_stream_that_lies_does_not_gain_by_being_scored_alone() {
    let runs = world(3, 2_000, &[0.1, 0.3]);
    let truth = truth(&runs);
    for (source, options) in sources(&runs) {
        let alone = |stream: &TraceFile| {
            Some(exact_means(&cut_off(std::slice::from_ref(stream), &options).ok()?)[0])
        };
        let best = alone(&truth).unwrap();
        for liar in liars(&runs) {
            let Some(Some(mean)) = alone(&liar) else { continue };
            let noise = 1.96 * noise(&runs, [&truth, &liar], &options);
            assert!(best.is_none_or(|best| mean <= best + noise), "{source}: {:?}", liar.file);
        }
    }
}

/// Gives a run of a stream a chance.
fn with_chance(stream: TraceFile, id: &str, chance: f64) -> TraceFile {
    changed(stream, |run| {
        let own = if run.id == id { Some(p(chance)) } else { run.success_chance };
        TraceRun { success_chance: own, ..run }
    })
}

/// The stream with each run changed.
fn changed(stream: TraceFile, change: impl Fn(TraceRun) -> TraceRun) -> TraceFile {
    TraceFile { runs: stream.runs.iter().map(change).collect(), ..stream }
}

fn without_last(stream: &TraceFile) -> TraceFile {
    let kept = stream.runs.len() - 1;
    TraceFile { runs: stream.runs.iter().take(kept).collect(), ..stream.clone() }
}

#[test]
fn two_chances_of_one_run_are_an_error_in_whatever_columns_they_stand() {
    let runs = world(4, 300, &[0.2]);
    let id = &runs.iter().find(|run| run.is_cut_off()).unwrap().id;
    let first = with_chance(truth(&runs), id, 0.25);
    let lie = stream("lie", &runs, |_, _| 0.9);
    // The other column has the same runs, or one less, so that they are not compared in pairs.
    let less = without_last(&lie);
    assert!(lie.runs.id(lie.runs.len() - 1) != id);
    // Another horizon does not make it another run.
    let longer = changed(lie.clone(), |run| TraceRun { horizon: Some(40), ..run });
    for second in [lie, less, longer] {
        let error =
            cut_off(&[first.clone(), with_chance(second, id, 0.875)], &plain()).unwrap_err();
        let said = error.to_string();
        let (of, rest) = said.split_once(": field success_chance: ").unwrap();
        let start = format!("0.875 for the run {id:?}, but 0.25 in truth:");
        assert!(of.starts_with("lie:") && rest.starts_with(&start), "{said}");
    }
    let given = BTreeMap::from([(id.clone(), p(0.5))]);
    let error = cut_off(&[first], &CutOffOptions { given, ..plain() }).unwrap_err();
    assert!(error.to_string().contains(": 0.25 for the run"), "{error}");
}

#[test]
fn a_chance_that_one_column_gives_is_that_of_the_run_in_every_column() {
    let runs = world(4, 300, &[0.2]);
    let first = changed(truth(&runs), |run| {
        let chance = if run.outcome.is_none() { Some(p(0.2)) } else { None };
        TraceRun { success_chance: chance, ..run }
    });
    let lie = stream("lie", &runs, |_, run| if run.is_cut_off() { 0.9 } else { run.chance });
    let less = without_last(&lie);
    for second in [lie, less] {
        let report = cut_off(&[first.clone(), second], &plain()).unwrap();
        let means = exact_means(&report);
        assert!(means[0].unwrap() > means[1].unwrap() + 0.1, "{means:?}");
        let json = json(&report);
        assert_eq!(json["files"][1]["success_chance"]["source"], "given");
    }
    // Nothing tells the truth from a copy of the forecasts.
    let report = cut_off(&[first], &plain()).unwrap();
    assert!(report.notes().iter().any(|note| note.contains("last forecasts of the scored stream")));
}

#[test]
fn with_the_right_continuations_the_interval_holds_the_exact_mean_at_the_true_chances() {
    for seed in 10..14 {
        let runs = world(seed, 2_000, &[0.1, 0.3]);
        let stream = [truth(&runs)];
        let given = by_id(&runs, |_| true, |run| p(run.chance));
        let known = exact_means(&cut_off(&stream, &CutOffOptions { given, ..plain() }).unwrap());
        let continuations = Some(by_id(&runs, |_| true, continued));
        let options = CutOffOptions { continuations, resamples: 200, ..CutOffOptions::default() };
        let report = json(&cut_off(&stream, &options).unwrap());
        let row = &report["files"][0]["report"]["comparisons"][0];
        assert_eq!((&row["rule"], &row["schedule"]), (&"log".into(), &"linear-front".into()));
        let [low, high] = ["ci_low", "ci_high"].map(|end| row["exact"][end].as_f64().unwrap());
        let known = known[0].unwrap();
        assert!(low <= known && known <= high, "{seed}: {known} in [{low}, {high}]");
        assert_eq!(report["files"][0]["success_chance"]["source"], "continuations");
    }
}

#[test]
fn a_model_of_turn_and_task_is_used_where_no_stream_knows_more_and_says_so() {
    let runs = plain_world(20, 2_000);
    let report = cut_off(&[truth(&runs)], &plain()).unwrap();
    let json = json(&report);
    let file = &json["files"][0];
    assert!((file["mean_success_chance"]["value"].as_f64().unwrap() - 0.2).abs() < 0.03, "{file}");
    let source = &file["success_chance"];
    assert_eq!((&source["source"], &source["n_model"]), (&"model".into(), &file["n_censored"]));
    assert_eq!(source["model"]["features"][0], "turn");
    assert_eq!(source["model"]["taught_by"], "complete runs");
    let notes = report.notes();
    let note = notes.iter().find(|note| note.starts_with("success chance: ")).unwrap();
    for words in [
        "by a model with the features turn",
        "complete runs of other tasks",
        "resamples keep the model fixed",
    ] {
        assert!(note.contains(words), "{words}: {note}");
    }
}

#[test]
fn a_model_that_learns_from_a_stream_of_the_same_information_comes_close_to_the_true_chances() {
    let runs = world(1, 2_000, &[0.2]);
    let given = by_id(&runs, |_| true, |run| p(run.chance));
    let options = |change: CutOffOptions| {
        exact_means(&cut_off(&[truth(&runs)], &change).unwrap())[0].unwrap()
    };
    let known = options(CutOffOptions { given, ..plain() });
    let teachers = vec![stream("teacher", &runs, |_, run| other(run))];
    let modelled = options(CutOffOptions { teachers, ..plain() });
    assert!((modelled - known).abs() < 0.03, "{modelled} {known}");
}

#[test]
fn without_a_credible_source_the_exact_mean_is_null_and_says_what_would_be_one() {
    // All runs that were cut off had the longest length.
    let mut one_budget = plain_world(21, 2_000);
    one_budget.iter_mut().filter(|run| run.is_cut_off()).for_each(|run| run.steps = 11);
    let hidden = world(22, 2_000, &[0.2]);
    for (runs, why) in [
        (one_budget, "no complete run has more steps"),
        (hidden, "have information about outcomes"),
    ] {
        let report = cut_off(&[truth(&runs)], &plain()).unwrap();
        let file = &json(&report)["files"][0];
        assert_eq!(file["exact_plug_in"]["value"], Json::Null);
        assert_eq!(file["success_chance"]["source"], "undefined");
        assert_eq!(file["success_chance"]["n_unknown"], file["n_censored"]);
        let notes = report.notes();
        let note = notes.iter().find(|note| note.starts_with("exact_plug_in: undefined")).unwrap();
        assert!(note.contains(why) && note.contains("--continuations"), "{note}");
    }
}

#[test]
fn a_stream_that_would_teach_its_own_chances_is_refused() {
    let runs = world(5, 2_000, &[0.2]);
    let lie = stream("lie", &runs, |_, run| if run.is_cut_off() { 0.9 } else { run.chance });
    let copy = stream("copy", &runs, |_, run| if run.is_cut_off() { 0.9 } else { 0.5 });
    let nearly =
        |i: usize, run: &OneRun| if run.is_cut_off() { 0.9 - 1e-6 * (i % 7) as f64 } else { 0.5 };
    let nearly = stream("nearly", &runs, nearly);
    let refused = |columns: &[TraceFile], teacher: &TraceFile| {
        let options = CutOffOptions { teachers: vec![teacher.clone()], ..plain() };
        let error = cut_off(columns, &options).unwrap_err();
        let Error::Options { options, problem } = &error else { panic!("{error}") };
        assert_eq!(*options, ["--chance-from"]);
        assert!(problem.starts_with(&teacher.file), "{problem}");
        problem.clone()
    };
    let less = without_last(&lie);
    // Whichever column it repeats, also one of other runs.
    for columns in [vec![truth(&runs), lie.clone()], vec![lie.clone()], vec![truth(&runs), less]] {
        for teacher in [&lie, &copy, &nearly] {
            assert!(refused(&columns, teacher).contains("its own chance"));
        }
    }
    // Runs that the other stream does not have, and other runs.
    let short = stream("short", &runs[..100], |_, _| 0.5);
    assert!(refused(&[truth(&runs)], &short).contains("has no run \"run-100\""));
    let mut longer = runs.clone();
    longer[7].steps += 1;
    assert!(refused(&[truth(&runs)], &truth(&longer)).contains("forecasts of the run \"run-7\""));
}

#[test]
fn an_id_of_chances_or_continuations_must_not_name_different_runs() {
    let runs = world(5, 100, &[0.2]);
    let cut_off_run = runs.iter().position(OneRun::is_cut_off).unwrap();
    let mut longer = runs.clone();
    longer[cut_off_run].steps += 1;
    let columns = [truth(&runs), truth(&longer)];
    let id = |run: &OneRun| run.id == runs[cut_off_run].id;
    let given = by_id(&runs, |i| id(&runs[i]), |_| p(0.5));
    let continuations = Some(by_id(&runs, |i| id(&runs[i]), continued));
    for (own, name) in [
        (CutOffOptions { given, ..plain() }, "--success-chance"),
        (CutOffOptions { continuations, ..plain() }, "--continuations"),
    ] {
        let error = cut_off(&columns, &own).unwrap_err();
        assert!(matches!(error, Error::Options { options: [of], .. } if *of == name), "{error}");
    }
}

#[test]
fn counts_by_source_are_stated_where_sources_are_mixed() {
    let runs = world(6, 2_000, &[0.2]);
    let options = CutOffOptions {
        given: by_id(&runs, |i| i % 5 == 0, |run| p(run.chance)),
        continuations: Some(by_id(&runs, |i| i % 5 < 3, continued)),
        ..plain()
    };
    let file = &json(&cut_off(&[truth(&runs)], &options).unwrap())["files"][0];
    let source = &file["success_chance"];
    let counts = ["n_given", "n_continuations", "n_model", "n_unknown"];
    let [given, continued, model, unknown] = counts.map(|key| source[key].as_u64().unwrap());
    assert_eq!(given + continued + model, file["n_censored"].as_u64().unwrap());
    assert!(given > 100 && continued > 200 && model > 200 && unknown == 0, "{source}");
    assert_eq!(source["source"], "hybrid");
    assert_eq!(source["model"]["taught_by"], "continuations");
}

#[test]
fn every_metric_is_in_the_report_with_its_value_or_the_reason_why_it_has_none() {
    let runs = plain_world(20, 400);
    let known = Some(runs.iter().map(|run| (run.id.clone(), p(run.chance))).collect());
    let report = cut_off(&[truth(&runs)], &CutOffOptions { known, ..plain() }).unwrap();
    let block: &Block = &report.columns[0].block;
    let nothing = cut_off(&[TraceFile::new("", [])], &plain()).unwrap();
    for metric in &METRICS {
        let key = metric.measure.key;
        assert!(matches!(block.get(key), Some(Value::Figure(_, Ok(_)))), "{key}");
        let undefined = &json(&nothing)["files"][0][key];
        assert!(undefined["value"].is_null() && undefined.is_object(), "{key}");
        let notes = nothing.notes();
        assert!(notes.iter().any(|note| note.starts_with(&format!("{key}: undefined"))), "{key}");
    }
    assert!(report.together.pictures.contains_key("treatments"));
    assert!(nothing.together.pictures.is_empty());
}

#[test]
fn a_stream_that_repeats_half_of_the_last_forecasts_may_supply_chances() {
    let runs = world(5, 2_000, &[0.2]);
    let half = |i: usize, run: &OneRun| if i.is_multiple_of(2) { run.chance } else { other(run) };
    let accepts = |forecast: &dyn Fn(usize, &OneRun) -> f64| {
        let teachers = vec![stream("teacher", &runs, forecast)];
        cut_off(&[truth(&runs)], &CutOffOptions { teachers, ..plain() }).is_ok()
    };
    assert!(accepts(&half) && !accepts(&|_, run| run.chance));
}

#[test]
fn two_columns_stand_beside_each_other_at_every_treatment() {
    let runs = world(5, 200, &[0.2]);
    let columns = [truth(&runs), stream("other", &runs, |_, run| other(run))];
    let report = cut_off(&columns, &plain()).unwrap();
    let first = report.together.pictures["treatments"].series.iter().map(|series| series.x[0]);
    assert_eq!(first.collect::<Vec<_>>(), [-0.125, 0.125]);
}
