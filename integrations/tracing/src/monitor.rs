use std::sync::Arc;

use budget_estimation::{
    Advice, AdviceReason, Budget, BudgetMonitor, Estimate, Reservation, StopReason,
};
use tracing::Span;

use crate::{agent_run::AgentRun, attributes::Kind, open_spans::Agent, watched::Watched};

/// What a [`GenAiLayer`](crate::GenAiLayer) has seen, for the loop of an agent. Clones see the same.
#[derive(Clone, Debug)]
pub struct Monitor {
    pub(crate) watched: Arc<Watched>,
}

impl Monitor {
    /// Returns what the loop should do before its next model call.
    ///
    /// The advice is to stop if a cap of the budget or of those above it is used up or exceeded, or if the budget was stopped. The
    /// reason for a cap that is used up to the last unit is [`AdviceReason::CapExceeded`], too, because every further call would exceed it.
    /// Amounts that calls under way hold stop nothing. The layer stops the budget when a call has an unknown amount of a resource with
    /// a cap. A warning is given from the share that [`GenAiLayer::with_warning_at`](crate::GenAiLayer::with_warning_at) sets.
    #[must_use]
    pub fn advice(&self) -> Advice {
        let warn_at = self.watched.lock().warn_at.unwrap_or(1.0);
        // No amount that a budget counts lies between this share of a cap and the cap.
        match self.advice_at(1_f64.next_down()) {
            Advice::Warn(AdviceReason::NearCap { resource }) => {
                Advice::Stop(AdviceReason::CapExceeded { resource })
            }
            stop @ Advice::Stop(_) => stop,
            _ => self.advice_at(warn_at),
        }
    }

    fn advice_at(&self, warn_at: f64) -> Advice {
        let budget = self.budget();
        let estimates = vec![Estimate::NoAnswer; budget.resources().len()];
        let monitor = BudgetMonitor::new(budget.resources().map(|it| (it.name, None)));
        monitor
            .and_then(|monitor| monitor.with_warning_at(warn_at))
            .and_then(|mut monitor| monitor.advise(budget, &estimates, None))
            .unwrap_or_else(|error| {
                let reason = StopReason::Other(error.to_string());
                Advice::Stop(AdviceReason::BudgetStopped { reason })
            })
    }

    /// Returns the amount of each resource that is neither spent nor held; see [`Budget::resources`].
    #[must_use]
    pub fn left(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.budget().resources().map(|it| it.left)
    }

    /// Returns the budget that all agents share. Its display text tells a model the remaining budget.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.watched.budget
    }

    /// Gives a reservation to the span of a model call. When the span closes, the reservation is settled with the amounts that
    /// the span states, and amounts that it does not state count as reserved. What model calls within the span use without a
    /// reservation of their own, such as those that are tried again, is settled with it.
    ///
    /// The reservation is of the [`budget`](Self::budget) or of a child of it, and the span belongs to the subscriber with the
    /// layer. A span of another kind settles it in the same way if it states an amount. Otherwise, and if the layer does not see the
    /// span, the reserved amounts count as spent.
    pub fn hold(&self, span: &Span, reservation: Reservation) {
        let mut state = self.watched.lock();
        let id = span.id().map(|id| id.into_u64());
        let unused = match id.filter(|id| state.open.contains_key(id)) {
            Some(id) => state.held.insert(id, reservation),
            None => Some(reservation),
        };
        drop(state);
        unused.into_iter().for_each(|held| self.watched.settle(held, &[]));
    }

    /// Returns a copy of what each agent has done so far, in the order in which their first calls ended.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentRun> {
        let agents = self.watched.lock().agents.values().cloned().collect();
        Agent::runs(agents)
    }

    /// Returns what the agents have done whose spans have closed, and forgets them, so that a program with many runs does not keep them
    /// all. Calls outside of spans belong to an agent that never ends.
    #[must_use]
    pub fn take_ended(&self) -> Vec<AgentRun> {
        let ended = self.watched.lock().take_ended();
        Agent::runs(ended)
    }

    /// Returns the number of model calls under way. Their spans have not closed, and nothing that they state counts yet.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        let state = self.watched.lock();
        let kinds = state.open.values().map(|span| span.facts.kind());
        kinds.filter(|kind| *kind == Some(Kind::ModelCall)).count()
    }
}
