#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod conversions;
mod engines;
mod error;
mod fact_rules;
mod format;
mod formats;
pub mod json_lines;
mod read;
mod read_ahead;
mod values;

pub use budget_estimation::{self, AnswerMode, Resource, Rollouts, Sample};
pub use censoring;
pub use censoring::{StopReason, Stopped};
pub use conversions::{
    facts::LeftOutRun,
    logged_run::LoggedRun,
    outcomes_file::Outcomes,
    planned_runs::MissingRun,
    run_table::RunTable,
    step_use::{StepKind, StepUse},
    stream_runs::StreamRuns,
    streams::{
        confidence_stream::{ConfidenceStream, StreamOptions},
        missing_value::MissingValue,
        stated_confidence::{ConfidenceField, ConfidenceReading},
        token_confidence::{ActionSpan, ShortLists, TokenMeasure, token_confidence},
    },
};
pub use engines::folder::open_file;
pub use engines::fresh_input::fresh_input_tokens;
pub use engines::json::writing::to_json;
pub use error::{Error, Place, Problem};
pub use format::{About, Format, ReadLimits, ReadOptions, RunsBy};
pub use formats::bagen;
pub use formats::harbor::write::to_atif;
pub use formats::lines::{LineFact, LineFields, SuggestedField};
pub use formats::paths::{AgentCall, PathRun};
pub use formats::pools::{CappedRuns, read_capped_runs, read_pool, read_pools};
pub use formats::rollouts::{AnswerLine, RolloutFile, RolloutLine, RolloutTurns, write_rollouts};
pub use formats::steps::TraceSource;
pub use formats::trace_rules::TraceRules;
pub use formats::trace_runs::{TraceRun, TraceRuns};
pub use formats::traces::{Missing, TraceFile, TraceRemarks, fold_traces};
pub use knapsack_oracle::{self, Item, Pool};
pub use read::{Runs, Unrecognized, read, read_path, read_path_by, suggest_fields};

pub use fact_rules::{AtLimit, FactRules, Judgement, Repeats, ScoreRange, Ungraded};
pub use scoring_rules;
pub use scoring_rules::{Interval, Probability};
pub use trajectory_metrics;
pub use trajectory_metrics::{
    ForecastCounts, ForecastPolicy, Traces,
    tool_calls::{ToolCall, Value},
};
pub use values::{
    account::{Account, AccountedEvaluation},
    confidence_scale::ConfidenceScale,
    evaluation::Evaluation,
    run::{
        Arguments, Caller, ExpectedCall, Message, RecordedCall, Reply, Role, Run, RunLimit, Score,
        Turn, Usage, UsageRemark,
    },
    tokens::{Token, Tokens},
};
