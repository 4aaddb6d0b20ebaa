//! Files of plans: what a model wrote for all pools, or JSON Lines with what it wrote for each,
//! `{"pool", "alpha"?, "answer"}`.

use std::{fs, path::Path};

use serde::Deserialize;
use serde_json::Value;

use crate::json_lines::{self, InputError};

/// Answers of a model, by pool and share of the budget.
#[derive(Clone, Debug)]
pub enum PlanFile {
    /// One text, which is read for each pool and each alpha.
    One(String),
    /// A text for each of some pools and shares.
    Each(Vec<Answer>),
}

/// What a model wrote when it was shown a pool.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The pool, from 0.
    pool: usize,
    /// The share of the budget; any where it is left out.
    alpha: Option<f64>,
    /// The text.
    text: String,
}

#[derive(Deserialize)]
struct Row {
    pool: usize,
    alpha: Option<f64>,
    /// A text, or the plan itself.
    answer: Value,
}

impl PlanFile {
    /// Reads a file: as JSON Lines where some line is an object with a `pool`, as one text otherwise.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a file that cannot be read or has a line without what is needed, for a pool
    /// that is not below `pools`, and for one that has two answers at one alpha.
    pub fn read(path: &Path, pools: usize) -> Result<Self, InputError> {
        let wrong = |line: Option<usize>, problem: String| InputError {
            file: path.display().to_string(),
            line,
            field: line.map(|_| "pool".to_owned()),
            problem,
        };
        let text = fs::read(path).map_err(|error| wrong(None, error.to_string()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        // Any line, so that one broken line does not make a text of all answers.
        let is_row = |line: &str| {
            serde_json::from_str(line).is_ok_and(|value: Value| value.get("pool").is_some())
        };
        if !text.lines().any(is_row) {
            return Ok(Self::One(text));
        }
        let mut answers: Vec<Answer> = Vec::new();
        for line in json_lines::read::<Row>(path)? {
            let Row { pool, alpha, answer } = line.value;
            if pool >= pools {
                let problem = format!("there is no pool {pool}; the last is {}", pools - 1);
                return Err(wrong(Some(line.number), problem));
            }
            let meets = |old: &Answer| {
                let same = old.alpha.is_none() || alpha.is_none() || old.alpha == alpha;
                old.pool == pool && same
            };
            if answers.iter().any(meets) {
                let problem = format!("there are two answers for pool {pool} at one alpha");
                return Err(wrong(Some(line.number), problem));
            }
            let text = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
            answers.push(Answer { pool, alpha, text });
        }
        Ok(Self::Each(answers))
    }

    /// The text for a pool and a share of the budget, where there is one.
    #[must_use]
    pub fn answer(&self, pool: usize, alpha: f64) -> Option<&str> {
        match self {
            Self::One(text) => Some(text),
            Self::Each(answers) => {
                let fits = |answer: &&Answer| {
                    answer.pool == pool && answer.alpha.is_none_or(|given| given == alpha)
                };
                answers.iter().find(fits).map(|answer| answer.text.as_str())
            }
        }
    }
}
