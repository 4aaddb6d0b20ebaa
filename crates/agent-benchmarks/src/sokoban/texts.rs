use crate::{error::Error, values::template::Template};

/// The texts for a model in [`Sokoban`](super::Sokoban). The default texts are this crate's own; the texts of the
/// released code can replace them, but are not part of this crate.
///
/// There are texts for the evaluation and for the training runs, in which limits are told
/// ([`Sokoban::with_limits_told`](super::Sokoban::with_limits_told)). They are an `instruction`, the `reward` of a
/// turn, the `warning` after a state that a reply without an action has left unchanged, and the `sentence` after each
/// state. Each may have the placeholders `{most_actions_of_a_turn}`, `{most_actions}` (of a run), `{actions_left}` and
/// `{reward}`. With released texts, later requests repeat the same parts of a reply as the released code: thoughts and
/// answer, up to the most actions of a turn.
///
/// ```
/// use agent_benchmarks::{Error, play::Environment, sokoban::{Room, Sokoban, Texts}};
///
/// let words = r#"{"instruction": "Push.", "reward": "{reward}", "warning": "Up!", "sentence": "{actions_left} to go."}"#;
/// let texts = Texts::published(&format!(r#"{{"evaluation": {words}, "training": {words}}}"#))?;
/// let sokoban = Sokoban::new(Room::parse("######\n#P_XO#\n######")?).with_texts(texts);
/// assert_eq!(sokoban.instruction(), "Push.");
/// assert!(sokoban.observation().ends_with("\n30 to go.\n"));
/// assert!(matches!(Texts::published("{}"), Err(Error::Invalid { .. })));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: the released `ragen/llm_agent/ctx_manager.py` of BAGEN, with the settings of its scripts.
#[derive(Clone, Debug, PartialEq)]
pub struct Texts {
    pub(super) evaluation: Words<Template>,
    pub(super) training: Words<Template>,
    warehouse: Option<String>,
    /// Whether the texts come from the released code.
    pub(super) is_published: bool,
}

/// The texts of one setting.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
pub(super) struct Words<T> {
    pub(super) instruction: T,
    pub(super) reward: T,
    pub(super) warning: T,
    pub(super) sentence: T,
}

/// The texts in the form of the file.
#[derive(serde::Deserialize)]
struct File {
    evaluation: Words<String>,
    training: Words<String>,
    warehouse: Option<String>,
}

const PLACES: [&str; 4] = ["most_actions_of_a_turn", "most_actions", "actions_left", "reward"];

impl<T: Into<String>> Words<T> {
    fn with_places(self) -> Result<Words<Template>, Error> {
        let template = |text: T| Template::new(text, &PLACES);
        Ok(Words {
            instruction: template(self.instruction)?,
            reward: template(self.reward)?,
            warning: template(self.warning)?,
            sentence: template(self.sentence)?,
        })
    }
}

impl Default for Texts {
    fn default() -> Self {
        let own = |sentence| {
            let words = Words {
                instruction: "You play Sokoban. Push every box onto a target: you move up, down, left or right, push a box by moving against it, and cannot pull. A box moves only if the cell behind it is free. # is a wall, _ floor, O a target, X a box, √ a box on a target, P you, S you on a target.",
                reward: "Reward:\n{reward}",
                warning: "The last reply had no action that could be carried out; nothing has changed.",
                sentence,
            };
            words.with_places().unwrap_or_default()
        };
        Self {
            evaluation: own(
                "Reply with at most {most_actions_of_a_turn} actions, separated by ||, as in <answer>Up || Right</answer>.",
            ),
            training: own(
                "{actions_left} actions are left. Reply with at most {most_actions_of_a_turn} actions, separated by ||, as in <answer>Up || Right</answer>.",
            ),
            warehouse: None,
            is_published: false,
        }
    }
}

impl Texts {
    /// The name of the file that holds the texts of the released code. The released repository does not contain it. To
    /// write it, run the script `docs/published/bagen_texts.py` of this project in a checkout of that repository.
    pub const FILE: &'static str = "bagen_texts.json";

    /// Creates the texts of the released code from the content of [`Self::FILE`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for text that is no such file or lacks one of the texts, and for an unknown
    /// place in braces.
    pub fn published(json: &str) -> Result<Self, Error> {
        let wrong = |error| Error::stored(format!("{}: {error}", Self::FILE));
        let File { evaluation, training, warehouse } = serde_json::from_str(json).map_err(wrong)?;
        Ok(Self {
            evaluation: evaluation.with_places()?,
            training: training.with_places()?,
            warehouse,
            is_published: true,
        })
    }

    /// Returns the released prompt of an agent in the warehouse, for
    /// [`Play::with_instruction`](crate::play::Play::with_instruction). `None` if the texts are this crate's own, or if
    /// the file lacks this prompt.
    #[must_use]
    pub fn warehouse_instruction(&self) -> Option<String> {
        self.warehouse.clone()
    }
}
