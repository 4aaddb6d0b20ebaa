//! A driver can hold conversations on several threads.

use agent_benchmarks::{
    Error, ModelError, Question, Record, Request,
    budget::{self, Budget, BudgetConversation, BudgetRecord},
    confidence::{self, Confidence, ConfidenceConversation, ConfidenceFigures, ConfidenceRecord},
    costbench::{
        CostBench, CostBenchConversation, CostBenchFigures, CostBenchRecord, Instance, Query,
    },
    triage::{
        self, SolveConversation, SolveRecord, Triage, TriageConversation, TriageFigures,
        TriageRecord,
    },
};

fn is_send_and_sync<T: Send + Sync + 'static>() {}

#[test]
fn all_public_types_can_be_sent_to_and_shared_between_threads() {
    is_send_and_sync::<(CostBench, Query, Instance, CostBenchRecord, CostBenchFigures)>();
    is_send_and_sync::<CostBenchConversation<'static>>();
    is_send_and_sync::<(Triage, triage::Instance, TriageRecord, TriageFigures, SolveRecord)>();
    is_send_and_sync::<(TriageConversation<'static>, SolveConversation<'static>)>();
    is_send_and_sync::<(Budget, budget::Instance<'static>, BudgetRecord)>();
    is_send_and_sync::<(BudgetConversation<'static>, ConfidenceConversation<'static>)>();
    is_send_and_sync::<(Confidence, confidence::Instance, ConfidenceRecord, ConfidenceFigures)>();
    is_send_and_sync::<(Request, Record, Question, Error, ModelError)>();
}
