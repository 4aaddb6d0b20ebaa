use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::values::time::seconds_of;

/// Facts from the header of a log that apply to all its runs.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{Error, Format, ReadOptions, read};
///
/// let log = br#"{"version": 2, "status": "cancelled",
///     "eval": {"task": "sums", "model": "m", "dataset": {"sample_ids": [1, 2]}, "config": {"epochs": 2}},
///     "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}]}"#;
/// let mut runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
/// let run = runs.next().transpose()?;
/// let evaluation = run.and_then(|run| run.evaluation).unwrap_or_default();
/// assert_eq!((evaluation.status.as_deref(), evaluation.n_planned()), (Some("cancelled"), Some(4)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// A unique name of the evaluation.
    pub id: Option<String>,
    /// An id that a retry of the evaluation shares with the original.
    pub task_id: Option<String>,
    /// The task, such as the name of a benchmark.
    pub task: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The time of the start, as the log writes it.
    pub created: Option<String>,
    /// The status at the end of the evaluation, such as `success`, `error` or `cancelled`.
    pub status: Option<String>,
    /// The scorers in the log's order. A scorer with several values has one part per value, `scorer.key`.
    pub scorers: Vec<String>,
    /// The ids of the planned samples.
    pub sample_ids: BTreeSet<String>,
    /// The number of planned runs of each sample.
    pub epochs: Option<u64>,
    /// The number of planned runs, as the log counts them.
    pub total_samples: Option<u64>,
    /// The samples of the dataset, some of which may be excluded by a limit or chosen ids.
    pub(crate) dataset_samples: Option<u64>,
    /// Whether a limit or chosen ids restrict the samples of the dataset.
    pub(crate) is_part_of_dataset: bool,
    /// The log's own statistics of the scores, by scorer.
    pub(crate) figures: BTreeMap<String, LogFigures>,
}

/// The log's own statistics of the scores of one scorer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LogFigures {
    /// `accuracy`, or `mean`.
    pub(crate) mean: Option<f64>,
    /// `stderr`.
    pub(crate) standard_error: Option<f64>,
    /// The function that reduced the scores of a sample's epochs to one.
    pub(crate) reducer: Option<String>,
    /// The field of the samples by which the standard error groups them.
    pub(crate) cluster: Option<String>,
}

impl Evaluation {
    /// Returns the number of planned runs, if the log states it.
    #[must_use]
    pub fn n_planned(&self) -> Option<u64> {
        let of = |samples: u64| samples.saturating_mul(self.epochs.unwrap_or(1));
        let listed = Some(of(self.sample_ids.len() as u64)).filter(|planned| *planned > 0);
        let whole = self.dataset_samples.filter(|_| !self.is_part_of_dataset).map(of);
        listed.or(self.total_samples).or(whole)
    }

    /// Returns whether the evaluation has the scorer, or a scorer of which it is a part; `None` if the log does not say.
    pub(crate) fn has_scorer(&self, wanted: &str) -> Option<bool> {
        let is_part = |name: &String| {
            wanted.strip_prefix(name.as_str()).is_some_and(|it| it.starts_with('.'))
        };
        let mut names = self.scorers.iter().chain(self.figures.keys());
        let has_scorer = names.any(|name| is_scorer(name, wanted) || is_part(name));
        // Before the scores are aggregated, a log may not name the parts of its scorers.
        (has_scorer || !self.figures.is_empty()).then_some(has_scorer)
    }

    /// The time of the start, in seconds of UTC; `None` if [`Self::created`] is no date and time of RFC 3339.
    pub(crate) fn started(&self) -> Option<f64> {
        self.created.as_deref().and_then(seconds_of)
    }

    /// Returns the task of a sample: the name of the evaluation, followed by the sample's name.
    pub(crate) fn task_of(&self, sample: &str) -> String {
        match &self.task {
            Some(task) => format!("{task}/{sample}"),
            None => sample.to_owned(),
        }
    }
}

/// The properties that an evaluation shares with its retries: the name, or a unique number if it has no name, and the model.
pub(crate) type Identity = (Option<String>, Option<usize>, Option<String>);

pub(crate) fn identity(of: &Arc<Evaluation>) -> Identity {
    let name = of.task_id.clone().or_else(|| of.id.clone());
    let own = name.is_none().then_some(Arc::as_ptr(of) as usize);
    (name, own, of.model.clone())
}

/// Returns whether a score belongs to the requested scorer. A part of a scorer with several values is named with or without the
/// scorer's name in front.
pub(crate) fn is_scorer(name: &str, wanted: &str) -> bool {
    name == wanted || name.split_once('.').is_some_and(|(_, part)| part == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_a_moment_whatever_the_offset_of_its_clock() {
        let of = |text: &str| {
            let created = Some(text.to_owned());
            Evaluation { created, ..Evaluation::default() }.started()
        };
        assert_eq!(of("2026-03-01T00:30:00+02:00"), of("2026-02-28T22:30:00Z"));
        assert_eq!(of("2024-02-29T23:00:00-0100"), of("2024-03-01T00:00:00.000Z"));
        let day = of("2025-01-01T00:00:00Z").zip(of("2024-12-31T00:00:00Z"));
        assert_eq!(day.map(|(a, b)| a - b), Some(86_400.0));
        assert!(of("2026-03-01T09:00:00+05:00") < of("2026-03-01T05:00:00Z"));
        assert_eq!((of("yesterday"), of("2026-03-01T")), (None, None));
    }
}
