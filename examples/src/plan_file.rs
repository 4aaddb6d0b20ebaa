//! Files of plans: what a model wrote for all pools, or JSON Lines with what it wrote for each,
//! `{"pool", "alpha"?, "answer"}`.

use std::{fs, path::Path};

use serde::Deserialize;

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
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// The pool, from 0.
    pub pool: usize,
    /// The share of the budget; any where it is left out.
    pub alpha: Option<f64>,
    /// The text.
    pub answer: String,
}

impl PlanFile {
    /// Reads a file: as JSON Lines where its first line is an object with an `answer`, as one text
    /// otherwise.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a file that cannot be read or has a line without what is needed, and for a
    /// pool that comes twice.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let file = path.display().to_string();
        let wrong = |line: Option<usize>, field: Option<&str>, problem: String| InputError {
            file: file.clone(),
            line,
            field: field.map(str::to_owned),
            problem,
        };
        let text = fs::read(path).map_err(|error| wrong(None, None, error.to_string()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let object: Option<serde_json::Value> = serde_json::from_str(first).ok();
        if object.is_none_or(|object| object.get("answer").is_none()) {
            return Ok(Self::One(text));
        }
        let mut answers: Vec<Answer> = Vec::new();
        for line in json_lines::read::<Answer>(path)? {
            let new = line.value;
            let meets = |old: &Answer| {
                old.pool == new.pool
                    && (old.alpha == new.alpha || old.alpha.is_none() || new.alpha.is_none())
            };
            if answers.iter().any(meets) {
                let problem = format!("there are two answers for pool {} and one alpha", new.pool);
                return Err(wrong(Some(line.number), Some("pool"), problem));
            }
            answers.push(new);
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
                answers.iter().find(fits).map(|answer| answer.answer.as_str())
            }
        }
    }
}
