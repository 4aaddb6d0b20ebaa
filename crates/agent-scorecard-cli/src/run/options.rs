//! The options of `run`.

use std::path::PathBuf;

use agent_benchmarks::triage::{Alpha, Framing};
use agent_scorecard::costbench::Blocking;
use clap::builder::TypedValueParser;

use crate::{
    costbench::options::blockings,
    output::form::Forms,
    values::{self, whole},
};

/// Runs a benchmark with a model behind an OpenAI-compatible server
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// What the model is asked, see below
    #[arg(value_name = "BENCHMARK", value_parser = benchmarks())]
    pub(crate) benchmark: Benchmark,
    /// For triage and confidence a file of questions, for budget a log or a folder of logs
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
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
    /// costbench: tasks have L + 3 steps; 0 to 5
    #[arg(long, value_name = "L", default_value_t = 2, value_parser = whole::<usize>(0, 5))]
    pub(crate) level: usize,
    /// costbench: the event of each run
    #[arg(long, value_name = "KIND", default_value = "none", value_parser = blockings(events()))]
    pub(crate) block: Blocking,
    /// costbench: so many of the 381 test queries, spread over the tasks
    #[arg(long, value_name = "N", default_value_t = 381, value_parser = whole::<usize>(1, 381))]
    pub(crate) queries: usize,
    /// triage: the share of the costs that is the budget, above 0 and at most 1
    #[arg(long, value_name = "A", default_value = "0.5", value_parser = values::alpha)]
    pub(crate) alpha: Alpha,
    /// triage: the opening of the prompt
    #[arg(long, value_name = "NAME", default_value = "neutral", value_parser = framings())]
    pub(crate) framing: Framing,
    /// triage: ask for JSON in words alone, for servers that refuse a JSON schema
    #[arg(long)]
    pub(crate) no_schema: bool,
    /// triage: questions of a pool
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<usize>(1, u64::MAX))]
    pub(crate) pool_size: usize,
    /// budget: the cap of each run in output tokens
    #[arg(long, value_name = "N", value_parser = values::cap)]
    pub(crate) cap: Option<f64>,
    /// confidence: the most steps of a run
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = whole::<usize>(1, 1_000))]
    pub(crate) steps: usize,
    /// The most tokens of a reply
    #[arg(long, value_name = "N", default_value_t = 4_096, value_parser = whole::<u64>(1, u64::MAX))]
    pub(crate) max_output_tokens: u64,
    /// Conversations at a time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<usize>(1, 1_000))]
    pub(crate) at_a_time: usize,
    /// Seconds for one reply
    #[arg(long, value_name = "S", default_value_t = 300, value_parser = whole::<u64>(1, 31_536_000))]
    pub(crate) timeout: u64,
    /// Stop when so many tokens are used, those of earlier calls on the same folder included
    #[arg(long, value_name = "N")]
    pub(crate) token_cap: Option<u64>,
    /// US dollars for a million tokens of prompts and of replies, as in 0.5,1.5
    #[arg(long, value_name = "IN,OUT", value_parser = prices)]
    pub(crate) prices: Option<[f64; 2]>,
    /// Stop when so many US dollars are used; needs --prices
    #[arg(long, value_name = "X", requires = "prices", value_parser = amount)]
    pub(crate) cost_cap: Option<f64>,
    /// Bootstrap resamples behind the 95 % intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = values::resamples)]
    pub(crate) resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const HELP: &str = r#"Example: agent-scorecard run costbench --base-url http://127.0.0.1:8000/v1 --model m --out m-costbench --queries 60

The key of the server is read from the environment variable AGENT_SCORECARD_API_KEY; without it, none is sent.
Every answer is kept in DIR/answers.jsonl before the next request, so that the same command goes on after an
interruption and asks nothing twice. At the end, DIR/runs has each run as a trajectory in ATIF, in place of
those of earlier calls, and DIR/report.html the report. If the server refuses a request, the command stops with
exit code 2 and what the server said; the same command asks again. What a server repeats of a key of at least 16
characters is written as [key].

costbench  travel requests that are solved by calling tools at the lowest price
triage     each question is solved once; then the model plans for pools under a budget
budget     the model says what each run would still have spent, after each of its turns
confidence each question is answered in steps with a stated confidence; a row for each stream that the
           replies have, from stated confidence and from log-probabilities

A FILE of questions has JSON Lines, for example
  {"id": "q1", "question": "What is 7 * 8?", "answer": 56}
  {"id": "q2", "question": "Is 91 prime?", "answer": false}
  {"id": "q3", "question": "Which is a fruit?", "options": ["oak", "plum"], "answer": "B"}
  {"id": "q4", "question": "Name the capital of France.", "answer": "Paris"}
"#;

/// A run has one event at most.
fn events() -> impl Iterator<Item = Blocking> {
    Blocking::ALL.into_iter().filter(|events| *events != Blocking::Mixed)
}

fn framings() -> impl TypedValueParser<Value = Framing> {
    values::one_of(Framing::ALL.map(|framing| (framing.name(), framing)))
}

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Benchmark {
    CostBench,
    Triage,
    Budget,
    Confidence,
}

impl Benchmark {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::CostBench => "costbench",
            Self::Triage => "triage",
            Self::Budget => "budget",
            Self::Confidence => "confidence",
        }
    }
}

fn benchmarks() -> impl TypedValueParser<Value = Benchmark> {
    let all = [Benchmark::CostBench, Benchmark::Triage, Benchmark::Budget, Benchmark::Confidence];
    values::one_of(all.map(|benchmark| (benchmark.name(), benchmark)))
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
