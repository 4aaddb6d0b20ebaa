use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use trajectory_metrics::{
    Level,
    estimates::{self, ANY},
};

use crate::{
    conversions::{logged_run::LoggedRun, run_table::RunTable},
    fact_rules::ScoreRange,
    values::evaluation::{Evaluation, identity},
};

/// A run that was planned but is in no log.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingRun {
    /// The model.
    pub model: Option<String>,
    /// The task; `None` if the log gives only the number of planned runs.
    pub task: Option<String>,
    /// The number of the repetition of the task.
    pub trial: Option<u64>,
}

impl RunTable {
    /// Returns the planned runs that no log has, and the number of all planned runs, which is `None` if no log states
    /// it. An evaluation and its retries count as one evaluation.
    #[must_use]
    pub fn missing(&self) -> (Vec<MissingRun>, Option<u64>) {
        let mut all = BTreeMap::new();
        for evaluation in self.evaluations().iter().filter(|it| !self.is_of_other_scorer(it)) {
            all.entry(identity(evaluation)).or_insert_with(Vec::new).push(evaluation);
        }
        let (mut missing, mut planned) = (Vec::new(), None);
        for (name, retries) in all {
            let rows = self.rows().iter().filter(|row| {
                row.evaluation.as_ref().is_some_and(|evaluation| identity(evaluation) == name)
            });
            let found: BTreeSet<(&str, Option<u64>)> =
                rows.map(|row| (row.id.as_str(), row.trial)).collect();
            let Some(most) = retries.iter().filter_map(|it| it.n_planned()).max() else { continue };
            let mut expected = BTreeSet::new();
            for of in &retries {
                let epochs = 1..=of.epochs.unwrap_or(1);
                let trials = |id| epochs.clone().map(move |trial| (of, id, trial));
                let ids = of.sample_ids.iter().flat_map(trials);
                expected.extend(ids.map(|(of, id, trial)| (of.task_of(id), id.as_str(), trial)));
            }
            // Runs that name no evaluation may have been planned by an evaluation without names of samples.
            let is_linked =
                !found.is_empty() || self.rows().iter().all(|row| row.evaluation.is_some());
            if expected.is_empty() && !is_linked {
                continue;
            }
            planned = Some(planned.unwrap_or(0) + most.max(expected.len() as u64));
            let model = &name.2;
            if expected.is_empty() {
                let lacking = most.saturating_sub(found.len() as u64);
                let unnamed = MissingRun { model: model.clone(), ..MissingRun::default() };
                missing.extend((0..lacking).map(|_| unnamed.clone()));
            }
            let lacking = expected.into_iter().filter(|(_, id, trial)| {
                !found.contains(&(*id, Some(*trial))) && !found.contains(&(*id, None))
            });
            missing.extend(lacking.map(|(task, _, trial)| MissingRun {
                model: model.clone(),
                task: Some(task),
                trial: Some(trial),
            }));
        }
        (missing, planned)
    }

    /// The cases in which a log states another mean or standard error than its runs have, for example because the scores of
    /// several epochs are reduced differently.
    pub(crate) fn unlike_logs(&self) -> Vec<String> {
        if self.rules().success_at.is_some() {
            return Vec::new();
        }
        let of = |it: &Evaluation| it.task_id.clone().or_else(|| it.id.clone());
        let size = self.rules().score_range.map_or(1.0, ScoreRange::size);
        let grade = |score: f64| match self.rules().score_range {
            Some(range) => range.grade(score),
            None => Some(score),
        };
        let differs = |own: f64, found: f64| (own - found).abs() > 1e-9 * own.abs().max(1.0);
        let mut all = Vec::new();
        for evaluation in self.evaluations().iter().filter(|it| !it.figures.is_empty()) {
            let is_part = |row: &&LoggedRun| {
                row.evaluation.as_ref().is_some_and(|it| Arc::ptr_eq(it, evaluation))
            };
            let rows: Vec<&LoggedRun> = self.rows().iter().filter(is_part).collect();
            let scorer = rows.iter().find_map(|row| row.scorer.as_ref());
            let figures = scorer.and_then(|scorer| evaluation.figures.get(scorer));
            // A log and its retry have runs of each other.
            let retries = self.evaluations().iter().filter(|it| of(it) == of(evaluation)).count();
            let (Some(figures), 1) = (figures, retries) else { continue };
            let graded = rows.iter().filter_map(|row| Some((row.grade?, row.id.as_str())));
            let (grades, samples): (Vec<f64>, Vec<&str>) = graded.unzip();
            let found = estimates::mean(&grades, None, &samples, ANY, Level::HALF).ok();
            let mean = grades.iter().sum::<f64>() / grades.len() as f64;
            let own = [figures.mean.and_then(grade), figures.standard_error.map(|it| it / size)];
            let here = [Some(mean), found.map(|it| it.standard_error.unwrap_or(0.0))];
            let is_unlike =
                |(own, here): (&Option<f64>, &Option<f64>)| Some(differs((*own)?, (*here)?));
            if !own.iter().zip(&here).filter_map(is_unlike).any(|it| it) {
                continue;
            }
            let text = |[mean, error]: [Option<f64>; 2]| {
                let mean = mean.map(|mean| format!("a mean score of {mean:.4}"));
                let error = error.map(|error| format!("a standard error of {error:.4}"));
                mean.into_iter().chain(error).collect::<Vec<_>>().join(" and ")
            };
            let reducer = figures.reducer.iter().map(|by| format!("epochs by {by}"));
            let cluster = figures.cluster.iter().map(|by| format!("clusters by {by}"));
            let how = reducer.chain(cluster).collect::<Vec<_>>().join(", ");
            all.push(format!(
                "the log{} states {}{}, but its runs have {} by sample",
                evaluation.task.as_ref().map_or(String::new(), |task| format!(" of {task}")),
                text(own),
                if how.is_empty() { how } else { format!(" ({how})") },
                text(here)
            ));
        }
        all
    }
}
