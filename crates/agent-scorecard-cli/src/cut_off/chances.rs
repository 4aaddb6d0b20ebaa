//! The chance of success after each stop: as it is given, from continuations, or by a model of what is
//! not scored. No forecast that is scored ever teaches a chance, since an exact score at such a chance
//! would confirm the forecast whether it is right or wrong.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use censoring::{
    Continuations, CrossFitSuccess, Folds, LogisticSuccess, LogisticSuccessModel, Weight,
    cross_fit_success, hybrid_success_probabilities, plug_in_bias, prefix_features,
};
use serde::{Deserialize, Serialize};
use trajectory_metrics::{LogScore, Probability, Tps};

use agent_scorecard::traces::TraceRun;

use crate::{
    cut_off::sample::Sample,
    files::json_lines::{self, InputError},
    output::program::with_causes,
    traces::trace_file::{self, TraceFile},
};

/// Forecasts are clipped into this and one minus it before their log-odds are taken.
const CLIP: f64 = 1e-6;

/// Folds of the model of success.
const FOLDS: usize = 5;

/// Tasks with two complete runs from which on the success rate of the other runs of a task is a feature, and
/// tasks from which on a model can be checked.
const LEAST_TASKS: usize = 50;

/// A statistic beyond this one, of 1 in 20 if a model is right, says that a model is not.
const LARGEST_STATISTIC: f64 = 1.96;

/// The share of the cut-off runs for which no complete run went further that a model may have.
const LARGEST_UNCOVERED: f64 = 0.05;

/// Where the chances come from, as the options say.
#[derive(Default)]
pub(crate) struct Sources {
    /// A file of chances by the ids of their runs.
    pub(crate) given: Option<(PathBuf, BTreeMap<String, Probability>)>,
    /// A file of continuations by the ids of their runs.
    pub(crate) continuations: Option<(PathBuf, BTreeMap<String, Continuations>)>,
    /// Outcomes that a run needs among its continuations.
    pub(crate) min_valid: u64,
    /// Streams that are not scored, from whose forecasts a model may learn.
    pub(crate) teachers: Vec<(PathBuf, TraceFile)>,
}

/// Where the chances of one file come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SuccessChance {
    /// `given`, `continuations` or `model`; `hybrid` for more than one of these; `undefined` if some run has
    /// no chance.
    pub source: &'static str,
    /// Cut-off runs whose chance is given.
    pub n_given: usize,
    /// Cut-off runs whose chance is the share of successes among their continuations.
    pub n_continuations: usize,
    /// Cut-off runs whose chance is that of the model.
    pub n_model: usize,
    /// Cut-off runs without a chance.
    pub n_unknown: usize,
    /// The model, if there is one.
    pub model: Option<ModelFacts>,
    /// What must hold for the chances to be right.
    pub assumption: String,
}

/// What a model learnt from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ModelFacts {
    /// `turn`, `task` and the files of named streams.
    pub features: Vec<String>,
    /// `continuations` or `complete runs`.
    pub taught_by: &'static str,
    /// Runs that it learnt from.
    pub n_taught: usize,
    /// Mean error at the stops, on runs that it did not learn from.
    pub mean_error: Option<f64>,
}

/// The chance of each run, and where they come from.
#[derive(Clone)]
pub(crate) struct Chances {
    /// One entry per run, of which those of complete runs mean nothing; `None` if some run has none.
    pub(crate) of_runs: Option<Vec<Probability>>,
    /// `None` if nothing was cut off.
    pub(crate) source: Option<SuccessChance>,
    /// Why some run has no chance.
    pub(crate) undefined: Option<String>,
}

/// A line of a file of chances.
#[derive(Deserialize)]
struct GivenChance {
    id: String,
    success_chance: f64,
}

/// How the continuations of a run ended.
#[derive(Deserialize)]
struct Ends {
    id: String,
    successes: u64,
    failures: u64,
    #[serde(default)]
    unresolved: u64,
    #[serde(default)]
    invalid: u64,
}

/// Reads a file of chances by run.
///
/// # Errors
///
/// [`InputError`] that names file, line and field.
pub(crate) fn read_chances(path: &Path) -> Result<BTreeMap<String, Probability>, InputError> {
    by_id(path, |line: GivenChance| {
        let chance = Probability::new(line.success_chance);
        Ok((line.id, chance.map_err(|error| ("success_chance", error.to_string()))?))
    })
}

/// Reads a file of continuations by run.
///
/// # Errors
///
/// [`InputError`] that names file, line and field.
pub(crate) fn read_continuations(
    path: &Path,
) -> Result<BTreeMap<String, Continuations>, InputError> {
    by_id(path, |Ends { id, successes, failures, unresolved, invalid }| {
        Ok((id, Continuations { successes, failures, unresolved, invalid }))
    })
}

fn by_id<L: serde::de::DeserializeOwned, T>(
    path: &Path,
    entry: impl Fn(L) -> Result<(String, T), (&'static str, String)>,
) -> Result<BTreeMap<String, T>, InputError> {
    let mut all = BTreeMap::new();
    for line in json_lines::read::<L>(path)? {
        let wrong = |(field, problem): (&str, String)| InputError {
            file: path.display().to_string(),
            line: Some(line.number),
            field: Some(field.to_owned()),
            problem,
        };
        let (id, value) = entry(line.value).map_err(wrong)?;
        if all.insert(id, value).is_some() {
            return Err(wrong(("id", "an earlier line has the same id".to_owned())));
        }
    }
    Ok(all)
}

impl Sources {
    /// Whether nothing but turn and task is there to learn from.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_none() && self.continuations.is_none() && self.teachers.is_empty()
    }

    pub(crate) fn continuations_of(&self, id: &String) -> Continuations {
        let of_id = self.continuations.as_ref().and_then(|(_, all)| all.get(id));
        of_id.copied().unwrap_or_default()
    }

    /// Checks that no id of a file stands for runs that differ from one scored file to the next.
    ///
    /// # Errors
    ///
    /// [`InputError`] that names the file and the id.
    pub(crate) fn check_ids(&self, scored: &[Sample<'_>]) -> Result<(), InputError> {
        if let Some((path, given)) = &self.given {
            check_ids(path, given, scored)?;
        }
        if let Some((path, continuations)) = &self.continuations {
            check_ids(path, continuations, scored)?;
        }
        Ok(())
    }
}

fn check_ids<T>(
    path: &Path,
    values: &BTreeMap<String, T>,
    scored: &[Sample<'_>],
) -> Result<(), InputError> {
    let mut seen: BTreeMap<&String, (usize, usize)> = BTreeMap::new();
    for (place, sample) in scored.iter().enumerate() {
        for (run, of_run) in sample.runs.iter().enumerate() {
            if !values.contains_key(&of_run.id) {
                continue;
            }
            let (other, first) = *seen.entry(&of_run.id).or_insert((place, run));
            if !sample.is_same_run(run, &scored[other], first) {
                let id = &of_run.id;
                let (first, second) = (&scored[other].file, &sample.file);
                return Err(InputError {
                    file: path.display().to_string(),
                    line: None,
                    field: Some("id".to_owned()),
                    problem: format!(
                        "{id:?} names different runs in {first} and {second}; give these files in calls of their own"
                    ),
                });
            }
        }
    }
    Ok(())
}

/// Checks that a file to learn from is not one of the scored files.
///
/// # Errors
///
/// [`InputError`] that names the file.
pub(crate) fn check_teacher(teacher: &Path, scored: &[PathBuf]) -> Result<(), InputError> {
    let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if scored.iter().any(|file| place(file) == place(teacher)) {
        return Err(teaches_itself(teacher, "is scored, too"));
    }
    Ok(())
}

fn teaches_itself(teacher: &Path, why: &str) -> InputError {
    json_lines::whole(
        teacher,
        format!(
            "{why}; a stream must not teach its own chance of success: give --chance-from a stream that is not scored"
        ),
    )
}

/// The chances of the runs of some files that hold the same runs, each with forecasts of its own.
///
/// # Errors
///
/// [`InputError`] for a run with two chances, and for a stream to learn from that does not have the runs or
/// has the forecasts of a file that is scored.
pub(crate) fn chances(
    tps: &Tps<LogScore>,
    scored: &[Sample<'_>],
    sources: &Sources,
) -> Result<Chances, Box<dyn Error>> {
    let sample = &scored[0];
    let cut_off: Vec<usize> =
        (0..sample.runs.len()).filter(|&run| sample.outcome(run).is_none()).collect();
    let teachers = sources
        .teachers
        .iter()
        .map(|(path, file)| forecasts_of(path, file, scored, &cut_off))
        .collect::<Result<Vec<_>, _>>()?;
    if cut_off.is_empty() {
        // Nothing asks for a chance.
        let of_runs = Some(vec![Probability::HALF; sample.runs.len()]);
        return Ok(Chances { of_runs, source: None, undefined: None });
    }
    let given: BTreeMap<usize, Probability> = cut_off
        .iter()
        .filter_map(|&run| given(run, scored, sources).map(|it| Some((run, it?))).transpose())
        .collect::<Result<_, _>>()?;
    let branches: Vec<Continuations> =
        sample.runs.iter().map(|run| sources.continuations_of(&run.id)).collect();
    let continued = |run: usize| branches[run].valid() >= sources.min_valid.max(1);
    let rest: Vec<usize> = cut_off
        .iter()
        .copied()
        .filter(|run| !given.contains_key(run) && !continued(*run))
        .collect();
    let n_given = given.len();
    let mut source = SuccessChance {
        source: "undefined",
        n_given,
        n_continuations: cut_off.len() - n_given - rest.len(),
        n_model: rest.len(),
        n_unknown: 0,
        model: None,
        assumption: String::new(),
    };
    let unknown = vec![Probability::HALF; sample.runs.len()];
    let mut undefined = None;
    let modelled = if rest.is_empty() {
        unknown
    } else {
        let taught = Teaching { tps, scored, sources, teachers: &teachers, branches: &branches };
        match taught.model(&rest) {
            Ok((chances, facts)) => {
                source.model = Some(facts);
                chances
            }
            Err(why) => {
                (source.n_model, source.n_unknown) = (0, rest.len());
                undefined = Some(why);
                unknown
            }
        }
    };
    let mut chances = hybrid_success_probabilities(&branches, &modelled, sources.min_valid.max(1))?;
    for (run, chance) in given {
        chances[run] = chance;
    }
    source.source = match (source.n_given, source.n_continuations, source.n_model) {
        _ if source.n_unknown > 0 => "undefined",
        (_, 0, 0) => "given",
        (0, _, 0) => "continuations",
        (0, 0, _) => "model",
        _ => "hybrid",
    };
    source.assumption = source.assumptions();
    let of_runs = undefined.is_none().then_some(chances);
    Ok(Chances { of_runs, source: Some(source), undefined })
}

/// The chance that a line of a scored file or the file of chances gives for a run.
fn given(
    run: usize,
    scored: &[Sample<'_>],
    sources: &Sources,
) -> Result<Option<Probability>, InputError> {
    let mut found: Option<(Probability, String)> = None;
    for sample in scored {
        let of_run: &TraceRun = sample.runs[run];
        let in_file = sources
            .given
            .as_ref()
            .and_then(|(path, given)| Some((*given.get(&of_run.id)?, path.display().to_string())));
        let in_line = of_run.success_chance.map(|chance| (chance, sample.file.clone()));
        for (chance, place) in in_file.into_iter().chain(in_line) {
            let (first, known) = found.get_or_insert((chance, place));
            if *first != chance {
                let problem = format!(
                    "{}, but {} in {known} for the same run; give one chance per run",
                    chance.get(),
                    first.get()
                );
                return Err(trace_file::error(&sample.file, of_run, "success_chance", problem));
            }
        }
    }
    Ok(found.map(|(chance, _)| chance))
}

/// The forecasts of a stream that is not scored, one list per scored run.
fn forecasts_of<'t>(
    path: &Path,
    teacher: &'t TraceFile,
    scored: &[Sample<'_>],
    cut_off: &[usize],
) -> Result<Vec<&'t [Probability]>, InputError> {
    let by_id: BTreeMap<&String, &TraceRun> =
        teacher.runs.iter().map(|run| (&run.id, run)).collect();
    let mut forecasts = Vec::with_capacity(scored[0].runs.len());
    for (run, stopped) in scored[0].runs.iter().zip(&scored[0].stopped) {
        let Some(of_run) = by_id.get(&run.id) else {
            let problem = format!("lacks the run {:?} of {}", run.id, scored[0].file);
            return Err(json_lines::whole(path, problem));
        };
        let (found, steps) = (of_run.forecasts.len(), stopped.forecasts().len());
        if found != steps {
            let problem = format!("there are {found}, but {steps} in {}", scored[0].file);
            return Err(trace_file::error(&teacher.file, of_run, "forecasts", problem));
        }
        forecasts.push(of_run.forecasts.as_slice());
    }
    for sample in scored {
        let last = |forecasts: &[Probability]| forecasts.last().map_or(f64::NAN, |last| last.get());
        let pairs = cut_off
            .iter()
            .map(|&run| (last(forecasts[run]), last(sample.stopped[run].forecasts())));
        if resembles(&pairs.collect::<Vec<_>>()) {
            let why = format!("has the forecasts of {} on runs that were cut off", sample.file);
            return Err(teaches_itself(path, &why));
        }
    }
    Ok(forecasts)
}

/// Whether nine of ten forecasts of a teacher are those of a scored stream, up to a small change.
fn resembles(pairs: &[(f64, f64)]) -> bool {
    let equal = pairs.iter().filter(|(teacher, scored)| (teacher - scored).abs() <= 1e-3).count();
    equal > 0 && 10 * equal >= 9 * pairs.len()
}

impl SuccessChance {
    fn assumptions(&self) -> String {
        let mut all = Vec::new();
        if self.n_given > 0 {
            all.push("chances are right as given".to_owned());
        }
        if self.n_continuations > 0 {
            all.push(
                "continuations went on from the stop with the same agent, harness and stopping rule"
                    .to_owned(),
            );
        }
        if let Some(model) = &self.model {
            let cut_off = if model.taught_by == "continuations" {
                "which runs were continued"
            } else {
                "being cut off"
            };
            all.push(format!(
                "given {}, {cut_off} says nothing about the outcome",
                model.features.join(", ")
            ));
        }
        all.join("; ")
    }

    /// The note on where the chances come from.
    pub(crate) fn note(&self) -> String {
        let mut parts = Vec::new();
        if self.n_given > 0 {
            parts.push(format!("{} given", self.n_given));
        }
        if self.n_continuations > 0 {
            parts.push(format!("{} from their own continuations", self.n_continuations));
        }
        if let Some(ModelFacts { features, taught_by, n_taught, mean_error }) = &self.model {
            let error = mean_error.map_or("unknown".to_owned(), |error| format!("{error:+.3}"));
            parts.push(format!(
                "{} by a model of {} (logistic regression on {n_taught} {}, cross-fitted in {FOLDS} folds; mean error at the stops {error})",
                self.n_model,
                features.join(", "),
                if *taught_by == "continuations" {
                    "continued runs of other tasks"
                } else {
                    "complete runs of other tasks"
                }
            ));
        }
        let intervals = match self.model {
            Some(_) => "; the model is fixed in resamples, so intervals do not include its error",
            None => "",
        };
        format!("{}; assumed: {}{intervals}", parts.join(", "), self.assumption)
    }
}

/// What a model can learn from.
struct Teaching<'a, 's> {
    tps: &'a Tps<LogScore>,
    scored: &'a [Sample<'s>],
    sources: &'a Sources,
    teachers: &'a [Vec<&'a [Probability]>],
    branches: &'a [Continuations],
}

/// A run at a step where the model can be held against what happened.
struct Check {
    run: usize,
    step: usize,
    weight: f64,
    /// The outcome, or the share of successes among continuations.
    truth: Probability,
}

impl Teaching<'_, '_> {
    /// The chances of all runs by a model, or why there is none for the runs of `rest`, which need it.
    fn model(&self, rest: &[usize]) -> Result<(Vec<Probability>, ModelFacts), String> {
        let sample = &self.scored[0];
        let continued: Vec<usize> = (0..sample.runs.len())
            .filter(|&run| sample.outcome(run).is_none())
            .filter(|&run| self.branches[run].valid() >= self.sources.min_valid.max(1))
            .collect();
        let taught_by = if continued.is_empty() { "complete runs" } else { "continuations" };
        let because = |error: censoring::Error| {
            format!("no model of success: {}; {WAYS_OUT}", with_causes(&error))
        };
        let checks = if continued.is_empty() {
            self.complete_checks(rest).map_err(because)??
        } else {
            let check = |&run: &usize| {
                let truth = self.branches[run].estimate()?.probability();
                Ok(Check { run, step: sample.stopped[run].forecasts().len(), weight: 1.0, truth })
            };
            continued.iter().map(check).collect::<Result<_, _>>().map_err(because)?
        };
        let rates = self.task_rates();
        let features = |run: usize, step: usize| {
            let mut features = vec![(step as f64).ln_1p()];
            features.extend(rates.as_ref().map(|rates| rates[run]));
            for teacher in self.teachers {
                // The number of steps, the last feature, is there already.
                features.extend(&prefix_features(&teacher[run][..step])[..3]);
            }
            features
        };
        let models = self.fit(&features, &continued).map_err(because)?;
        let chance =
            |run: usize, step: usize| models.success_probability(run, &features(run, step));
        let estimates = checks
            .iter()
            .map(|check| chance(check.run, check.step))
            .collect::<Result<Vec<_>, _>>()
            .map_err(because)?;
        let mut names = vec!["turn".to_owned()];
        names.extend(rates.is_some().then(|| "task".to_owned()));
        names.extend(self.sources.teachers.iter().map(|(path, _)| path.display().to_string()));
        self.check(&checks, &estimates, &names)?;
        let truths: Vec<Probability> = checks.iter().map(|check| check.truth).collect();
        let weights: Vec<f64> = checks.iter().map(|check| check.weight).collect();
        let weights = Weight::from_slice(&weights).map_err(|error| because(error.into()))?;
        let mean_error = plug_in_bias(&estimates, &truths, Some(weights)).ok();
        let chances = sample
            .stopped
            .iter()
            .enumerate()
            .map(|(run, stopped)| chance(run, stopped.forecasts().len()))
            .collect::<Result<_, _>>()
            .map_err(because)?;
        let n_complete = sample.runs.len() - sample.n_cut_off();
        let n_taught = if continued.is_empty() { n_complete } else { continued.len() };
        Ok((chances, ModelFacts { features: names, taught_by, n_taught, mean_error }))
    }

    /// Learns from continued runs alone if there are some, since these are the runs that were cut off;
    /// otherwise from complete runs, which stand for those like them that were cut off.
    fn fit(
        &self,
        features: &impl Fn(usize, usize) -> Vec<f64>,
        continued: &[usize],
    ) -> Result<CrossFitSuccess<LogisticSuccessModel>, censoring::Error> {
        let sample = &self.scored[0];
        let outcome = |run: usize| sample.outcome(run) == Some(true);
        let successes: Vec<bool> = (0..sample.runs.len()).map(outcome).collect();
        let folds = Folds::clustered(&successes, &sample.tasks(), FOLDS)?;
        let learner = LogisticSuccess::default();
        if continued.is_empty() {
            let weights = sample.ipcw(self.tps)?.weights;
            return cross_fit_success(
                &learner,
                &sample.stopped,
                features,
                &folds,
                None,
                Some(&weights),
            );
        }
        let mut weights = vec![Weight::ZERO; sample.runs.len()];
        continued.iter().for_each(|&run| weights[run] = Weight::ONE);
        let branches = Some(self.branches);
        cross_fit_success(&learner, &sample.stopped, features, &folds, branches, Some(&weights))
    }

    /// Where runs were cut off, complete runs that went further: what is checked must not depend on how a
    /// run went on. The inner error says that there are not enough of them.
    fn complete_checks(
        &self,
        rest: &[usize],
    ) -> Result<Result<Vec<Check>, String>, censoring::Error> {
        let sample = &self.scored[0];
        let weights = sample.ipcw(self.tps)?.weights;
        let mut stops: BTreeMap<usize, u32> = BTreeMap::new();
        for &run in rest {
            *stops.entry(sample.stopped[run].forecasts().len()).or_insert(0) += 1;
        }
        let (mut checks, mut uncovered) = (Vec::new(), 0);
        for (&step, &count) in &stops {
            let before = checks.len();
            for (run, &weight) in weights.iter().enumerate() {
                if let Some(outcome) = sample.outcome(run)
                    && sample.stopped[run].forecasts().len() > step
                {
                    let truth = if outcome { Probability::ONE } else { Probability::ZERO };
                    checks.push(Check {
                        run,
                        step,
                        weight: weight.get() * f64::from(count),
                        truth,
                    });
                }
            }
            uncovered += if checks.len() == before { count } else { 0 };
        }
        if f64::from(uncovered) > LARGEST_UNCOVERED * rest.len() as f64 {
            return Ok(Err(format!(
                "no complete run went further than {uncovered} of {} cut-off runs, so that complete runs teach nothing about them; {WAYS_OUT}",
                rest.len()
            )));
        }
        Ok(Ok(checks))
    }

    /// Checks that no scored stream predicts outcomes beyond the model: otherwise the model is not the chance given
    /// what a run has shown, and an exact score at it prefers forecasts that know no more than the model
    /// to the truth (remark C.4 of the paper). Forecasts after a stop, or of the stops that are judged, are
    /// not looked at where complete runs teach.
    fn check(
        &self,
        checks: &[Check],
        estimates: &[Probability],
        features: &[String],
    ) -> Result<(), String> {
        let sample = &self.scored[0];
        let tasks = sample.tasks();
        let distinct: BTreeSet<&String> = checks.iter().map(|check| tasks[check.run]).collect();
        if distinct.len() < LEAST_TASKS {
            return Err(format!(
                "a model of success could be checked on {} tasks only, and {LEAST_TASKS} are needed; {WAYS_OUT}",
                distinct.len()
            ));
        }
        let statistic = |feature: &dyn Fn(&Check) -> f64, centred: bool| {
            let rows = || checks.iter().zip(estimates);
            let spread = |q: &Probability| q.get() * (1.0 - q.get());
            let (mut sum, mut total) = (0.0, 0.0);
            for (check, q) in rows() {
                sum += check.weight * spread(q) * feature(check);
                total += check.weight * spread(q);
            }
            let mean = if centred && total > 0.0 { sum / total } else { 0.0 };
            let mut by_task: BTreeMap<&String, f64> = BTreeMap::new();
            for (check, q) in rows() {
                let part = check.weight * (check.truth.get() - q.get()) * (feature(check) - mean);
                *by_task.entry(tasks[check.run]).or_insert(0.0) += part;
            }
            let sum: f64 = by_task.values().sum();
            let square: f64 = by_task.values().map(|part| part * part).sum();
            if square > 0.0 { sum / square.sqrt() } else { 0.0 }
        };
        if statistic(&|_| 1.0, false).abs() > LARGEST_STATISTIC {
            return Err(format!(
                "a model of success is wrong on average at the steps where runs were cut off; {WAYS_OUT}"
            ));
        }
        for scored in self.scored {
            let feature = |check: &Check| {
                let last = scored.stopped[check.run].forecasts().get(check.step - 1);
                last.map_or(0.0, |forecast| {
                    let p = forecast.get().clamp(CLIP, 1.0 - CLIP);
                    (p / (1.0 - p)).ln()
                })
            };
            if statistic(&feature, true).abs() > LARGEST_STATISTIC {
                return Err(format!(
                    "the forecasts of {} predict outcomes beyond a model of {}, so that the model is not the chance of success given what a run has shown; {WAYS_OUT}",
                    scored.file,
                    features.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The log-odds of success of the other complete runs of the task of each run, shrunk by two runs
    /// of the overall rate; `None` with few tasks that have two complete runs.
    fn task_rates(&self) -> Option<Vec<f64>> {
        let sample = &self.scored[0];
        let tasks = sample.tasks();
        let mut counts: BTreeMap<&String, (f64, f64)> = BTreeMap::new();
        let (mut successes, mut all) = (0.0, 0.0);
        for (run, &task) in tasks.iter().enumerate() {
            if let Some(outcome) = sample.outcome(run) {
                let count = counts.entry(task).or_insert((0.0, 0.0));
                count.0 += f64::from(u8::from(outcome));
                count.1 += 1.0;
                successes += f64::from(u8::from(outcome));
                all += 1.0;
            }
        }
        if counts.values().filter(|&&(_, n)| n >= 2.0).count() < LEAST_TASKS {
            return None;
        }
        let rate = (successes + 1.0) / (all + 2.0);
        let of_run = |(run, &task): (usize, &&String)| {
            let (mut good, mut n) = counts.get(task).copied().unwrap_or((0.0, 0.0));
            // What a run learns from must not hold its own outcome.
            if let Some(outcome) = sample.outcome(run) {
                good -= f64::from(u8::from(outcome));
                n -= 1.0;
            }
            let rate = (good + 2.0 * rate) / (n + 2.0);
            (rate / (1.0 - rate)).ln()
        };
        Some(tasks.iter().enumerate().map(of_run).collect())
    }
}

/// What to do if there is no model.
const WAYS_OUT: &str =
    "give --continuations, --success-chance, or --chance-from with a stream that is not scored";
