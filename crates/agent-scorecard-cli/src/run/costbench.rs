//! `run costbench`.

use std::error::Error;

use agent_benchmarks::{
    Conversation,
    costbench::{CostBench, Instance, Split, queries},
};
use agent_scorecard::{costbench::Blocking, live};

use crate::{
    costbench::options::blockings,
    run::{
        asking::{Asking, Finished, Protocol},
        common::Common,
        expected::Expected,
    },
    values::whole,
};

/// Travel requests that are solved by calling tools at the lowest price
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: Common,
    /// Tasks have L + 3 steps; 0 to 5
    #[arg(long, value_name = "L", default_value_t = 2, value_parser = whole::<usize>(0, 5))]
    level: usize,
    /// The event of each run
    #[arg(long, value_name = "KIND", default_value = "none", value_parser = blockings(events()))]
    block: Blocking,
    /// So many of the 381 test queries, spread over the tasks
    #[arg(long, value_name = "N", default_value_t = 381, value_parser = whole::<usize>(1, 381))]
    queries: usize,
}

/// A run has one event at most.
fn events() -> impl Iterator<Item = Blocking> {
    Blocking::ALL.into_iter().filter(|events| *events != Blocking::Mixed)
}

impl Options {
    /// So many queries, spread over all.
    fn instances(&self) -> Result<Vec<(String, Instance)>, agent_benchmarks::Error> {
        let kinds = match self.block {
            Blocking::Kind(kind) => vec![kind],
            Blocking::None | Blocking::Mixed => Vec::new(),
        };
        let sampling = self.common.sampling();
        let bench = CostBench::new(self.level)?.with_events(kinds).with_sampling(sampling);
        let all = queries(Split::Test, 42);
        let wanted = self.queries.min(all.len());
        let chosen = (0..wanted).map(|i| &all[i * all.len() / wanted]);
        Ok(chosen.map(|query| (query.id.clone(), bench.instance(query))).collect())
    }
}

impl Protocol for Options {
    const NAME: &'static str = "costbench";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        format!("level {}, events {}", self.level, self.block.name())
    }

    fn expect(&self, expected: &mut Expected<'_>) -> Result<(), Box<dyn Error>> {
        for (_, instance) in self.instances()? {
            // As many calls as on the optimal path, and the answer.
            let requests = instance.reference().calls().len() + 1;
            expected.add([requests; 2], instance.conversation().request());
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let instances = self.instances()?;
        let records = asking.run(Self::NAME, &instances, |it| it.conversation())?;
        let report = live::costbench(&records, &self.common.live())?;
        Ok((records.into_iter().map(|record| record.record).collect(), report))
    }
}
