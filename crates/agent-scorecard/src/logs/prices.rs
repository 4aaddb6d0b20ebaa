use std::{collections::BTreeMap, io::Read};

use run_logs::{
    Run, Usage,
    json_lines::{InputError, bytes},
};
use serde::Deserialize;
use trajectory_metrics::distinct_keys;

use crate::report::sentence::counted;

/// The price of a model, in US dollars per million tokens: from 0 to 1,000,000.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The price of input tokens that were neither read from a cache nor written to one.
    pub input: f64,
    /// The price of input tokens that were read from a cache; the default is the price of other input.
    pub cached_input: Option<f64>,
    /// The price of input tokens that were written to a cache; the default is the price of other input.
    pub cache_write: Option<f64>,
    /// The price of output tokens.
    pub output: f64,
    /// The price of reasoning tokens in the output; the default is the price of other output.
    pub reasoning: Option<f64>,
    /// For a tier, the number of input tokens above which the tier applies to a call.
    pub above_input_tokens: Option<u64>,
    /// Prices of larger calls, by the name of the tier, such as `long_context`. If several tiers apply to a call, the
    /// one for the largest calls counts.
    #[serde(default, deserialize_with = "distinct_keys::map")]
    pub tiers: BTreeMap<String, Price>,
}

/// The largest price, which is one dollar per token.
const LARGEST: f64 = 1e6;

/// Prices of models by their names in logs.
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
/// assert_eq!(prices.notes(), ["no price is given for the model m-2, so the cost of 1 run is not known"]);
/// # Ok::<(), agent_scorecard::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    prices: BTreeMap<String, Price>,
    /// The number of runs for each remark.
    remarks: BTreeMap<Remark, u64>,
}

/// A problem with the cost of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Remark {
    /// The model has no price.
    WithoutPrice(String),
    /// The price of the model has tiers, and the log does not count each call.
    TiersWithoutCalls(String),
    /// The price of the model lacks this part.
    PartlyPriced(String, &'static str),
}

impl Prices {
    /// Reads a JSON object that maps each model to its [`Price`]: `{"MODEL": {"input": 3, "cached_input": 0.3,
    /// "cache_write": 3.75, "output": 15, "tiers": {"long_context": {"above_input_tokens": 200000, "input": 6,
    /// "output": 22.5}}}}`. Only `input` and `output` are required. `file` names the source in errors.
    ///
    /// # Errors
    ///
    /// [`InputError`] that names the file and the fault: another format, a repeated model or tier, a price out of range, or
    /// a tier without `above_input_tokens`.
    pub fn read(file: &str, source: impl Read) -> Result<Self, InputError> {
        let wrong = |line, problem| InputError::of_field(file, line, "prices", problem);
        let text = bytes(file, source)?;
        let mut json = serde_json::Deserializer::from_slice(&text);
        let prices = distinct_keys::map(&mut json).and_then(|prices| json.end().map(|()| prices));
        let prices: BTreeMap<String, Price> =
            prices.map_err(|error| wrong(error.line(), error.to_string()))?;
        for (model, price) in &prices {
            price.check(false).map_err(|problem| wrong(1, format!("{model:?} {problem}")))?;
            for (name, tier) in &price.tiers {
                let checked = tier.check(true);
                checked.map_err(|it| wrong(1, format!("{model:?}, tier {name:?}, {it}")))?;
            }
        }
        Ok(Self { prices, ..Self::default() })
    }

    /// Sets the cost of a run's agent from its tokens if the log has no cost, or a cost of 0 although tokens were used.
    /// If the log counts the tokens of each model, each model has its own price.
    pub fn price(&mut self, run: &mut Run) {
        let is_free = run.usage.cost_usd == Some(0.0) && run.usage.total_tokens() > Some(0);
        if run.usage.cost_usd.is_some() && !is_free {
            return;
        }
        let models = match run.usage_by_model.is_empty() {
            false => run.agent_usage_by_model(),
            true => usage_by_model(run),
        };
        let mut remarks = Vec::new();
        let costs =
            models.iter().map(|(model, usage)| self.cost_usd(run, model, usage, &mut remarks));
        let cost: Option<f64> = costs.collect::<Vec<_>>().into_iter().sum();
        if let Some(cost) = cost.filter(|_| !models.is_empty()) {
            run.usage.cost_usd = Some(cost);
        } else if is_free {
            // The cost in the log takes precedence.
            return;
        }
        remarks.sort();
        remarks.dedup();
        remarks.into_iter().for_each(|remark| *self.remarks.entry(remark).or_default() += 1);
    }

    /// Returns the reasons why costs are unknown or wrong, with the number of runs for each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let note = |(remark, n): (&Remark, &u64)| {
            let runs = counted(n, "run");
            match remark {
                Remark::WithoutPrice(model) => {
                    format!(
                        "no price is given for the model {model}, so the cost of {runs} is not known"
                    )
                }
                Remark::TiersWithoutCalls(model) => format!(
                    "the price of the model {model} has tiers, but the log does not count the tokens of each call, so the cost of {runs} is not known"
                ),
                Remark::PartlyPriced(model, part) => format!(
                    "the price of the model {model} has no {part}, so tokens of this kind in {runs} are priced as other input"
                ),
            }
        };
        self.remarks.iter().map(note).collect()
    }

    /// Returns the models that have no price, so that the cost of their runs is unknown.
    #[must_use]
    pub fn models_without_price(&self) -> Vec<String> {
        let model = |remark: &Remark| match remark {
            Remark::WithoutPrice(model) => Some(model.clone()),
            _ => None,
        };
        self.remarks.keys().filter_map(model).collect()
    }

    /// Returns the cost of a model in a run; `None` if it has no price, or if its tokens are not known.
    fn cost_usd(
        &self,
        run: &Run,
        model: &str,
        used: &Usage,
        remarks: &mut Vec<Remark>,
    ) -> Option<f64> {
        let Some(price) = self.prices.get(model) else {
            remarks.push(Remark::WithoutPrice(model.to_owned()));
            return None;
        };
        let smallest = price.tiers.values().filter_map(|tier| tier.above_input_tokens).min();
        if smallest.is_none_or(|above| used.input_tokens.is_some_and(|input| input <= above)) {
            return price.cost_usd(model, used, remarks);
        }
        // A tier holds for a call, not for all calls of a run together.
        let is_of_model =
            |of: &Option<String>| of.as_ref().or(run.model.as_ref()).is_some_and(|it| it == model);
        let turns = run.agent_turns().filter(|turn| is_of_model(&turn.model));
        let calls: Vec<&Usage> =
            turns.filter_map(|turn| turn.reply.as_ref()?.usage.as_ref()).collect();
        let input: Option<u64> = calls.iter().map(|call| call.input_tokens).sum();
        let output: Option<u64> = calls.iter().map(|call| call.output_tokens).sum();
        if (input, output) != (used.input_tokens, used.output_tokens) {
            remarks.push(Remark::TiersWithoutCalls(model.to_owned()));
            return None;
        }
        calls.into_iter().map(|call| price.for_call(call).cost_usd(model, call, remarks)).sum()
    }
}

/// Returns the usage of each model: of the turns, if they are of several models, otherwise of the run.
fn usage_by_model(run: &Run) -> BTreeMap<String, Usage> {
    let mut models: BTreeMap<String, Usage> = BTreeMap::new();
    for turn in run.agent_turns().filter(|turn| turn.model_calls != Some(0)) {
        let usage = turn.reply.as_ref().map(|reply| reply.usage.clone().unwrap_or_default());
        if let (Some(model), Some(usage)) = (turn.model.as_ref().or(run.model.as_ref()), usage) {
            let sum = models.get(model).map_or_else(|| usage.clone(), |sum| sum.plus(&usage));
            models.insert(model.clone(), sum);
        }
    }
    match models.len() {
        0 | 1 => run.model.iter().map(|model| (model.clone(), run.usage.clone())).collect(),
        _ => models,
    }
}

impl Price {
    fn check(&self, is_tier: bool) -> Result<(), String> {
        let Self { input, cached_input, cache_write, output, reasoning, .. } = self;
        let parts = [Some(*input), *cached_input, *cache_write, Some(*output), *reasoning];
        if let Some(price) = parts.into_iter().flatten().find(|it| !(0.0..=LARGEST).contains(it)) {
            return Err(format!(
                "has the price {price}; prices are at least 0 and at most {LARGEST}"
            ));
        }
        match (is_tier, self.above_input_tokens, self.tiers.is_empty()) {
            (true, None, _) => Err("has no above_input_tokens".to_owned()),
            (true, _, false) => Err("has tiers of its own".to_owned()),
            (false, Some(_), _) => Err("has above_input_tokens outside a tier".to_owned()),
            _ => Ok(()),
        }
    }

    /// Returns the price of a call of this size.
    fn for_call(&self, call: &Usage) -> &Self {
        let holds = |tier: &&Self| tier.above_input_tokens < call.input_tokens;
        self.tiers.values().filter(holds).max_by_key(|tier| tier.above_input_tokens).unwrap_or(self)
    }

    fn cost_usd(&self, model: &str, used: &Usage, remarks: &mut Vec<Remark>) -> Option<f64> {
        let (input, output) = (used.input_tokens?, used.output_tokens?);
        let cached = used.cached_tokens.unwrap_or(0).min(input);
        let written = used.cache_write_tokens.unwrap_or(0).min(input - cached);
        let reasoning = used.reasoning_tokens.unwrap_or(0).min(output);
        for (tokens, price, part) in [
            (cached, self.cached_input, "cached_input"),
            (written, self.cache_write, "cache_write"),
        ] {
            if tokens > 0 && price.is_none() {
                remarks.push(Remark::PartlyPriced(model.to_owned(), part));
            }
        }
        let cost = (input - cached - written) as f64 * self.input
            + cached as f64 * self.cached_input.unwrap_or(self.input)
            + written as f64 * self.cache_write.unwrap_or(self.input)
            + (output - reasoning) as f64 * self.output
            + reasoning as f64 * self.reasoning.unwrap_or(self.output);
        Some(cost / 1e6)
    }
}
