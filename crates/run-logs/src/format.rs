use std::{fmt, str::FromStr};

use crate::error::{Error, Place, Problem};

/// The table of formats: a row has the documentation, the variant, the name and the reader, which is named from the module
/// `formats`. A log is of the first format that recognizes it.
macro_rules! table_of_formats {
    ($use:ident) => {
        $use! {
            /// Logs of inspect_ai: a `.json` file, or an `.eval` archive.
            Inspect "inspect" inspect::READER,
            /// Sessions of Claude Code: the files of `~/.claude/projects`.
            ClaudeCode "claude_code" claude_code::READER,
            /// What Claude Code prints with `--output-format stream-json`.
            ClaudeCodeStream "claude_code_stream" claude_code::STREAM,
            /// Rollouts of Codex: the files of `~/.codex/sessions`.
            Codex "codex" codex::READER,
            /// Trajectories of mini-SWE-agent.
            MiniSweAgent "mini_swe_agent" mini_swe_agent::READER,
            /// Sessions of Gemini CLI.
            GeminiCli "gemini_cli" gemini_cli::READER,
            /// Sessions that opencode exports.
            OpenCode "opencode" opencode::READER,
            /// Messages of LangChain and LangGraph: conversations as lists or `{"messages": […]}`.
            LangChain "langchain" langchain::READER,
            /// Samples of the Language Model Evaluation Harness.
            LmEval "lm_eval" lm_eval::READER,
            /// Recorded exchanges with a model: JSON Lines of
            /// `{"id", "task"?, "outcome"?, "turns": [{"request", "response"}]}`.
            Exchanges "exchanges" chat::EXCHANGES,
            /// Replies of Anthropic's Messages API.
            Anthropic "anthropic" chat::ANTHROPIC,
            /// Responses of Gemini.
            Gemini "gemini" chat::GEMINI,
            /// OpenAI's Responses format.
            OpenAiResponses "openai_responses" chat::OPENAI_RESPONSES,
            /// OpenAI's chat format: whole responses, or conversations `{"messages": […]}`, whose messages may also consist of
            /// Anthropic's blocks.
            OpenAiChat "openai_chat" chat::OPENAI_CHAT,
            /// Responses of Ollama.
            Ollama "ollama" chat::OLLAMA,
            /// Trajectories in the Agent Trajectory Interchange Format.
            Atif "atif" harbor::ATIF,
            /// Trials and jobs of Harbor, with their trajectories.
            Harbor "harbor" harbor::HARBOR,
            /// Spans and records of OpenTelemetry in OTLP/JSON, under the names of any convention for generative AI.
            Otlp "otlp" otlp::READER,
            /// Traces of MLflow 3 in its own JSON.
            Mlflow "mlflow" mlflow::READER,
            /// Spans of the OpenAI Agents SDK in its own JSON.
            OpenAiAgents "openai_agents" openai_agents::READER,
            /// Results of tau2-bench.
            Tau2 "tau2" tau2::READER,
            /// JSON Lines of another program, whose fields are named by [`LineFields`](crate::LineFields).
            Lines "lines" lines::READER,
        }
    };
}
pub(crate) use table_of_formats;

/// Declares the formats of the table.
macro_rules! declare {
    ($($(#[$doc:meta])* $variant:ident $name:literal $reader:expr,)*) => {
        /// The format of a log.
        ///
        /// [`Format::Auto`] recognizes the format by the content, never by the name of the file.
        ///
        /// ```
        /// use run_logs::Format;
        ///
        /// assert_eq!("inspect".parse(), Ok(Format::Inspect));
        /// assert_eq!(Format::OpenAiChat.to_string(), "openai_chat");
        /// assert!("csv".parse::<Format>().is_err());
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format {
            /// The format is recognized from the content.
            #[default]
            Auto,
            $($(#[$doc])* $variant,)*
        }

        impl Format {
            /// All formats, `Auto` first.
            pub const ALL: &'static [Self] = &[Self::Auto, $(Self::$variant,)*];

            /// Returns the name of the format.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Auto => "auto",
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

table_of_formats!(declare);

/// A description of a format, for people.
///
/// ```
/// use run_logs::Format;
///
/// let about = Format::Tau2.about().unwrap();
/// assert!(about.source.contains("results.json"));
/// assert!(Format::Auto.about().is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// How to get the file.
    pub source: &'static str,
    /// What is read.
    pub reads: &'static str,
    /// What the log cannot tell, and where that comes from instead.
    pub lacks: &'static str,
}

/// The names of the formats, for messages.
pub(crate) fn known() -> String {
    let names: Vec<&str> = Format::ALL.iter().skip(1).map(|format| format.name()).collect();
    let (last, first) = names.split_last().unwrap_or((&"", &[]));
    format!("{} or {last}", first.join(", "))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    /// Reads the name of a format.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for any other word.
    fn from_str(word: &str) -> Result<Self, Error> {
        let expected = "the name of a format, or auto";
        named(word, "format", expected, Self::ALL.iter().map(|it| (it.name(), *it)))
    }
}

/// Returns the value of this name.
///
/// # Errors
///
/// [`Error::Invalid`] for a word that names none of the values.
pub(crate) fn named<T>(
    word: &str,
    field: &str,
    expected: &'static str,
    mut all: impl Iterator<Item = (&'static str, T)>,
) -> Result<T, Error> {
    let found = all.find(|(name, _)| *name == word).map(|(_, value)| value);
    let value: String = word.chars().take(40).collect();
    let place = Place { field: field.to_owned(), ..Place::default() };
    found.ok_or_else(|| Error::invalid(place, Problem::Value { value, expected }))
}

/// The parts of a log to read, and the limits on memory.
///
/// ```
/// use run_logs::ReadOptions;
///
/// let options = ReadOptions { requests: true, ..ReadOptions::default() };
/// assert_eq!(options.limits.max_depth, 128);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The limits; [`ReadLimits::default`] unless they are set.
    pub limits: ReadLimits,
    /// Whether [`Turn::request`](crate::Turn::request) is filled; false by default. Each request repeats the conversation before
    /// it, so memory grows with the square of the number of turns.
    pub requests: bool,
    /// What makes a run of recorded spans; the trace by default. Other formats name their runs.
    pub runs_by: RunsBy,
}

/// The rule that groups spans into runs.
///
/// ```
/// use run_logs::{ReadOptions, RunsBy};
///
/// assert_eq!(ReadOptions::default().runs_by, RunsBy::Trace);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunsBy {
    /// A trace is a run: one request to the agent, with all that it caused.
    #[default]
    Trace,
    /// The traces of one session or conversation are a run, if their spans name it: `session.id` or `gen_ai.conversation.id`.
    Session,
}

/// Limits on the memory that reading a log may take.
///
/// Exceeding one of them is an error, so that a hostile or damaged file cannot exhaust memory or the stack.
///
/// ```
/// use run_logs::ReadLimits;
///
/// let limits = ReadLimits { max_string: 1 << 20, ..ReadLimits::default() };
/// assert_eq!((limits.max_string, limits.max_depth), (1 << 20, 128));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// The maximum nesting depth of a value; 128 by default. Values above 512 count as 512, which fits on every thread's stack.
    pub max_depth: usize,
    /// The maximum length in bytes of a string that is kept; 64 MiB by default. Strings of fields that are not read may be
    /// longer.
    pub max_string: usize,
    /// The maximum number of bytes of strings and values in one run; 1 GiB by default. Lists and maps count with their capacity.
    /// A repeated text, as in requests, counts each time. Each thread that reads the files of a folder holds up to two runs.
    pub max_run: usize,
    /// The largest unpacked size of an entry of an archive, in bytes; 16 GiB by default. Entries
    /// are unpacked as a stream and never held whole.
    pub max_entry: u64,
    /// The maximum ratio of the unpacked size of an archive entry to its packed size; 500 by default. The ratio does not apply to
    /// the first 16 MiB of an entry, because short repetitive logs pack well.
    pub max_ratio: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_depth: 128,
            max_string: 64 << 20,
            max_run: 1 << 30,
            max_entry: 16 << 30,
            max_ratio: 500,
        }
    }
}
