use std::sync::{Mutex, MutexGuard, PoisonError};

use budget_estimation::{Budget, Reservation, StopReason};

use crate::{
    count::Counted,
    model_call::ModelCall,
    open_spans::{OpenSpan, State},
};

/// What the layer and the monitors share.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) budget: Budget,
    state: Mutex<State>,
}

impl Watched {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, state: Mutex::default() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the amounts that a closed span adds.
    pub(crate) fn close(
        &self,
        span: &OpenSpan,
        call: &ModelCall,
        held: Option<Reservation>,
        counts: &[Counted],
    ) {
        let is_held = held.is_some();
        let added = self.lock().close(span, call, is_held, counts);
        let (mut spent, mut more) = (Vec::new(), Vec::new());
        for counted in counts {
            let (resource, at) = (counted.resource.as_str(), counted.count as usize);
            let carried = span.carried[at];
            match (added.used[at], counted.count.stated()) {
                (Some(amount), _) => spent.push((resource, amount + carried)),
                (None, Some(at)) if !is_held => {
                    spent.push((resource, added.least[at] + carried));
                    if counted.assumed.is_none() {
                        self.stop_at_unknown(resource);
                    }
                }
                // The reservation counts in full.
                (None, _) => more.push((resource, carried)),
            }
        }
        self.stop_after(self.budget.spend(&more));
        match held {
            Some(held) => self.settle(held, &spent),
            None => self.stop_after(self.budget.spend(&spent)),
        }
    }

    fn stop_at_unknown(&self, resource: &str) {
        if self.budget.resources().any(|it| it.name == resource && it.left.is_some()) {
            let unknown = format!("a span does not state its {resource}");
            self.budget.stop(StopReason::Other(unknown));
        }
    }

    pub(crate) fn settle(&self, held: Reservation, used: &[(&str, f64)]) {
        self.stop_after(held.settle(used));
    }

    /// An amount that cannot be counted stops the budget.
    fn stop_after(&self, result: Result<(), budget_estimation::Error>) {
        if let Err(error) = result {
            self.budget.stop(StopReason::Other(error.to_string()));
        }
    }
}
