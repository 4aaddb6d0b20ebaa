use std::sync::Arc;

use budget_estimation::{
    Advice, AdviceReason, Budget, BudgetMonitor, Estimate, Reservation, StopReason,
};
use tracing::Span;

use crate::{agent_run::AgentRun, attributes::Kind, watched::Watched};

/// What a [`GenAiLayer`](crate::GenAiLayer) has seen, for the loop of an agent. Clones see the same.
#[derive(Clone, Debug)]
pub struct Monitor {
    pub(crate) watched: Arc<Watched>,
}

impl Monitor {
    /// Returns what the loop should do before its next model call.
    ///
    /// The advice is to stop if a cap of the budget is used up, because every further call would exceed it, if a cap above it is
    /// exceeded, or if the budget was stopped. The layer stops the budget when a call has an unknown amount of a resource with
    /// a cap. A warning is given from the share that [`GenAiLayer::with_warning_at`](crate::GenAiLayer::with_warning_at) sets.
    #[must_use]
    pub fn advice(&self) -> Advice {
        let budget = self.budget();
        let estimates = vec![Estimate::NoAnswer; budget.names().len()];
        let warn_at = self.watched.lock().warn_at.unwrap_or(1.0);
        let monitor = BudgetMonitor::new(budget.names().map(|name| (name, None)));
        let advice = monitor
            .and_then(|monitor| monitor.with_warning_at(warn_at))
            .and_then(|mut monitor| monitor.advise(budget, &estimates, None))
            .unwrap_or_else(|error| {
                let reason = StopReason::Other(error.to_string());
                Advice::Stop(AdviceReason::BudgetStopped { reason })
            });
        if matches!(advice, Advice::Stop(_)) {
            return advice;
        }
        let mut resources = budget.names().zip(budget.caps()).zip(budget.spent());
        let used_up = resources.find(|((_, cap), spent)| cap.is_some_and(|cap| *spent >= cap));
        used_up.map_or(advice, |((resource, _), _)| {
            Advice::Stop(AdviceReason::CapExceeded { resource: resource.to_owned() })
        })
    }

    /// Returns the amount of each resource that is neither spent nor held, as [`Budget::left`].
    #[must_use]
    pub fn left(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.budget().left()
    }

    /// Returns the budget that all agents share. Its display text tells a model what is left.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.watched.budget
    }

    /// Gives a reservation to the span of a model call. When the span closes, the reservation is settled with the amounts that
    /// the span states, and amounts that it does not state count as reserved.
    ///
    /// The reservation is of the [`budget`](Self::budget) or of a child of it, and the span belongs to the subscriber with the
    /// layer. If the span is disabled or of another kind, the reserved amounts count as spent.
    pub fn hold(&self, span: &Span, reservation: Reservation) {
        match span.id() {
            Some(id) => {
                let replaced = self.watched.lock().held.insert(id.into_u64(), reservation);
                replaced.into_iter().for_each(|held| self.watched.settle(held, &[]));
            }
            None => self.watched.settle(reservation, &[]),
        }
    }

    /// Returns a copy of what each agent has done so far, in the order in which their first calls ended.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentRun> {
        self.watched.lock().agents.iter().map(|agent| agent.run()).collect()
    }

    /// Returns the number of model calls under way. Their spans have not closed, and nothing that they state counts yet.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        let state = self.watched.lock();
        let kinds = state.open.values().map(|span| span.facts.kind());
        kinds.filter(|kind| *kind == Some(Kind::ModelCall)).count()
    }
}
