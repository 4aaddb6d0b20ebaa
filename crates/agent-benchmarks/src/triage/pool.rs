use knapsack_oracle::{Item, Pool};

use crate::{
    error::Error,
    questions::Question,
    triage::{settings::Triage, solving::SolvingRecord},
};

/// The pool of questions that were solved alone: their costs are the output tokens of the replies.
///
/// # Errors
///
/// [`Error::StoredValue`] if a record is missing, is of another question, or does not say how many tokens
/// the reply has; [`Error::KnapsackOracle`] if a reply has no tokens or an id stands twice.
pub fn baseline_pool(questions: &[Question], solved: &[SolvingRecord]) -> Result<Pool, Error> {
    if questions.len() != solved.len() {
        let problem =
            format!("there are {} records for {} questions", solved.len(), questions.len());
        return Err(Error::StoredValue { problem });
    }
    let items = questions.iter().zip(solved).map(|(question, record)| {
        let id = &record.record.run.id;
        if *id != question.id {
            let problem = format!("a record is of {id:?}; it must be of {:?}", question.id);
            return Err(Error::StoredValue { problem });
        }
        let cost = record.output_tokens.ok_or_else(|| {
            let problem = format!("the record of {id:?} lacks the number of output tokens");
            Error::StoredValue { problem }
        })?;
        Ok(Item::new(id, question.value, cost, record.is_right)?)
    });
    Ok(Pool::new(items.collect::<Result<_, Error>>()?)?)
}

/// A pool of problems with its budget and its references. Made by [`Triage::pool`].
#[derive(Clone, Debug, PartialEq)]
pub struct TriagePool {
    pub(super) settings: Triage,
    pub(super) id: String,
    pub(super) questions: Vec<Question>,
    pub(super) pool: Pool,
    pub(super) budget: u64,
    oracle: f64,
    random: f64,
}

impl TriagePool {
    pub(super) fn new(
        settings: &Triage,
        id: String,
        questions: &[Question],
        pool: Pool,
    ) -> Result<Self, Error> {
        let items = pool.items();
        let is_same = items.len() == questions.len()
            && items
                .iter()
                .zip(questions)
                .all(|(item, question)| item.id() == question.id && item.value() == question.value);
        if !is_same {
            let problem =
                "the items of a pool must be its questions, in their order, with their values";
            return Err(Error::StoredValue { problem: problem.to_owned() });
        }
        let budget = pool.budget(settings.alpha);
        let oracle = pool.oracle(budget)?.value;
        let random = pool.random_exact(budget)?.value;
        let questions = questions.to_vec();
        Ok(Self { settings: settings.clone(), id, questions, pool, budget, oracle, random })
    }

    /// The name of the pool.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The setting.
    #[must_use]
    pub const fn settings(&self) -> &Triage {
        &self.settings
    }

    /// The questions.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The costs and outcomes of the questions, which the model does not see.
    #[must_use]
    pub const fn items(&self) -> &Pool {
        &self.pool
    }

    /// The budget, in output tokens.
    #[must_use]
    pub const fn budget(&self) -> u64 {
        self.budget
    }

    /// The value of the best plan, by one who knows the costs and outcomes.
    #[must_use]
    pub const fn oracle(&self) -> f64 {
        self.oracle
    }

    /// The expected value of a random order, executed until the first problem that does not fit.
    #[must_use]
    pub const fn random(&self) -> f64 {
        self.random
    }
}
