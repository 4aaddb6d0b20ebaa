//! Files of plans: what a model wrote for all pools, or JSON Lines with what it wrote for each,
//! `{"pool", "alpha"?, "ratio"?, "answer"}`.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
};

use knapsack_oracle::Alpha;
use serde::Deserialize;
use serde_json::Value;

use crate::files::json_lines::{self, InputError};

/// Answers of a model, by pool and share of the budget.
#[derive(Clone, Debug)]
pub enum PlanFile {
    /// One text, which is read for each pool and each alpha.
    One(String),
    /// A text for each of some pools and shares.
    Each(Answers),
}

/// What a model wrote when it was shown each of some pools.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// By pool and by the bits of the ratio at which unsolvable problems were injected; 0 if none were.
    of_pools: BTreeMap<(usize, u64), OfPool>,
}

#[derive(Clone, Debug)]
enum OfPool {
    /// One text for any share of the budget.
    AnyAlpha(String),
    /// A text for each of some shares, by the bits of the share.
    Each(BTreeMap<u64, String>),
}

#[derive(Deserialize)]
struct Row {
    pool: usize,
    alpha: Option<f64>,
    /// The ratio at which unsolvable problems were injected.
    #[serde(default)]
    ratio: f64,
    /// A text, or the plan itself.
    answer: Value,
}

impl PlanFile {
    /// Reads a file: as JSON Lines if some line is an object with a `pool`, as one text otherwise.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a file that cannot be read or has an invalid line, for a pool that is not
    /// below `pools`, for an `alpha` that is not above 0 and at most 1, for a `ratio` that is not from
    /// 0 to 1, and for a pool that has two answers at one alpha and ratio.
    pub fn read(path: &Path, pools: usize) -> Result<Self, InputError> {
        let bytes = json_lines::bytes(path)?;
        // Any line, so that one broken line does not make a text of all answers.
        let is_row = |line: &[u8]| {
            serde_json::from_slice(line).is_ok_and(|value: Value| value.get("pool").is_some())
        };
        if !bytes.split(|&byte| byte == b'\n').any(is_row) {
            return Ok(Self::One(String::from_utf8_lossy(&bytes).into_owned()));
        }
        let mut answers = Answers::default();
        for line in json_lines::parse_all::<Row>(path, &bytes)? {
            let wrong = |field: &str, problem: String| InputError {
                file: path.display().to_string(),
                line: Some(line.number),
                field: Some(field.to_owned()),
                problem,
            };
            let Row { pool, alpha, ratio, answer } = line.value;
            if pool >= pools {
                let last = pools.saturating_sub(1);
                return Err(wrong("pool", format!("there is no pool {pool}; the last is {last}")));
            }
            if let Some(Err(error)) = alpha.map(Alpha::new) {
                return Err(wrong("alpha", error.to_string()));
            }
            if !(0.0..=1.0).contains(&ratio) {
                return Err(wrong("ratio", format!("is {ratio}; it must be from 0 to 1")));
            }
            let text = match answer {
                Value::String(text) => text,
                plan => plan.to_string(),
            };
            if !answers.insert(pool, ratio, alpha, text) {
                let problem = format!("there are two answers for pool {pool} at one alpha");
                return Err(wrong("pool", problem));
            }
        }
        Ok(Self::Each(answers))
    }

    /// The text for a pool, a ratio of injected problems and a share of the budget, if there is one.
    #[must_use]
    pub fn answer(&self, pool: usize, ratio: f64, alpha: f64) -> Option<&str> {
        match self {
            Self::One(text) => Some(text),
            Self::Each(answers) => match answers.of_pools.get(&(pool, ratio.to_bits()))? {
                OfPool::AnyAlpha(text) => Some(text),
                OfPool::Each(texts) => texts.get(&alpha.to_bits()).map(String::as_str),
            },
        }
    }
}

impl Answers {
    /// Adds a text; false if there is one for this pool, ratio and share already.
    fn insert(&mut self, pool: usize, ratio: f64, alpha: Option<f64>, text: String) -> bool {
        // Adding 0 turns -0 into 0.
        match (self.of_pools.entry((pool, (ratio + 0.0).to_bits())), alpha) {
            (Entry::Vacant(pool), None) => {
                pool.insert(OfPool::AnyAlpha(text));
                true
            }
            (Entry::Vacant(pool), Some(alpha)) => {
                pool.insert(OfPool::Each(BTreeMap::from([(alpha.to_bits(), text)])));
                true
            }
            (Entry::Occupied(mut pool), Some(alpha)) => match pool.get_mut() {
                OfPool::Each(texts) => texts.insert(alpha.to_bits(), text).is_none(),
                OfPool::AnyAlpha(_) => false,
            },
            (Entry::Occupied(_), None) => false,
        }
    }
}
