use agent_benchmarks::{
    Arguments, RecordedCall, Reply, Value,
    costbench::{CostBench, Objective, Split, queries},
};

use crate::{Sample, Samples, requests};

pub(crate) fn samples() -> Samples {
    let query = &queries(Split::Test, 42)[0];
    let instance = CostBench::new(0)?.instance(query);
    let sure = CostBench::new(0)?.with_confidence(Objective::Optimal).instance(query);
    let unknown = RecordedCall::new("Search", Arguments::Parsed(Value::Map(Default::default())));
    let call = Reply { tool_calls: vec![unknown], ..Reply::default() };
    Ok(vec![
        Sample {
            name: "costbench",
            title: "CostBench",
            published: "CostBench, figures 15 and 16",
            requests: requests(instance.conversation(), [call])?,
        },
        Sample {
            name: "costbench_confidence",
            title: "CostBench: with a stated confidence",
            published: "none",
            requests: requests(sure.conversation(), [])?,
        },
    ])
}
