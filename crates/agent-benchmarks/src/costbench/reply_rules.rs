use std::collections::BTreeMap;

use run_logs::{Arguments, to_json};
use tool_graph::costbench::Task;
use trajectory_metrics::tool_calls::Value;

/// Rules for reading replies. They cover the cases in which the released environment accepts more replies than a strict
/// protocol, or ends a run sooner. Every accepted deviation is still recorded as an event of the reply.
///
/// ```
/// use agent_benchmarks::costbench::{CostBench, ReplyRules};
///
/// let rules = ReplyRules { ends_at_text: false, ..ReplyRules::RELEASED };
/// let bench = CostBench::new(2)?.with_reply_rules(rules);
/// assert!(ReplyRules::default().ends_at_text && !ReplyRules::STRICT.takes_bare_ids);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
///
/// Reference: the released code of CostBench; the paper does not describe these points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReplyRules {
    /// Whether parameters that a tool does not have are ignored. Otherwise the call fails.
    pub ignores_extra_parameters: bool,
    /// Whether identifiers without brackets are accepted.
    pub takes_bare_ids: bool,
    /// Whether identifiers are accepted that the model was never given, if they have five digits or are identifiers of
    /// a time. Otherwise the call fails.
    pub takes_forged_ids: bool,
    /// Whether arguments are accepted that stand inside other text, such as a code fence, or inside JSON strings, and
    /// numbers instead of texts.
    pub repairs_arguments: bool,
    /// Whether the answer is the first identifier with five digits inside the tags, regardless of the surrounding text.
    /// Tags with another number of digits have no answer. Otherwise the tags must contain only the identifier.
    pub finds_answers: bool,
    /// Whether a reply without a call ends the conversation. Otherwise the user reminds the model of the expected form.
    pub ends_at_text: bool,
    /// Whether the limit on calls limits replies instead, so that the last call leaves no reply for an answer.
    pub limits_replies: bool,
}

impl ReplyRules {
    /// The rules that the released benchmark follows.
    pub const RELEASED: Self = Self::all(true);

    /// Strict rules: a call that deviates from the instructions fails, and a reply without a call gets a reminder.
    pub const STRICT: Self = Self::all(false);

    const fn all(released: bool) -> Self {
        Self {
            ignores_extra_parameters: released,
            takes_bare_ids: released,
            takes_forged_ids: released,
            repairs_arguments: released,
            finds_answers: released,
            ends_at_text: released,
            limits_replies: released,
        }
    }

    /// Returns the arguments of a call by name; `None` if they are not one object.
    pub(super) fn arguments(self, arguments: &Arguments) -> Option<BTreeMap<String, Value>> {
        let map = match arguments {
            Arguments::Parsed(Value::Map(map)) => map.clone(),
            _ if !self.repairs_arguments => return None,
            Arguments::Parsed(Value::Text(text)) | Arguments::Unparsed { text, .. } => {
                return repaired(text);
            }
            Arguments::Parsed(_) => return None,
        };
        Some(if self.repairs_arguments { as_texts(map) } else { map })
    }
}

impl Default for ReplyRules {
    fn default() -> Self {
        Self::RELEASED
    }
}

/// Finds the object inside a text: the text itself, the part from its first to its last brace, or the text in braces. The content
/// of JSON strings counts as text, too.
fn repaired(text: &str) -> Option<BTreeMap<String, Value>> {
    let inner = match (text.find('{'), text.rfind('}')) {
        (Some(from), Some(to)) if from < to => text[from..=to].to_owned(),
        (None, _) => format!("{{{text}}}"),
        _ => return None,
    };
    let texts = [text, &inner, &inner.replace("\\\"", "\"")];
    // Of repeated keys, the last one counts.
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    match serde_json::from_value(texts.into_iter().find_map(json)?).ok()? {
        Value::Map(map) => Some(as_texts(map)),
        Value::Text(inner) => repaired(&inner),
        _ => None,
    }
}

/// Returns every value as its text.
fn as_texts(map: BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let text = |value| match value {
        Value::Text(_) => value,
        other => Value::Text(to_json(&other)),
    };
    map.into_iter().map(|(name, value)| (name, text(value))).collect()
}

/// Returns whether an answer is this id; brackets and blanks around it do not matter.
pub(super) fn is_id(answer: &str, id: &str) -> bool {
    let bare = |text: &str| {
        let around = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | '.');
        text.trim_matches(around).to_owned()
    };
    bare(answer) == bare(id)
}

/// Returns the digits in a text.
pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Returns whether the released loop stops at this text, because the content of its first tags has five digits.
pub(super) fn has_answer(text: &str) -> bool {
    let inside =
        || text.split_once("<answer>")?.1.split_once("</answer>").map(|(inside, _)| inside);
    inside().is_some_and(|inside| digits(inside).len() == 5)
}

/// Returns whether the released evaluation looks for an answer in this text, and no further back.
pub(super) fn is_last_word(text: &str) -> bool {
    text.contains("<answer>") || text.contains("Candidate")
}

/// Returns the five digits of the answer that the released evaluation finds in a text. It looks for a candidate inside the first
/// tags after the reasoning, in curly braces, in brackets, or bare, in this order.
pub(super) fn found_number(text: &str) -> Option<String> {
    let after = match text.split("</think>").nth(1) {
        Some(after) if text.contains("<think>") => after,
        _ => text,
    };
    let lower = after.to_ascii_lowercase();
    let (_, rest) = lower.split_once("<answer>")?;
    let (inside, _) = rest.split_once("</answer>")?;
    let patterns: [&[&str]; 4] = [
        &["<", NAME, "{", "candidate_id", ":", NUMBER, "}", ">"],
        &["<", NAME, "{", NUMBER, "}", ">"],
        &["<", NAME, NUMBER, ">"],
        &[NAME, NUMBER],
    ];
    let starts = || inside.char_indices().map(|(at, _)| &inside[at..]);
    patterns.iter().find_map(|pattern| starts().find_map(|text| matched(text, pattern)))
}

/// The name of a candidate with its five digits, as a pattern.
const NAME: &str = "";
const NUMBER: &str = "00000";

/// Returns the number in a text that starts with these parts, with blanks between them.
fn matched(text: &str, pattern: &[&str]) -> Option<String> {
    let (mut rest, mut number) = (text, None);
    for (place, &part) in pattern.iter().enumerate() {
        if place > 0 {
            rest = rest.trim_start();
        }
        rest = match part {
            NAME => names().find_map(|name| rest.strip_prefix(name.as_str()))?,
            NUMBER => {
                let (found, after) = rest.split_at_checked(5)?;
                number = Some(found).filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
                number.map(|_| after)?
            }
            part => rest.strip_prefix(part)?,
        };
    }
    number.map(str::to_owned)
}

/// Returns the names of candidates in lower case: as in the released benchmark, and by the goal's data type.
fn names() -> impl Iterator<Item = String> {
    let both = |task: Task| {
        let goal = task.goal().to_ascii_lowercase();
        [format!("{}candidate", goal.trim_start_matches("travel")), goal]
    };
    Task::ALL.into_iter().flat_map(both)
}
