use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    formats::harbor::{
        metrics::{sum, value},
        trajectory::Trajectory,
    },
    values::{caller::Caller, run::Run, usage::Usage},
};

impl Trajectory {
    /// The run of a trajectory that is not part of a trial. `number` names a trajectory without ids.
    pub(crate) fn into_run(mut self, number: u64) -> Run {
        let mut run = self.kept.take().unwrap_or_else(|| {
            let mut run = Run::default();
            self.describe(&mut run.metadata);
            run.usage = self.usage();
            run
        });
        run.scores = std::mem::take(&mut self.scores);
        let id = self.session.clone().or_else(|| self.id.clone());
        run.id = id.unwrap_or_else(|| number.to_string());
        run.model.clone_from(&self.model);
        run.usage_by_model = self.usage_by_model();
        let mut turns = self.into_turns(&Caller::Agent);
        // Turns without a position stay where they are.
        if turns.iter().all(|(position, _)| position.is_some()) {
            turns.sort_by_key(|(position, _)| *position);
        }
        run.turns = turns.into_iter().map(|(_, turn)| turn).collect();
        run
    }

    /// What each model used by the steps, subagents included.
    pub(crate) fn usage_by_model(&self) -> BTreeMap<String, Usage> {
        let mut models = BTreeMap::new();
        self.add_usage_by_model(&mut models);
        models.into_iter().map(|(model, usages)| (model, sum(usages))).collect()
    }

    /// Notes what the format says besides: the log's own totals beside the sum of the steps, which
    /// may differ.
    pub(crate) fn describe(&self, metadata: &mut BTreeMap<String, Value>) {
        let texts = [
            ("schema_version", &self.version),
            ("trajectory_id", &self.id),
            ("agent", &self.agent),
            ("agent_version", &self.agent_version),
            ("continued_trajectory_ref", &self.continued),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                metadata.insert(name.to_owned(), text.as_str().into());
            }
        }
        if let Some(totals) = &self.totals {
            metadata.insert("final_metrics".to_owned(), value(totals));
        }
        metadata.insert("step_metrics".to_owned(), value(&self.step_usage()));
        if self.n_copied > 0 {
            let count = Value::Integer(i128::from(self.n_copied));
            metadata.insert("n_copied_steps".to_owned(), count);
        }
    }
}
