//! A model of success after a stop. It is fitted to unscored data, and refused unless it passes its checks.

use std::collections::{BTreeMap, BTreeSet};

use censoring::{
    AuditedEstimate, Continuations, CrossFitSuccess, Folds, LogisticSuccess, LogisticSuccessModel,
    Probability, Weight, plug_in_bias, prefix_features,
};
use serde::Serialize;
use trajectory_metrics::{LogScore, Undefined};

use crate::{
    cut_off::{sample::Sample, settings::CutOffOptions},
    error::with_causes,
    report::sentence::counted,
};

/// The number of folds of the model.
const FOLDS: usize = 5;

/// The minimum number of tasks with two complete runs for the success rate of the task's other runs to be a feature, and
/// the minimum number of tasks for checking a model.
const LEAST_TASKS: usize = 50;

/// The largest accepted test statistic of a model. A correct model exceeds it in 1 of 20 cases.
const LARGEST_STATISTIC: f64 = 1.96;

/// The largest accepted share of cut-off runs for which no complete run went further.
const LARGEST_UNCOVERED: f64 = 0.05;

/// The advice in errors if there is no model.
const WAYS_OUT: &str =
    "give --continuations, --success-chance, or --chance-from with a stream that is not scored";

/// The data that a model was fitted to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ModelFacts {
    /// The names of the features: `turn`, `task` and the names of streams that are not scored.
    features: Vec<String>,
    /// The source of the outcomes: `continuations` or `complete runs`.
    taught_by: &'static str,
    /// The number of runs in the training data.
    n_taught: usize,
    /// The mean error at the stops, on runs outside the training data.
    mean_error: Option<f64>,
}

impl ModelFacts {
    fn is_of_continuations(&self) -> bool {
        self.taught_by == "continuations"
    }

    pub(super) fn assumption(&self) -> String {
        let being_cut_off =
            if self.is_of_continuations() { "which runs were continued" } else { "being cut off" };
        format!(
            "among runs with equal features ({features}), {being_cut_off} says nothing about the outcome",
            features = self.features.join(", "),
        )
    }

    pub(super) fn note(&self) -> String {
        let error = self.mean_error.map_or("unknown".to_owned(), |error| format!("{error:+.3}"));
        let runs = if self.is_of_continuations() { "continued" } else { "complete" };
        format!(
            "a model with the features {features} (logistic regression on {n} {runs} runs of other tasks, cross-fitted in {FOLDS} folds; mean error at the stops {error})",
            features = self.features.join(", "),
            n = self.n_taught,
        )
    }
}

/// The data that a model can be fitted to.
pub(super) struct Teaching<'a, 's> {
    /// Columns that hold the same runs.
    pub(super) samples: &'a [Sample<'s>],
    /// Streams that are not scored: the name, and the forecasts of each run.
    pub(super) teachers: Vec<(&'a str, Vec<&'a [Probability]>)>,
    pub(super) branches: &'a [Continuations],
    /// Runs that were cut off with enough outcomes among their continuations.
    pub(super) continued: &'a [usize],
}

/// A run at a step where the model's prediction can be compared with the outcome.
struct Check {
    run: usize,
    step: usize,
    weight: Weight,
    /// The outcome, or the share of successes among continuations.
    truth: Probability,
}

fn refused(why: String) -> Undefined {
    Undefined::new(format!("{why}; {WAYS_OUT}"))
}

fn because(error: impl std::error::Error + 'static) -> Undefined {
    refused(format!("no model of success: {}", with_causes(&error)))
}

impl Teaching<'_, '_> {
    /// Returns a model's probabilities of success of all runs, or the reason why it has none for the runs of `rest`,
    /// which require one.
    pub(super) fn model(
        &self,
        rest: &[usize],
        options: &CutOffOptions,
    ) -> Result<(Vec<Probability>, ModelFacts), Undefined> {
        let sample = &self.samples[0];
        // Only continued runs are used if there are any, because these were cut off. Otherwise complete runs are used,
        // which represent similar runs that were cut off.
        let (weights, checks) = if self.continued.is_empty() {
            let weights = sample.weights(options).map_err(because)?.as_slice().to_vec();
            let checks = self.complete_checks(rest, &weights)?;
            (weights, checks)
        } else {
            let mut weights = vec![Weight::ZERO; sample.len()];
            self.continued.iter().for_each(|&run| weights[run] = Weight::ONE);
            let check = |&run: &usize| {
                let truth = self.branches[run].estimate().map_err(because)?.probability;
                Ok(Check { run, step: sample.steps(run), weight: Weight::ONE, truth })
            };
            (weights, self.continued.iter().map(check).collect::<Result<_, _>>()?)
        };
        let rates = self.task_rates();
        let features = |run: usize, step: usize| {
            let mut features = vec![(step as f64).ln_1p()];
            features.extend(rates.as_ref().map(|rates| rates[run]));
            for (_, forecasts) in &self.teachers {
                // The number of steps, the last feature, is there already.
                features.extend(&prefix_features(&forecasts[run][..step])[..3]);
            }
            features
        };
        let models = self.fit(&features, &weights).map_err(because)?;
        let chance =
            |run: usize, step: usize| models.success_probability(run, &features(run, step));
        let estimates = checks.iter().map(|check| chance(check.run, check.step));
        let estimates: Vec<Probability> = estimates.collect::<Result<_, _>>().map_err(because)?;
        let mut names = vec!["turn".to_owned()];
        names.extend(rates.is_some().then(|| "task".to_owned()));
        names.extend(self.teachers.iter().map(|(name, _)| (*name).to_owned()));
        self.check(&checks, &estimates, &names)?;
        let audited = checks.iter().zip(&estimates);
        let audited = audited
            .map(|(check, &estimate)| AuditedEstimate { estimate, truth: check.truth })
            .collect::<Vec<_>>();
        let weights: Vec<Weight> = checks.iter().map(|check| check.weight).collect();
        let chances = (0..sample.len()).map(|run| chance(run, sample.steps(run)));
        let (taught_by, n_taught) = match self.continued.len() {
            0 => ("complete runs", sample.len() - sample.cut_off().count()),
            continued => ("continuations", continued),
        };
        let facts = ModelFacts {
            features: names,
            taught_by,
            n_taught,
            mean_error: plug_in_bias(&audited, Some(&weights)).ok(),
        };
        Ok((chances.collect::<Result<_, _>>().map_err(because)?, facts))
    }

    fn fit(
        &self,
        features: &impl Fn(usize, usize) -> Vec<f64>,
        weights: &[Weight],
    ) -> Result<CrossFitSuccess<LogisticSuccessModel>, censoring::Error> {
        let sample = &self.samples[0];
        let successes = sample.stopped.iter().map(|run| run.outcome() == Some(true));
        let folds = Folds::clustered(&successes.collect::<Vec<_>>(), &sample.tasks(), FOLDS)?;
        let branches = (!self.continued.is_empty()).then_some(self.branches);
        let (learner, runs) = (LogisticSuccess::default(), &sample.stopped);
        CrossFitSuccess::new(&learner, runs, features, &folds, branches, Some(weights))
    }

    /// Returns the checks on complete runs at the steps at which runs were cut off. Only complete runs that went
    /// further are used, because the check must not depend on the later course of a run.
    fn complete_checks(&self, rest: &[usize], weights: &[Weight]) -> Result<Vec<Check>, Undefined> {
        let sample = &self.samples[0];
        let mut stops: BTreeMap<usize, u32> = BTreeMap::new();
        for &run in rest {
            *stops.entry(sample.steps(run)).or_insert(0) += 1;
        }
        let (mut checks, mut uncovered) = (Vec::new(), 0);
        for (&step, &count) in &stops {
            let before = checks.len();
            for (run, weight) in weights.iter().enumerate() {
                if let Some(outcome) = sample.outcome(run)
                    && sample.steps(run) > step
                {
                    let weight = Weight::new(weight.get() * f64::from(count)).map_err(because)?;
                    let truth = if outcome { Probability::ONE } else { Probability::ZERO };
                    checks.push(Check { run, step, weight, truth });
                }
            }
            uncovered += if checks.len() == before { count } else { 0 };
        }
        if f64::from(uncovered) > LARGEST_UNCOVERED * rest.len() as f64 {
            return Err(refused(format!(
                "for {uncovered} of {all} cut-off runs, no complete run has more steps, so complete runs cannot show the chances of success of these runs",
                all = rest.len(),
            )));
        }
        Ok(checks)
    }

    /// Checks that no scored stream predicts outcomes beyond the model. Otherwise the model is not the probability given
    /// the observed part of a run, and an exact score at it prefers forecasts with no more information than the model to
    /// the truth (remark C.4 of the paper). If the model is fitted to complete runs, forecasts after a stop, or of the
    /// judged stops, are not used.
    fn check(
        &self,
        checks: &[Check],
        estimates: &[Probability],
        features: &[String],
    ) -> Result<(), Undefined> {
        let tasks = self.samples[0].tasks();
        let distinct: BTreeSet<&str> = checks.iter().map(|check| tasks[check.run]).collect();
        if distinct.len() < LEAST_TASKS {
            return Err(refused(format!(
                "a model of success could be checked on only {tasks}, but {LEAST_TASKS} are needed",
                tasks = counted(distinct.len(), "task"),
            )));
        }
        let statistic = |feature: &dyn Fn(&Check) -> f64, centred: bool| {
            let rows = || {
                checks.iter().zip(estimates).map(|(check, q)| (check, check.weight.get(), q.get()))
            };
            let (mut sum, mut total) = (0.0, 0.0);
            for (check, weight, q) in rows() {
                sum += weight * (q * (1.0 - q)) * feature(check);
                total += weight * (q * (1.0 - q));
            }
            let mean = if centred && total > 0.0 { sum / total } else { 0.0 };
            let mut by_task: BTreeMap<&str, f64> = BTreeMap::new();
            for (check, weight, q) in rows() {
                let part = weight * (check.truth.get() - q) * (feature(check) - mean);
                *by_task.entry(tasks[check.run]).or_insert(0.0) += part;
            }
            let sum: f64 = by_task.values().sum();
            let square: f64 = by_task.values().map(|part| part * part).sum();
            if square > 0.0 { sum / square.sqrt() } else { 0.0 }
        };
        if statistic(&|_| 1.0, false).abs() > LARGEST_STATISTIC {
            return Err(refused(
                "a model of success is wrong on average at the steps where runs were cut off"
                    .to_owned(),
            ));
        }
        for scored in self.samples {
            let log_odds = |check: &Check| {
                let last = scored.stopped[check.run].forecasts().get(check.step - 1);
                last.map_or(0.0, |forecast| {
                    let p = forecast.get().clamp(LogScore::CLIP, 1.0 - LogScore::CLIP);
                    (p / (1.0 - p)).ln()
                })
            };
            if statistic(&log_odds, true).abs() > LARGEST_STATISTIC {
                return Err(refused(format!(
                    "the forecasts of {file} have information about outcomes that a model with the features {features} lacks, so the model misses a part of what a run shows before its stop",
                    file = scored.file,
                    features = features.join(", "),
                )));
            }
        }
        Ok(())
    }

    /// Returns for each run the log-odds of success among the other complete runs of its task, shrunk by two runs at
    /// the overall rate; `None` if few tasks have two complete runs.
    fn task_rates(&self) -> Option<Vec<f64>> {
        let sample = &self.samples[0];
        let tasks = sample.tasks();
        let mut counts: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        let [mut successes, mut all] = [0.0; 2];
        let number = |outcome| f64::from(u8::from(outcome));
        for (run, &task) in tasks.iter().enumerate() {
            if let Some(outcome) = sample.outcome(run) {
                let [good, n] = counts.entry(task).or_insert([0.0; 2]);
                (*good, *n) = (*good + number(outcome), *n + 1.0);
                (successes, all) = (successes + number(outcome), all + 1.0);
            }
        }
        if counts.values().filter(|&&[_, n]| n >= 2.0).count() < LEAST_TASKS {
            return None;
        }
        let rate = (successes + 1.0) / (all + 2.0);
        let of_run = |(run, &task): (usize, &&str)| {
            let [mut good, mut n] = counts.get(task).copied().unwrap_or([0.0; 2]);
            // The data for a run must not include its own outcome.
            if let Some(outcome) = sample.outcome(run) {
                (good, n) = (good - number(outcome), n - 1.0);
            }
            let rate = (good + 2.0 * rate) / (n + 2.0);
            (rate / (1.0 - rate)).ln()
        };
        Some(tasks.iter().enumerate().map(of_run).collect())
    }
}
