//! The options of `convert`.

use std::path::PathBuf;

use clap::{ValueEnum, builder::TypedValueParser};
use run_logs::{AtLimit, ConfidenceReading, ConfidenceStream, ForecastPolicy, Format};

use crate::{files::logs, traces::trace_file, values};

/// Converts a log, or a folder of logs, to a file that another subcommand reads, or to ATIF
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// A log or a folder of logs; without it, bundled exchanges
    #[arg(value_name = "LOG")]
    pub(crate) log: Option<PathBuf>,
    /// What is written
    #[arg(long, value_name = "KIND", value_enum)]
    pub(crate) to: Kind,
    /// The file to write; for atif, a folder that gets a file per run. Without it, standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The stream of confidence that traces hold
    #[arg(long, value_name = "NAME", default_value = "stated_confidence", value_parser = streams())]
    pub(crate) stream: ConfidenceStream,
    /// What happens to runs of which a call has no confidence: leave-out leaves the run out of the traces, skip
    /// only the call; refuse, carry-forward, carry-forward-from=P and clip as for traces
    #[arg(long, value_name = "POLICY", default_value = "leave-out", value_parser = trace_file::policy)]
    pub(crate) missing: ForecastPolicy,
    /// Reading of stated confidence, as for traces
    #[arg(long, default_value = "strict", value_parser = logs::readings())]
    pub(crate) confidence: ConfidenceReading,
    /// A regular expression that finds the stated confidence of a reply in place of the usual forms; its first
    /// group is the number
    #[arg(long, value_name = "REGEX", value_parser = logs::pattern)]
    pub(crate) confidence_pattern: Option<String>,
    /// What a limit that ended a run means for its outcome
    #[arg(long, default_value = "censored", value_parser = logs::at_limits())]
    pub(crate) at_limit: AtLimit,
    /// The scorer whose value is the outcome, where a log has several
    #[arg(long, value_name = "NAME")]
    pub(crate) scorer: Option<String>,
    /// Only the runs of this model; needed for traces, rollouts and problems if the log has several
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The format of the log; auto goes by the content
    #[arg(long, value_name = "F", default_value = "auto", value_parser = logs::formats())]
    pub(crate) format: Format,
}

const HELP: &str = "\
Example: agent-scorecard convert run.eval --to traces --output traces.jsonl

traces    for traces, calibration and cut-off: the runs that have the stream
rollouts  for budget: the runs with an outcome and a turn; fresh_input_tokens leave out what a request repeats
paths     for paths: the runs with an outcome and the calls that their tasks expect
problems  for triage: the runs with an outcome and a count of output tokens
atif      each run as a trajectory in the Agent Trajectory Interchange Format
A run that cannot be converted to traces, rollouts or paths is a line with its outcome, its stop and the
reason in its field left_out, such as no_confidence; traces, calibration, cut-off, budget and paths count it and do
not score it. A run that is no problem has no line. A line on standard error says how many runs were left out.
";

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Traces,
    Rollouts,
    Paths,
    Problems,
    Atif,
}

impl Kind {
    /// What a run that cannot be converted lacks.
    pub(crate) fn needs(self) -> &'static str {
        match self {
            Self::Traces => "the stream of confidence",
            Self::Rollouts => "an outcome or a turn",
            Self::Paths => "an outcome or calls that the task expects",
            Self::Problems => "an outcome or a count of output tokens",
            Self::Atif => "nothing",
        }
    }
}

fn streams() -> impl TypedValueParser<Value = ConfidenceStream> {
    values::one_of(ConfidenceStream::ALL.map(|stream| (stream.name(), stream)))
}
