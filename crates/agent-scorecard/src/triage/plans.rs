use std::{collections::BTreeMap, io::Read};

use knapsack_oracle::{Alpha, PlanReading, Repair};
use run_logs::json_lines::{InputError, bytes, parse};
use serde::Deserialize;
use serde_json::Value;

/// The source of the plans.
#[derive(Clone, Debug, PartialEq)]
pub enum Planner {
    /// All problems in their order, with equal shares of the budget.
    AllInOrder,
    /// The cheapest problems first, by true cost.
    CheapestFirst,
    /// All problems in random order, with equal shares of the budget.
    Random,
    /// The optimal plan.
    Oracle,
    /// A model.
    Model {
        /// The name of the model, or of the file of its answers.
        name: String,
        /// The answers of the model.
        answers: Answers,
    },
}

impl Planner {
    /// The planners that need no answers.
    const NAMED: [Self; 4] = [Self::AllInOrder, Self::CheapestFirst, Self::Random, Self::Oracle];

    /// Returns the built-in planner of this name; `None` for the name of a model.
    ///
    /// ```
    /// use agent_scorecard::triage::Planner;
    ///
    /// assert_eq!(Planner::named("oracle"), Some(Planner::Oracle));
    /// assert_eq!(Planner::named("some-model"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|planner| planner.name() == name)
    }

    /// Returns the name in options and reports.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::AllInOrder => "all-in-order",
            Self::CheapestFirst => "cheapest-first",
            Self::Random => "random",
            Self::Oracle => "oracle",
            Self::Model { name, .. } => name,
        }
    }

    /// Returns whether the planner knows true costs or outcomes. Such a planner is a reference and does not compete.
    #[must_use]
    pub const fn is_informed(&self) -> bool {
        matches!(self, Self::CheapestFirst | Self::Oracle)
    }
}

/// The answers of a model to requests for plans.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// One text, which is the answer for each pool and each budget.
    One(String),
    /// One text per pool, per ratio of unsolvable problems (as bits), and per alpha (as bits; `None` for any alpha).
    Each(BTreeMap<(usize, u64, Option<u64>), String>),
}

/// A line with an answer.
#[derive(Deserialize)]
struct Row {
    pool: usize,
    model: Option<String>,
    alpha: Option<f64>,
    /// The ratio at which unsolvable problems were injected.
    #[serde(default)]
    ratio: f64,
    answer: Value,
}

impl Answers {
    /// Reads model answers for the given number of pools of each model. If any line is an object with a `pool`, the input
    /// is JSON Lines with one answer per pool, `{"pool", "model"?, "alpha"?, "ratio"?, "answer"}`; otherwise the whole text
    /// is the answer for every pool. A line names the model if there are several. An answer is a text, or the plan itself.
    /// `file` names the source in errors.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a source that cannot be read, an invalid line, a pool number that is too large, a model that
    /// is missing or has no pools, an `alpha` that is not above 0 and at most 1, a `ratio` that is not from 0 to 1, and
    /// two answers for a pool at one alpha and ratio.
    ///
    /// ```
    /// use agent_scorecard::{InputError, knapsack_oracle::Alpha, triage::Answers};
    ///
    /// let line = br#"{"pool": 1, "alpha": 0.5, "answer": {"plan": []}}"#;
    /// let answers = Answers::read("plans.jsonl", &line[..], &[(None, 2)])?;
    /// assert_eq!(answers[0].get(1, 0.0, Alpha::SWEEP[0]), None);
    /// assert!(Answers::read("plans.jsonl", &line[..], &[(None, 1)]).is_err());
    /// # Ok::<(), InputError>(())
    /// ```
    pub fn read(
        file: &str,
        source: impl Read,
        pools: &[(Option<&str>, usize)],
    ) -> Result<Vec<Self>, InputError> {
        let bytes = bytes(file, source)?;
        // Any line, so that one broken line does not make a text of all answers.
        let is_row = |line: &[u8]| {
            serde_json::from_slice(line).is_ok_and(|value: Value| value.get("pool").is_some())
        };
        if !bytes.split(|&byte| byte == b'\n').any(is_row) {
            let text = Self::One(String::from_utf8_lossy(&bytes).into_owned());
            return Ok(vec![text; pools.len()]);
        }
        let mut answers = vec![Self::Each(BTreeMap::new()); pools.len()];
        for line in parse::<Row>(file, &bytes)? {
            let wrong = |field: &str, problem: String| {
                InputError::of_field(file, line.number, field, problem)
            };
            let Row { pool, model, alpha, ratio, answer } = line.value;
            let is_of =
                |known: &(Option<&str>, usize)| pools.len() == 1 || known.0 == model.as_deref();
            let Some(at) = pools.iter().position(is_of) else {
                let known: Vec<&str> = pools.iter().filter_map(|(model, _)| *model).collect();
                let problem = format!(
                    "give the model of the pool, one of {models}",
                    models = known.join(", "),
                );
                return Err(wrong("model", problem));
            };
            if pool >= pools[at].1 {
                let last = pools[at].1.saturating_sub(1);
                return Err(wrong("pool", format!("there is no pool {pool}; the last is {last}")));
            }
            let alpha = alpha.map(Alpha::new).transpose();
            let alpha = alpha.map_err(|error| wrong("alpha", error.to_string()))?;
            if !(0.0..=1.0).contains(&ratio) {
                return Err(wrong("ratio", format!("is {ratio}; it must be from 0 to 1")));
            }
            let text = match answer {
                Value::String(text) => text,
                plan => plan.to_string(),
            };
            if !answers[at].insert(pool, ratio, alpha, text) {
                let problem = format!("pool {pool} has two answers at the same alpha");
                return Err(wrong("pool", problem));
            }
        }
        Ok(answers)
    }

    /// Adds the text that answers for a pool, counted from 0, at a ratio of unsolvable problems and a budget. The ratio
    /// is 0 without such problems, and `alpha` is `None` for any budget. If there is such a text already, keeps it and
    /// returns false.
    ///
    /// ```
    /// use agent_scorecard::triage::Answers;
    ///
    /// let mut answers = Answers::Each(Default::default());
    /// assert!(answers.insert(0, 0.0, None, "[]".to_owned()));
    /// assert!(!answers.insert(0, 0.0, None, "{}".to_owned()));
    /// ```
    pub fn insert(&mut self, pool: usize, ratio: f64, alpha: Option<Alpha>, text: String) -> bool {
        let Self::Each(texts) = self else { return false };
        // Adding 0 turns -0 into 0.
        let ratio = (ratio + 0.0).to_bits();
        let alpha = alpha.map(|alpha| alpha.get().to_bits());
        let (any, last) = ((pool, ratio, None), (pool, ratio, Some(u64::MAX)));
        let is_taken = match alpha {
            None => texts.range(any..=last).next().is_some(),
            Some(_) => texts.contains_key(&any) || texts.contains_key(&(pool, ratio, alpha)),
        };
        if !is_taken {
            texts.insert((pool, ratio, alpha), text);
        }
        !is_taken
    }

    /// Returns the text for a pool, a ratio of unsolvable problems and a budget, if there is one.
    #[must_use]
    pub fn get(&self, pool: usize, ratio: f64, alpha: Alpha) -> Option<&str> {
        let texts = match self {
            Self::One(text) => return Some(text),
            Self::Each(texts) => texts,
        };
        let alphas = [None, Some(alpha.get().to_bits())].into_iter();
        let mut found = alphas.filter_map(|alpha| texts.get(&(pool, ratio.to_bits(), alpha)));
        found.next().map(String::as_str)
    }
}

/// Returns the name of the reading of a text.
pub(super) const fn name_of_reading(reading: Option<&PlanReading>) -> &'static str {
    match reading {
        None => "missing",
        Some(PlanReading::Plan { repairs, .. }) if repairs.is_empty() => "as_asked",
        Some(PlanReading::Plan { .. }) => "repaired",
        Some(PlanReading::OverBudget { .. }) => "over_budget",
        Some(PlanReading::DuplicateId { .. }) => "duplicate_id",
        Some(_) => "unparseable",
    }
}

/// Returns the name of a repair.
pub(super) fn name_of_repair(repair: &Repair) -> String {
    let name = match serde_json::to_value(repair) {
        Ok(Value::Object(named)) => named.into_iter().next().map(|(name, _)| name),
        _ => None,
    };
    name.unwrap_or_else(|| "other".to_owned())
}
