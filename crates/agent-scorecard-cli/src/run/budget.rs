//! `run budget`.

use std::{error::Error, path::PathBuf};

use agent_benchmarks::{
    Conversation,
    budget::{AtLimit, Budget, OutcomePolicy, ResourceKind, Rollouts, Shown, rollouts_of_runs},
};
use agent_scorecard::live;
use run_logs::{Format, ReadOptions, Reply, read_path};

use crate::{
    run::{
        asking::{Asking, Finished, Protocol},
        common::Common,
        expected::Expected,
    },
    values,
};

/// The model says what each run would still have spent, after each of its turns
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A log or a folder of logs
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// The cap of each run in output tokens
    #[arg(long, value_name = "N", value_parser = values::cap)]
    cap: Option<f64>,
}

impl Options {
    /// The runs of the log as rollouts, and how many runs are none.
    fn rollouts(&self) -> Result<(Rollouts, Option<String>), Box<dyn Error>> {
        let read_options = ReadOptions { requests: true, ..ReadOptions::default() };
        let runs = read_path(&self.file, Format::Auto, &read_options)?;
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        let mut rollouts =
            rollouts_of_runs(&runs, &OutcomePolicy::new(AtLimit::Scored), Shown::WhenActing)?;
        let left_out = runs.len() - rollouts.len();
        if rollouts.is_empty() {
            let (path, problem) =
                (self.file.display(), "a run needs turns with token counts and an outcome");
            return Err(format!("{path}: {left_out} runs, none of them usable: {problem}").into());
        }
        if let Some(cap) = self.cap {
            rollouts.set_cap(rollouts.resource("output_tokens")?, cap)?;
        }
        let note = format!("runs without turns or without a known outcome, left out: {left_out}");
        Ok((rollouts, (left_out > 0).then_some(note)))
    }

    fn protocol(&self) -> Result<Budget, agent_benchmarks::Error> {
        let budget = Budget::new([("output_tokens", ResourceKind::Tokens)])?;
        Ok(budget.with_sampling(self.common.sampling()))
    }
}

impl Protocol for Options {
    const NAME: &'static str = "budget";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        self.cap.map_or_else(|| "no cap".to_owned(), |cap| format!("cap {cap}"))
    }

    fn expect(&self, expected: &mut Expected) -> Result<(), Box<dyn Error>> {
        let (rollouts, _) = self.rollouts()?;
        let setting = self.protocol()?;
        for at in 0..rollouts.len() {
            let instance = setting.instance(&rollouts, at)?;
            let mut conversation = instance.conversation();
            // No request depends on the replies before it.
            while let Some(request) = conversation.request() {
                expected.add([1; 2], Some(request));
                expected.conversations -= 1;
                conversation.reply(Reply::default())?;
            }
            expected.conversations += 1;
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let setting = self.protocol()?;
        let (rollouts, left_out) = self.rollouts()?;
        let instances = (0..rollouts.len()).map(|at| {
            let instance = setting.instance(&rollouts, at)?;
            let id = instance.rollout().id().unwrap_or_default();
            Ok((format!("{at} {id}"), instance))
        });
        let instances: Vec<_> = instances.collect::<Result<_, agent_benchmarks::Error>>()?;
        let records = asking.run(Self::NAME, &instances, |it| it.conversation())?;
        let mut report = live::budget(&records, &self.common.live())?;
        report.together.notes.get_or_insert_default().splice(0..0, left_out);
        Ok((records.into_iter().map(|record| record.record).collect(), report))
    }
}
