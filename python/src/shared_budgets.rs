//! Budgets that agents share.

use budget_estimation::{Error, Level};
use pyo3::prelude::*;

use crate::{budgets::Amounts, errors::Failure};

fn failure(error: Error) -> PyErr {
    Failure::from(error).into()
}

fn named(amounts: &Amounts) -> Vec<(&str, f64)> {
    amounts.iter().map(|(name, amount)| (name.as_str(), *amount)).collect()
}

/// What threads and tasks may spend together.
#[pyclass(module = "agent_scorecard", frozen)]
pub(crate) struct Budget {
    budget: budget_estimation::Budget,
}

#[pymethods]
impl Budget {
    #[new]
    fn new(caps: Vec<(String, Option<f64>)>, notice_at: Option<f64>) -> PyResult<Self> {
        let budget = budget_estimation::Budget::new(caps).map_err(failure)?;
        let budget = match notice_at {
            Some(share) => budget.with_notice_at(share).map_err(failure)?,
            None => budget,
        };
        Ok(Self { budget })
    }

    fn child(&self, caps: Amounts, notice_at: Option<f64>) -> PyResult<Self> {
        let budget = self.budget.child(&named(&caps)).map_err(failure)?;
        let budget = match notice_at {
            Some(share) => budget.with_notice_at(share).map_err(failure)?,
            None => budget,
        };
        Ok(Self { budget })
    }

    /// Returns a reservation, or the text and the stop reason of the refusal.
    fn reserve(&self, amounts: Amounts) -> PyResult<(Option<Reservation>, String, String)> {
        match self.budget.reserve(&named(&amounts)) {
            Ok(held) => Ok((Some(Reservation { held: Some(held) }), String::new(), String::new())),
            Err(error) => match error.stop_reason() {
                Some(reason) => Ok((None, error.to_string(), reason.to_string())),
                None => Err(failure(error)),
            },
        }
    }

    fn spend(&self, amounts: Amounts) -> PyResult<()> {
        self.budget.spend(&named(&amounts)).map_err(failure)
    }

    /// The names, caps, and amounts spent, held, left and in excess.
    #[allow(clippy::type_complexity, reason = "a tuple that Python takes apart at once")]
    fn amounts(
        &self,
    ) -> (Vec<String>, Vec<Option<f64>>, Vec<f64>, Vec<f64>, Vec<Option<f64>>, Vec<f64>) {
        let all: Vec<_> = self.budget.resources().collect();
        (
            all.iter().map(|it| it.name.to_owned()).collect(),
            all.iter().map(|it| it.cap).collect(),
            all.iter().map(|it| it.spent).collect(),
            all.iter().map(|it| it.held).collect(),
            all.iter().map(|it| it.left).collect(),
            all.iter().map(|it| it.excess).collect(),
        )
    }

    fn notice(&self) -> Option<String> {
        self.budget.notice().map(str::to_owned)
    }

    fn stop(&self, reason: String) {
        self.budget.stop(reason.into());
    }

    #[getter]
    fn stop_reason(&self) -> Option<String> {
        self.budget.stop_reason().map(ToString::to_string)
    }

    fn adopt(&self, text: &str) -> PyResult<Self> {
        let stored = Self::from_json(text)?;
        Ok(Self { budget: self.budget.adopt(stored.budget).map_err(failure)? })
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.budget).map_err(unreadable)
    }

    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { budget: serde_json::from_str(text).map_err(unreadable)? })
    }

    fn __str__(&self) -> String {
        self.budget.to_string()
    }
}

fn unreadable(error: serde_json::Error) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(format!("stored budget: {error}"))
}

/// Amounts that are held for one call.
#[pyclass(module = "agent_scorecard")]
pub(crate) struct Reservation {
    held: Option<budget_estimation::Reservation>,
}

#[pymethods]
impl Reservation {
    /// Settles the amounts used. Returns whether the reservation was still open.
    fn settle(&mut self, used: Amounts) -> PyResult<bool> {
        match self.held.take() {
            Some(held) => held.settle(&named(&used)).map(|()| true).map_err(failure),
            None => Ok(false),
        }
    }

    /// Gives everything back that is still held.
    fn give_back(&mut self) {
        drop(self.held.take());
    }
}

/// The costs of past calls.
#[pyclass(module = "agent_scorecard")]
pub(crate) struct CallCosts {
    costs: budget_estimation::CallCosts,
}

#[pymethods]
impl CallCosts {
    #[new]
    fn new(chance: f64, window: usize) -> PyResult<Self> {
        let costs = || budget_estimation::CallCosts::new(Level::new(chance)?, window);
        Ok(Self { costs: costs().map_err(failure)? })
    }

    fn learn(&mut self, cost: f64) -> PyResult<()> {
        self.costs.learn(cost).map_err(failure)
    }

    fn amount(&self, largest: f64) -> PyResult<f64> {
        self.costs.amount(largest).map_err(failure)
    }

    #[getter]
    fn mean(&self) -> Option<f64> {
        self.costs.mean()
    }
}
