use std::collections::{BTreeMap, BTreeSet};

/// What the head of a log says of all its runs.
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
    /// A name that no other evaluation has.
    pub id: Option<String>,
    /// What a retry of the evaluation shares with it.
    pub task_id: Option<String>,
    /// The task, such as the name of a benchmark.
    pub task: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// When it began, as the log writes it.
    pub created: Option<String>,
    /// How it ended, such as `success`, `error` or `cancelled`.
    pub status: Option<String>,
    /// The scorers in the log's order; a scorer that gives several values has a part for each, `scorer.key`.
    pub scorers: Vec<String>,
    /// The samples that were to be run.
    pub sample_ids: BTreeSet<String>,
    /// How often each sample was to be run.
    pub epochs: Option<u64>,
    /// The number of runs that were planned, as the log counts them.
    pub total_samples: Option<u64>,
    /// What the log itself says of the scores, by scorer.
    pub(crate) figures: BTreeMap<String, LogFigures>,
}

/// What a log itself says of the scores of a scorer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LogFigures {
    /// `accuracy`, or `mean`.
    pub(crate) mean: Option<f64>,
    /// `stderr`.
    pub(crate) standard_error: Option<f64>,
    /// What made one score of those of a sample's epochs.
    pub(crate) reducer: Option<String>,
    /// The field of the samples by which the standard error groups them.
    pub(crate) cluster: Option<String>,
}

impl Evaluation {
    /// The number of runs that were planned, if the log says so.
    #[must_use]
    pub fn n_planned(&self) -> Option<u64> {
        let listed = (self.sample_ids.len() as u64).checked_mul(self.epochs.unwrap_or(1));
        listed.filter(|planned| *planned > 0).or(self.total_samples)
    }

    /// The task of a sample: the name of the evaluation in front of its own.
    #[must_use]
    pub fn task_of(&self, sample: &str) -> String {
        match &self.task {
            Some(task) => format!("{task}/{sample}"),
            None => sample.to_owned(),
        }
    }
}
