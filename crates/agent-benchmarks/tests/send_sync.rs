//! A driver can hold conversations on several threads.
#![cfg(all(feature = "budget", feature = "confidence", feature = "costbench", feature = "triage"))]

use agent_benchmarks::{
    Error, ModelError, Question, Record, Request,
    budget::{self, Budget, BudgetConversation, BudgetRecord},
    confidence::{self, Confidence, ConfidenceConversation, ConfidenceRecord, ConfidenceTable},
    costbench::{
        CostBench, CostBenchConversation, CostBenchRecord, CostBenchTable, EnumerationConversation,
        Instance, Query,
    },
    triage::{
        self, SolveConversation, SolveRecord, Triage, TriageConversation, TriageRecord, TriageTable,
    },
};

fn is_send_and_sync<T: Send + Sync + 'static>() {}

#[test]
fn all_public_types_can_be_sent_to_and_shared_between_threads() {
    is_send_and_sync::<(CostBench, Query, Instance, CostBenchRecord, CostBenchTable)>();
    is_send_and_sync::<(CostBenchConversation<'static>, EnumerationConversation<'static>)>();
    is_send_and_sync::<(Triage, triage::Instance, TriageRecord, TriageTable, SolveRecord)>();
    is_send_and_sync::<(TriageConversation<'static>, SolveConversation<'static>)>();
    is_send_and_sync::<(Budget, budget::Instance<'static>, BudgetRecord)>();
    is_send_and_sync::<(BudgetConversation<'static>, ConfidenceConversation<'static>)>();
    is_send_and_sync::<(Confidence, confidence::Instance, ConfidenceRecord, ConfidenceTable)>();
    is_send_and_sync::<(Request, Record, Question, Error, ModelError)>();
}
