//! The texts of a request. The wording of [`Prompts::default`] is this crate's own.

use std::collections::BTreeMap;

use crate::{
    error::Error,
    values::{macros::names, template::Template},
};

const SYSTEM: &str = include_str!("prompts/system.txt");

const QUESTION: &str = include_str!("prompts/question.txt");

/// The names of the placeholders in [`QUESTION`], followed by those of the published texts.
const PLACES: &str = include_str!("prompts/places.txt");

/// A benchmark of the BAGEN paper with separate published prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Task {
    /// Puzzles with boxes.
    Sokoban,
    /// Questions whose answers must be searched for.
    SearchR1,
    /// Issues of software projects that must be resolved.
    SweBench,
    /// A warehouse that is run for eleven steps.
    Warehouse,
}

names!(Task, Sokoban "sokoban", SearchR1 "searchr1", SweBench "swebench", Warehouse "warehouse");

impl Task {
    /// Returns the paths of the two files that hold the published system prompt and question, in a checkout of
    /// mll-lab-nu/BAGEN.
    #[must_use]
    pub const fn files(self) -> [&'static str; 2] {
        match self {
            Self::Sokoban => [
                "scripts/evaluation-scripts/eval/prompts/sokoban_estimation_system.txt",
                "scripts/evaluation-scripts/eval/prompts/sokoban_estimation_user.txt",
            ],
            Self::SearchR1 => [
                "scripts/evaluation-scripts/eval/prompts/searchr1_estimation_system.txt",
                "scripts/evaluation-scripts/eval/prompts/searchr1_estimation_user.txt",
            ],
            Self::SweBench => [
                "scripts/evaluation-scripts/eval/prompts/swebench_estimation_system.txt",
                "scripts/evaluation-scripts/eval/prompts/swebench_estimation_user.txt",
            ],
            Self::Warehouse => [
                "scripts/evaluation-scripts/eval/prompts/warehouse_estimation_system.txt",
                "scripts/evaluation-scripts/eval/prompts/warehouse_estimation_user.txt",
            ],
        }
    }
}

/// The texts sent to a model in addition to the run itself. The default texts are this crate's own.
///
/// The placeholders of a text are the number of `completed_turns`, the matching words `turns_are_complete`, and for any
/// resources the `usage` of each turn, the `account` with the spent and allowed amounts of the requested resources, and
/// the `target`, `form` and `impossible` of an answer. The published texts have their own names for placeholders:
/// `turn_token_usage_text` and `max_context_window_tokens` (the cap on the first resource), and for Warehouse
/// `completed_weeks`, `completed_day`, `current_...`, `target_cash_usd`, `budget_...` and `resource_consumption_text`.
///
/// ```
/// use agent_benchmarks::budget::Prompts;
///
/// assert!(Prompts::new("You judge runs.", "After {completed_turns} turns: how many more tokens?").is_ok());
/// assert!(Prompts::new("You judge runs.", "After {turns} turns: how many more tokens?").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    pub(super) system: Template,
    pub(super) question: Template,
}

impl Default for Prompts {
    fn default() -> Self {
        let own = Self::new(SYSTEM.trim_end(), QUESTION.trim_end());
        own.unwrap_or_else(|_| Self { system: Template::default(), question: Template::default() })
    }
}

impl Prompts {
    /// Creates the texts from a system prompt and a question. By default, this system prompt is used only for runs
    /// without a system prompt.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a place that is never filled in.
    pub fn new(system: impl Into<String>, question: impl Into<String>) -> Result<Self, Error> {
        let places: Vec<&str> = PLACES.lines().collect();
        let (system, question) =
            (Template::new(system, &places)?, Template::new(question, &places)?);
        Ok(Self { system, question })
    }

    /// Creates the texts of a task from the contents of its published [files](Task::files). `texts` maps the name of
    /// each file to its content.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::new`], and [`Error::Invalid`] if a file is missing.
    pub fn published(task: Task, texts: &BTreeMap<&'static str, String>) -> Result<Self, Error> {
        let [system, question] = task.files().map(|name| {
            let missing = || {
                let known = "the names of Task::files";
                Error::invalid(format!("{name:?} is not a given text; known: {known}"))
            };
            texts.get(name).ok_or_else(missing)
        });
        // The released code strips them, too.
        Self::new(system?.trim(), question?.trim())
    }
}
