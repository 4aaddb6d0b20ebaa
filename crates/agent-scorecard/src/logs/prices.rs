use std::{collections::BTreeMap, io::Read};

use run_logs::{
    Run, Usage,
    json_lines::{InputError, bytes},
};
use serde::Deserialize;

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
/// let prices = Prices::read("prices.json", &file[..])?;
/// let mut run = Run::new("a");
/// run.model = Some("m-1".to_owned());
/// run.usage = Usage {
///     input_tokens: Some(3_000),
///     cached_tokens: Some(1_000),
///     output_tokens: Some(500),
///     ..Usage::default()
/// };
/// assert_eq!(prices.cost_usd(&run), Ok(0.0085));
/// run.model = Some("m-2".to_owned());
/// assert_eq!(prices.cost_usd(&run), Err("m-2".to_owned()));
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

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
        Ok(Self(prices))
    }

    /// What a run cost by its tokens: by those of each model if the log counts them apart.
    ///
    /// # Errors
    ///
    /// The model that has no price; an empty text if the log has no model or no tokens.
    pub fn cost_usd(&self, run: &Run) -> Result<f64, String> {
        if !run.usage_by_model.is_empty() {
            return run.usage_by_model.iter().map(|(model, usage)| self.of(model, usage)).sum();
        }
        self.of(run.model.as_deref().unwrap_or_default(), &run.usage)
    }

    fn of(&self, model: &str, usage: &Usage) -> Result<f64, String> {
        let price = self.0.get(model).ok_or_else(|| model.to_owned())?;
        let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) else {
            return Err(String::new());
        };
        let cached = usage.cached_tokens.unwrap_or(0).min(input);
        let cached_price = price.cached_input.unwrap_or(price.input);
        let cost = (input - cached) as f64 * price.input
            + cached as f64 * cached_price
            + output as f64 * price.output;
        Ok(cost / 1e6)
    }
}
