use budget_estimation::{Sample, joint_hits};
use trajectory_metrics::tool_calls::Value;

use crate::{budget::instance::Instance, error::Error, values::record::Record};

/// The record of a conversation about a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BudgetRecord {
    /// The conversation, and the problems of its replies. Its id is the id of the run, or the position of the run if the run has
    /// no id.
    pub record: Record,
    /// The names of the resources.
    pub resources: Vec<String>,
    /// The numbers of completed turns at the prefixes without a question; see
    /// [`Budget::with_cash`](crate::budget::Budget::with_cash).
    pub left_out: Vec<usize>,
    /// The samples of each resource, one per answered request, by number of turns.
    samples: Vec<Vec<Sample>>,
}

impl BudgetRecord {
    pub(super) fn new(
        instance: &Instance<'_>,
        mut record: Record,
        samples: Vec<Vec<Sample>>,
    ) -> Self {
        let names = instance.settings.resources.iter().map(|(name, _)| name.clone());
        let resources: Vec<String> = names.collect();
        let run = &mut record.run;
        run.metadata.insert("benchmark".to_owned(), "budget".into());
        let list = resources.iter().map(|name| Value::from(name.as_str())).collect();
        run.metadata.insert("resources".to_owned(), Value::List(list));
        Self { record, resources, left_out: instance.left_out.clone(), samples }
    }

    /// Returns the samples of a resource, by its position in the setting; empty beyond the last resource.
    #[must_use]
    pub fn samples(&self, resource: usize) -> &[Sample] {
        self.samples.get(resource).map_or(&[], Vec::as_slice)
    }

    /// Returns for each feasible prefix whether the intervals of all resources contain the true amount; see
    /// [`joint_hits`].
    ///
    /// # Errors
    ///
    /// The errors of [`joint_hits`].
    pub fn joint_hits(&self) -> Result<Vec<bool>, Error> {
        let samples: Vec<&[Sample]> = self.samples.iter().map(Vec::as_slice).collect();
        Ok(joint_hits(&samples)?)
    }
}
