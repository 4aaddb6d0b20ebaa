use std::{fmt, str::FromStr};

use crate::error::{Error, Place, Problem};

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
    /// Logs of inspect_ai: a `.json` file, or an `.eval` archive (feature `archives`).
    Inspect,
    /// Recorded exchanges with a model: JSON Lines of
    /// `{"id", "task"?, "outcome"?, "turns": [{"request", "response"}]}`.
    Exchanges,
    /// OpenAI's chat format: conversations `{"messages": […]}`, also of Anthropic's blocks, or whole
    /// responses.
    OpenAiChat,
    /// OpenAI's Responses format.
    OpenAiResponses,
    /// Replies of Anthropic's Messages API.
    Anthropic,
    /// Responses of Gemini.
    Gemini,
    /// Responses of Ollama.
    Ollama,
    /// Trajectories in the Agent Trajectory Interchange Format.
    Atif,
    /// Trials and jobs of Harbor, with their trajectories.
    Harbor,
    /// Results of tau2-bench.
    Tau2,
}

impl Format {
    /// All of them, `Auto` first.
    pub const ALL: [Self; 11] = [
        Self::Auto,
        Self::Inspect,
        Self::Exchanges,
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Atif,
        Self::Harbor,
        Self::Tau2,
    ];

    /// Returns the name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Inspect => "inspect",
            Self::Exchanges => "exchanges",
            Self::OpenAiChat => "openai_chat",
            Self::OpenAiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Atif => "atif",
            Self::Harbor => "harbor",
            Self::Tau2 => "tau2",
        }
    }
}

/// The names of [`Format::ALL`], for messages.
pub(crate) const NAMES: &str = "inspect, exchanges, openai_chat, openai_responses, anthropic, gemini, ollama, atif, harbor or tau2";

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
        let found = Self::ALL.into_iter().find(|format| format.name() == word);
        let value: String = word.chars().take(40).collect();
        let place = Place { field: "format".to_owned(), ..Place::default() };
        let expected = "the name of a format, or auto";
        found.ok_or_else(|| Error::invalid(place, Problem::Value { value, expected }))
    }
}
