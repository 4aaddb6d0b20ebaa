//! The options that every benchmark has.

use std::{path::PathBuf, time::Duration};

use agent_benchmarks::{Sampling, client::ClientSettings};
use agent_scorecard::live::LiveOptions;

use crate::{
    output::form::Forms,
    values::{self, whole},
};

/// The server, the folder, the limits and the forms of a report.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Where the server is, up to /chat/completions, as in https://api.openai.com/v1
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: String,
    /// The name of the model
    #[arg(long, value_name = "NAME")]
    pub(crate) model: String,
    /// The folder of answers, runs and the report page; the same command goes on with what is there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Say how many requests and tokens to expect, and ask nothing
    #[arg(long, conflicts_with_all = ["json", "markdown", "fail_if", "html", "plot"])]
    pub(crate) dry_run: bool,
    /// The most tokens of a reply
    #[arg(long, value_name = "N", default_value_t = 4_096, value_parser = whole::<u64>(1, u64::MAX))]
    pub(crate) max_output_tokens: u64,
    /// Conversations at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<usize>(1, 1_000))]
    pub(crate) at_a_time: usize,
    /// Seconds for one reply
    #[arg(long, value_name = "S", default_value_t = 300, value_parser = whole::<u64>(1, 31_536_000))]
    timeout: u64,
    /// Stop when so many tokens are used, those of earlier calls on the same folder included
    #[arg(long, value_name = "N")]
    token_cap: Option<u64>,
    /// US dollars for a million tokens of prompts and of replies, as in 0.5,1.5
    #[arg(long, value_name = "IN,OUT", value_parser = prices)]
    pub(crate) prices: Option<[f64; 2]>,
    /// Stop when so many US dollars are used; needs --prices
    #[arg(long, value_name = "X", requires = "prices", value_parser = amount)]
    cost_cap: Option<f64>,
    /// Bootstrap resamples behind the 95 % intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = values::resamples)]
    resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

impl Common {
    pub(crate) fn client(&self) -> ClientSettings {
        ClientSettings {
            timeout: Duration::from_secs(self.timeout),
            token_cap: self.token_cap,
            prices: self.prices,
            cost_cap: self.cost_cap,
            ..ClientSettings::default()
        }
    }

    pub(crate) fn sampling(&self) -> Sampling {
        Sampling {
            temperature: Some(0.0),
            max_output_tokens: Some(self.max_output_tokens),
            ..Sampling::default()
        }
    }

    pub(crate) fn live(&self) -> LiveOptions {
        let Self { model, resamples, seed, .. } = self;
        LiveOptions { model: model.clone(), resamples: *resamples, seed: *seed }
    }
}

fn amount(text: &str) -> Result<f64, &'static str> {
    let amount = text.parse().ok().filter(|it: &f64| *it >= 0.0 && it.is_finite());
    amount.ok_or("give a number of at least 0")
}

fn prices(text: &str) -> Result<[f64; 2], &'static str> {
    let problem = "give two numbers of at least 0, as in 0.5,1.5";
    let (input, output) = text.split_once(',').ok_or(problem)?;
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|it| *it >= 0.0 && it.is_finite());
    Ok([number(input).ok_or(problem)?, number(output).ok_or(problem)?])
}
