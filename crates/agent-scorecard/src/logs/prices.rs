use std::{collections::BTreeMap, io::Read};

use run_logs::{
    Run, Usage,
    json_lines::{InputError, bytes},
};
use serde::Deserialize;

use crate::report::sentence::counted;

/// What a model costs, in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Input that was not read from a cache.
    pub input: f64,
    /// Input that was read from a cache; without it, cached input costs as much as other input.
    pub cached_input: Option<f64>,
    /// Output, that of reasoning included.
    pub output: f64,
}

/// Prices of models by the names that logs give them.
///
/// ```
/// use agent_scorecard::{logs::Prices, run_logs::{Run, Usage}};
///
/// let file = br#"{"m-1": {"input": 2.0, "cached_input": 0.5, "output": 8.0}}"#;
/// let mut prices = Prices::read("prices.json", &file[..])?;
/// let mut run = Run::new("a");
/// run.model = Some("m-1".to_owned());
/// run.usage = Usage {
///     input_tokens: Some(3_000),
///     cached_tokens: Some(1_000),
///     output_tokens: Some(500),
///     ..Usage::default()
/// };
/// prices.price(&mut run);
/// assert_eq!(run.usage.cost_usd, Some(0.0085));
///
/// (run.model, run.usage.cost_usd) = (Some("m-2".to_owned()), None);
/// prices.price(&mut run);
/// assert_eq!(run.usage.cost_usd, None);
/// assert_eq!(prices.notes(), ["no price of the model m-2: the cost of 1 run is not known"]);
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    prices: BTreeMap<String, Price>,
    /// The runs of each model that has no price.
    unpriced: BTreeMap<String, u64>,
}

impl Prices {
    /// Reads an object of models with their prices: `{"MODEL": {"input", "cached_input", "output"}}`, of which
    /// `cached_input` may be left out. `file` names the source in errors.
    ///
    /// # Errors
    ///
    /// [`InputError`] that names the file and what is wrong: another form, or a price that is negative.
    pub fn read(file: &str, source: impl Read) -> Result<Self, InputError> {
        let wrong = |line, problem| InputError::of_field(file, line, "prices", problem);
        let prices: BTreeMap<String, Price> = serde_json::from_slice(&bytes(file, source)?)
            .map_err(|error| wrong(error.line(), error.to_string()))?;
        for (model, Price { input, cached_input, output }) in &prices {
            if [*input, cached_input.unwrap_or(0.0), *output].iter().any(|price| *price < 0.0) {
                return Err(wrong(
                    1,
                    format!("{model:?} has a price below 0; prices are at least 0"),
                ));
            }
        }
        Ok(Self { prices, ..Self::default() })
    }

    /// Gives a run whose log has no cost what it cost by its tokens: by those of each model if the log counts them apart.
    pub fn price(&mut self, run: &mut Run) {
        if run.usage.cost_usd.is_some() {
            return;
        }
        match self.cost_usd(run) {
            Ok(cost_usd) => run.usage.cost_usd = Some(cost_usd),
            Err(Some(model)) => *self.unpriced.entry(model).or_default() += 1,
            Err(None) => {}
        }
    }

    /// Says which models have no price, and how many runs have no cost for that.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let note = |(model, n): (&String, &u64)| {
            let runs = counted(n, "run");
            format!("no price of the model {model}: the cost of {runs} is not known")
        };
        self.unpriced.iter().map(note).collect()
    }

    /// The cost, or the model that has no price; `None` if the log has no model or no tokens.
    fn cost_usd(&self, run: &Run) -> Result<f64, Option<String>> {
        if !run.usage_by_model.is_empty() {
            return run.usage_by_model.iter().map(|(model, usage)| self.of(model, usage)).sum();
        }
        self.of(run.model.as_deref().ok_or(None)?, &run.usage)
    }

    fn of(&self, model: &str, usage: &Usage) -> Result<f64, Option<String>> {
        let price = self.prices.get(model).ok_or_else(|| Some(model.to_owned()))?;
        let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) else {
            return Err(None);
        };
        let cached = usage.cached_tokens.unwrap_or(0).min(input);
        let cached_price = price.cached_input.unwrap_or(price.input);
        let cost = (input - cached) as f64 * price.input
            + cached as f64 * cached_price
            + output as f64 * price.output;
        Ok(cost / 1e6)
    }
}
