//! The options that every benchmark has.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use agent_benchmarks::{Api, Sampling, Value, client::ClientSettings, run_logs::to_json};
use agent_scorecard::{live::LiveOptions, options};

use crate::{files::bundled::text, output::options::Forms};

/// The environment variable of the server's key.
pub(crate) const KEY: &str = "AGENT_SCORECARD_API_KEY";

/// The server, the folder, the limits and the forms of a report.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Address of the server, such as https://api.openai.com/v1. The path of the --api, such as /chat/completions, is
    /// appended to it
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: String,
    /// Format of the requests to the server: openai-chat, openai-responses or anthropic
    #[arg(long, value_name = "NAME", default_value = "openai-chat", value_parser = api)]
    pub(crate) api: Api,
    /// Name of the model on the server
    #[arg(long, value_name = "NAME")]
    pub(crate) model: String,
    /// Folder to write answers, runs and the report page to. After an interruption, the same command continues from the
    /// answers in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Print the expected numbers of requests and tokens, and send no request
    #[arg(long, conflicts_with_all = ["json", "markdown", "fail_if", "html", "plot"])]
    pub(crate) dry_run: bool,
    /// Maximum number of tokens in a reply
    #[arg(long, value_name = "N", default_value_t = 4_096, value_parser = options::whole::<u64>(1, u64::MAX))]
    pub(crate) max_output_tokens: u64,
    /// Send the token limit as max_completion_tokens, which some models need instead of max_tokens
    #[arg(long)]
    max_completion_tokens: bool,
    /// Sampling temperature. With the value none, requests have no temperature, as some models require (default: 0,
    /// unless the help of the benchmark states another)
    #[arg(long, value_name = "X|none", value_parser = temperature)]
    // With its path it is one value for clap.
    temperature: Option<std::option::Option<f64>>,
    /// Effort of a reasoning model: a word that the server accepts, such as low or high
    #[arg(long, value_name = "WORD")]
    reasoning_effort: Option<String>,
    /// JSON object whose fields are added to the body of each request, such as '{"top_k": 20}'
    #[arg(long, value_name = "JSON", value_parser = extra_body)]
    extra_body: Option<BTreeMap<String, Value>>,
    /// Stop after N consecutive replies that cannot be used, and show the last one; 0 sets no limit
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) unreadable_limit: usize,
    /// Number of concurrent conversations
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = options::whole::<usize>(1, 1_000))]
    pub(crate) at_a_time: usize,
    /// Maximum time to wait for a reply, in seconds
    #[arg(long, value_name = "S", default_value_t = 300, value_parser = options::whole::<u64>(1, 31_536_000))]
    timeout: u64,
    /// Stop when N tokens are used. Tokens of earlier commands with the same --out folder count too
    #[arg(long, value_name = "N")]
    token_cap: Option<u64>,
    /// What to do about a reply without a token count if --token-cap or --cost-cap is set: stop the command (stop), or
    /// count N tokens for the reply (reserve=N)
    #[arg(long, value_name = "stop|reserve=N", default_value = "stop", value_parser = uncounted)]
    uncounted: std::option::Option<u64>,
    /// Two prices in US dollars per million tokens: of prompts and of replies, such as 0.5,1.5
    #[arg(long, value_name = "IN,OUT", value_parser = prices)]
    pub(crate) prices: Option<[f64; 2]>,
    /// Stop when X US dollars are spent; needs --prices
    #[arg(long, value_name = "X", requires = "prices", value_parser = amount)]
    cost_cap: Option<f64>,
    /// Number of bootstrap resamples for the 95 % intervals; 0 gives no intervals
    #[arg(long, value_name = "N", default_value_t = trajectory_metrics::Bootstrap::RESAMPLES, value_parser = options::resamples)]
    resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Folder with the published prompts, such as a checkout of the released repository. Without this option, prompts
    /// use our wording
    #[arg(long, value_name = "DIR")]
    pub(crate) published: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

impl Common {
    pub(crate) fn client(&self) -> ClientSettings {
        ClientSettings {
            timeout: Duration::from_secs(self.timeout),
            token_cap: self.token_cap,
            uncounted_tokens: self.uncounted,
            prices: self.prices,
            cost_cap: self.cost_cap,
            api: self.api,
            max_completion_tokens: self.max_completion_tokens,
            extra_body: self.extra_body.clone().unwrap_or_default(),
            ..ClientSettings::default()
        }
    }

    /// Returns the temperature, in a benchmark that usually has this one.
    pub(crate) fn temperature(&self, usual: f64) -> Option<f64> {
        self.temperature.unwrap_or(Some(usual))
    }

    pub(crate) fn sampling(&self) -> Sampling {
        Sampling {
            temperature: self.temperature(0.0),
            max_output_tokens: Some(self.max_output_tokens),
            reasoning_effort: self.reasoning_effort.clone(),
            ..Sampling::default()
        }
    }

    /// Describes the settings that determine the requests of every benchmark, for the journal. Settings that equal
    /// their defaults are left out.
    pub(crate) fn setting(&self) -> String {
        let mut setting = format!("at most {} tokens", self.max_output_tokens);
        if self.api != Api::default() {
            setting += &format!(", {}", self.api);
        }
        match self.temperature {
            None => {}
            Some(Some(temperature)) => setting += &format!(", temperature {temperature}"),
            Some(None) => setting += ", no temperature",
        }
        if let Some(effort) = &self.reasoning_effort {
            setting += &format!(", reasoning effort {effort}");
        }
        if let Some(extra) = &self.extra_body {
            setting += &format!(", extra body {}", to_json(&Value::Map(extra.clone())));
        }
        setting
    }

    /// Checks that the format of the server supports log-probabilities, which an option needs.
    pub(crate) fn check_logprobs(&self, option: &str) -> Result<(), String> {
        if self.api == Api::Anthropic {
            return Err(format!("{option}: --api {} has no log-probabilities", self.api));
        }
        Ok(())
    }

    /// Returns the published texts of the files with these names, by name; `None` if our own are sent.
    pub(crate) fn texts(
        &self,
        names: &[&'static str],
    ) -> Result<Option<BTreeMap<&'static str, String>>, String> {
        let Some(folder) = &self.published else { return Ok(None) };
        let text = |name: &&'static str| {
            let text = text(&folder.join(name)).map_err(|error| format!("--published: {error}"));
            Ok((*name, text?))
        };
        names.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    /// Returns the name of the texts that are sent, for the journal.
    pub(crate) const fn name_of_texts(&self) -> &'static str {
        if self.published.is_some() { "published texts" } else { "texts of our own" }
    }

    pub(crate) fn live(&self) -> LiveOptions {
        let Self { model, resamples, seed, .. } = self;
        LiveOptions { model: model.clone(), resamples: *resamples, seed: *seed }
    }
}

/// Parses a temperature, or none at all.
fn temperature(text: &str) -> Result<Option<f64>, &'static str> {
    (text != "none").then(|| amount(text)).transpose()
}

fn api(text: &str) -> Result<Api, String> {
    let found = Api::ALL.into_iter().find(|api| api.name() == text);
    found.ok_or_else(|| format!("give one of: {}", Api::ALL.map(Api::name).join(", ")))
}

/// Parses further fields of a body.
fn extra_body(text: &str) -> Result<BTreeMap<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("give a JSON object: {error}"))
}

/// Parses the number of tokens to count for a reply without a token count; `None` to stop there.
fn uncounted(text: &str) -> Result<Option<u64>, &'static str> {
    if text == "stop" {
        return Ok(None);
    }
    let tokens = text.strip_prefix("reserve=").and_then(|tokens| tokens.parse().ok());
    let tokens = tokens.filter(|tokens| *tokens > 0);
    tokens.map(Some).ok_or("give stop, or reserve=N with N of at least 1")
}

fn amount(text: &str) -> Result<f64, &'static str> {
    let amount = text.parse().ok().filter(|it: &f64| *it >= 0.0 && it.is_finite());
    amount.ok_or("give a number of at least 0")
}

fn prices(text: &str) -> Result<[f64; 2], &'static str> {
    let problem = "give two numbers from 0 to 1000000, as in 0.5,1.5";
    let (input, output) = text.split_once(',').ok_or(problem)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|it| (0.0..=1e6).contains(it));
    Ok([number(input).ok_or(problem)?, number(output).ok_or(problem)?])
}
