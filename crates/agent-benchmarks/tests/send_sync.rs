//! A driver can hold conversations on several threads.

use agent_benchmarks::{
    Error, ModelError, Record, Request,
    costbench::{
        CostBench, CostBenchConversation, CostBenchRecord, CostBenchTable, EnumerationConversation,
        Instance, Query,
    },
};

fn is_send_and_sync<T: Send + Sync + 'static>() {}

#[test]
fn all_public_types_can_be_sent_to_and_shared_between_threads() {
    is_send_and_sync::<(CostBench, Query, Instance, CostBenchRecord, CostBenchTable)>();
    is_send_and_sync::<(CostBenchConversation<'static>, EnumerationConversation<'static>)>();
    is_send_and_sync::<(Request, Record, Error, ModelError)>();
}
