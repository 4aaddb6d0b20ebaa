/// The reason why a conversation cannot be made, continued or scored.
///
/// The text of a model is never an error: an unusable reply is a [`ReplyEvent`](crate::ReplyEvent) of the record.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A reply was given to a conversation that does not wait for one.
    #[error("the conversation has ended and takes no reply; finish it")]
    Ended,
    /// A name is not one of a fixed set.
    #[error("{name:?} is not a {what}; known: {known}")]
    UnknownName {
        /// The kind of thing that the name should denote.
        what: &'static str,
        /// The name as given.
        name: String,
        /// The valid names, in words.
        known: &'static str,
    },
    /// A text has a placeholder that is never filled in.
    #[error("the text has the place {{{name}}}; known: {known}")]
    UnknownPlace {
        /// The word in braces.
        name: String,
        /// The names of the placeholders that are filled in.
        known: String,
    },
    /// A text lacks a required placeholder, so that the prompt would ask for nothing.
    #[error("{text} lacks the place {{{name}}}")]
    MissingPlace {
        /// The name of the text.
        text: &'static str,
        /// The name of the placeholder.
        name: &'static str,
    },
    /// A text is not a room of Sokoban.
    #[cfg(feature = "sokoban")]
    #[error("line {line} of the room: {problem}")]
    Room {
        /// The line, from 1; 0 for the room as a whole.
        line: usize,
        /// The problem, and the correct form.
        problem: String,
    },
    /// The generator makes no room from this seed.
    #[cfg(feature = "sokoban")]
    #[error("seed {seed} gives no room: {problem}; take another seed")]
    NoRoom {
        /// The seed.
        seed: u32,
        /// The missing part.
        problem: &'static str,
    },
    /// A stored run is not the record of a conversation.
    #[error("a stored value is invalid: {problem}")]
    StoredValue {
        /// The problem, and the correct form.
        problem: String,
    },
    /// A file of answered requests cannot be used.
    #[cfg(feature = "client")]
    #[error("{file}: {problem}")]
    Journal {
        /// The file.
        file: String,
        /// The problem, and the correct form.
        problem: String,
    },
    /// No more requests may be sent to the model.
    #[cfg(feature = "client")]
    #[error("stopped: {reason}; the same call goes on from here")]
    Stopped {
        /// The reason.
        reason: String,
    },
    /// Too many consecutive replies could not be used.
    #[cfg(feature = "client")]
    #[error("{replies} replies in a row cannot be used; the last one, {reply:?}: {problem}")]
    Unreadable {
        /// The number of replies.
        replies: usize,
        /// The problem with the last one.
        problem: String,
        /// The beginning of its text.
        reply: String,
    },
    /// A field added to the body of requests is already one of their fields.
    #[cfg(feature = "client")]
    #[error(
        "the extra field {name:?} is one that requests set themselves, or asks for a reply that is not read; leave it out"
    )]
    ExtraField {
        /// The name of the field.
        name: String,
    },
    /// A server's response has no reply of a model.
    #[error("the response has no reply: {problem}")]
    NoReply {
        /// The server's own message, if it has one.
        problem: String,
    },
    /// A line of a list of questions cannot be read.
    #[error("line {line}: {problem}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The problem, and the correct form.
        problem: String,
    },
    /// A question has no recorded attempt.
    #[error(
        "question {id:?} has no recorded attempt; give its output tokens and whether it was solved"
    )]
    NotRecorded {
        /// The id of the question.
        id: String,
    },
    /// A run cannot be read or converted.
    #[error(transparent)]
    RunLogs(#[from] run_logs::Error),
    /// A scenario cannot be made or scored.
    #[cfg(feature = "costbench")]
    #[error(transparent)]
    ToolGraph(#[from] tool_graph::Error),
    /// A pool or a plan cannot be made or scored.
    #[cfg(feature = "triage")]
    #[error(transparent)]
    KnapsackOracle(#[from] knapsack_oracle::Error),
    /// A rollout or an estimate cannot be scored.
    #[cfg(feature = "budget")]
    #[error(transparent)]
    BudgetEstimation(#[from] budget_estimation::Error),
    /// Runs that were cut off cannot be scored.
    #[error(transparent)]
    Censoring(#[from] censoring::Error),
    /// A mean or an interval is undefined.
    #[error(transparent)]
    TrajectoryMetrics(#[from] trajectory_metrics::Error),
    /// A setting, a probability or a weight is invalid, or a quantity does not exist for this input.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
}
