use std::sync::LazyLock;

use regex_lite::Regex;
use scoring_rules::Interval;

/// An answer as BAGEN's released evaluation reads it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The model predicts that the run cannot finish within its budget.
    Impossible,
    /// One interval per resource. The bounds may be negative.
    Intervals(Vec<Interval>),
}

/// Reads an answer about tokens as BAGEN's evaluation does.
///
/// The content of the first `<answer>…</answer>`, in any case, is `impossible` or contains at least two sequences of digits. The
/// first two are the bounds, swapped if they are reversed. Everything between them is ignored: `[1,200, 3,400]` gives 1 to 200,
/// and `[-5, 7.5]` gives 5 to 7. `None` for every other text. Only ASCII digits are read; the released pattern, `\d` of Python,
/// also takes the digits of other scripts. Use [`parse_answer`](budget_estimation::parse_answer) for the form that the prompt
/// asks for.
///
/// Reference: `ragen/env/token_estimation/env.py`, `parse_prediction`.
///
/// ```
/// use budget_estimation::{AnswerMode, Error, Estimate, Interval, parse_answer};
/// use run_logs::bagen;
///
/// let text = "<answer>[1,200, 3,400]</answer>";
/// let released = bagen::parse_token_answer(text);
/// assert_eq!(released, Some(bagen::Answer::Intervals(vec![Interval::new(1.0, 200.0)?])));
/// let ours = parse_answer(text, AnswerMode::Lenient)?;
/// assert_eq!(ours, Estimate::interval(1200.0, 3400.0)?);
/// # Ok::<(), Error>(())
/// ```
#[must_use]
pub fn parse_token_answer(text: &str) -> Option<Answer> {
    let content = tag_content(&ANY_ANSWER, text)?;
    if is_impossible(content) {
        return Some(Answer::Impossible);
    }
    let found = WHOLES.iter().flat_map(|digits| digits.find_iter(content));
    let mut numbers = found.filter_map(|digits| digits.as_str().parse().ok());
    let interval = sorted([numbers.next()?, numbers.next()?])?;
    Some(Answer::Intervals(vec![interval]))
}

/// Reads an answer about the three resources of Warehouse as BAGEN's evaluation does.
///
/// The content of the first `<answer>…</answer>`, in any case, is `impossible` or contains three
/// intervals `[low, high]` of decimal numbers, swapped if they are reversed: after the labels
/// `time_weeks` or `time`, `warehouse_item_weeks` or `warehouse`, and `cumulative_cost_usd`,
/// `cumulative_cost` or `cost`, each with a colon, in any order. If a label is missing, the first three
/// intervals count in their order. `None` for every other text. Only ASCII digits are read, as by
/// [`parse_token_answer`].
///
/// Reference: `ragen/env/money_estimation/env.py`, `parse_prediction`.
///
/// ```
/// use run_logs::{Interval, bagen};
///
/// let answer = bagen::parse_warehouse_answer("<answer>[2, 4]; [900, 800]; [-1.5, 3]</answer>");
/// let ends = [(2.0, 4.0), (800.0, 900.0), (-1.5, 3.0)];
/// let intervals: Result<_, _> = ends.map(|(low, high)| Interval::new(low, high)).into_iter().collect();
/// assert_eq!(answer, Some(bagen::Answer::Intervals(intervals?)));
/// # Ok::<(), run_logs::Error>(())
/// ```
#[must_use]
pub fn parse_warehouse_answer(text: &str) -> Option<Answer> {
    let content = tag_content(&ANY_ANSWER, text)?;
    if is_impossible(content) {
        return Some(Answer::Impossible);
    }
    let labelled = |patterns: &Vec<Option<Regex>>| {
        patterns.iter().find_map(|pattern| pairs(pattern.as_ref(), content).next())
    };
    let found: Vec<[f64; 2]> = match LABELLED.iter().map(labelled).collect::<Option<_>>() {
        Some(found) => found,
        None => pairs(DECIMAL_PAIR.as_ref(), content).take(3).collect(),
    };
    if found.len() < 3 {
        return None;
    }
    found.into_iter().map(sorted).collect::<Option<_>>().map(Answer::Intervals)
}

fn sorted([one, other]: [f64; 2]) -> Option<Interval> {
    Interval::new(one.min(other), one.max(other)).ok()
}

/// An answer as BAGEN's released training code reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrainingAnswer {
    /// The model predicts that the run cannot finish within its budget.
    Impossible,
    /// Two whole numbers in brackets, in the order in which the answer gives them; the larger number may come first.
    Ends([f64; 2]),
    /// One whole number; it never gets a reward.
    Scalar(f64),
}

impl TrainingAnswer {
    /// Returns the midpoint of the two bounds, or the single number; `None` for [`TrainingAnswer::Impossible`].
    #[must_use]
    pub fn midpoint(&self) -> Option<f64> {
        match *self {
            Self::Impossible => None,
            Self::Ends([first, second]) => Some((first + second) / 2.0),
            Self::Scalar(value) => Some(value),
        }
    }
}

/// Reads an answer about tokens as BAGEN's training and the evaluation of its checkpoints do.
///
/// The content of the first `<answer>…</answer>`, in lower case, is `impossible` in any case, contains
/// `[low, high]` of whole numbers anywhere, or is one whole number. `None` for every other text.
///
/// Reference: `scripts/budget-rl/budget_probe_reward.py`, `parse_answer`.
///
/// ```
/// use run_logs::bagen::{TrainingAnswer, parse_training_answer};
///
/// let answer = parse_training_answer("<answer>about [80, 120], I think</answer>");
/// assert_eq!(answer, Some(TrainingAnswer::Ends([80.0, 120.0])));
/// assert_eq!(parse_training_answer("<ANSWER>[80, 120]</ANSWER>"), None);
/// ```
#[must_use]
pub fn parse_training_answer(text: &str) -> Option<TrainingAnswer> {
    let content = tag_content(&ANSWER, text)?;
    if is_impossible(content) {
        return Some(TrainingAnswer::Impossible);
    }
    if let Some(ends) = pairs(WHOLE_PAIR.as_ref(), content).next() {
        return Some(TrainingAnswer::Ends(ends));
    }
    let is_whole = !content.is_empty() && content.bytes().all(|byte| byte.is_ascii_digit());
    content.parse().ok().filter(|_| is_whole).map(TrainingAnswer::Scalar)
}

/// The parts of Python's `re` and `str` that the released parsers use. White space as in Python's `\s` and `strip`.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// A pattern that is compiled once.
type Pattern = LazyLock<Option<Regex>>;

/// Any [white space](is_space).
const SPACE: &str =
    r"[\s\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]*";

const WHOLE: &str = "[0-9]+";
const DECIMAL: &str = r"-?[0-9]+(?:\.[0-9]+)?";

static WHOLES: Pattern = LazyLock::new(|| Regex::new(WHOLE).ok());
static WHOLE_PAIR: Pattern = LazyLock::new(|| pair_pattern("", WHOLE));
static DECIMAL_PAIR: Pattern = LazyLock::new(|| pair_pattern("", DECIMAL));
static ANSWER: Pattern = LazyLock::new(|| Regex::new("(?s)<answer>(.*?)</answer>").ok());
static ANY_ANSWER: Pattern = LazyLock::new(|| Regex::new("(?is)<answer>(.*?)</answer>").ok());

/// Two numbers in brackets after a label and a colon, for each label of each resource of Warehouse.
static LABELLED: LazyLock<[Vec<Option<Regex>>; 3]> = LazyLock::new(|| {
    let labels: [&[&str]; 3] = [
        &["time_weeks", "time"],
        &["warehouse_item_weeks", "warehouse"],
        &["cumulative_cost_usd", "cumulative_cost", "cost"],
    ];
    let pattern = |label: &&str| pair_pattern(&format!("(?i){label}{SPACE}[:：]{SPACE}"), DECIMAL);
    labels.map(|labels| labels.iter().map(pattern).collect())
});

/// Returns the pattern of two numbers in brackets.
fn pair_pattern(before: &str, number: &str) -> Option<Regex> {
    let between = format!("{SPACE},{SPACE}");
    Regex::new(&format!(r"{before}\[{SPACE}({number}){between}({number}){SPACE}\]")).ok()
}

/// Returns all pairs of numbers that a pattern finds, from left to right.
fn pairs(pattern: Option<&Regex>, text: &str) -> impl Iterator<Item = [f64; 2]> {
    let found = pattern.into_iter().flat_map(|pattern| pattern.captures_iter(text));
    found.filter_map(|pair| Some([pair[1].parse().ok()?, pair[2].parse().ok()?]))
}

/// Returns the text between the first `<answer>` and the next `</answer>`, without white space around it.
fn tag_content<'a>(pattern: &Pattern, text: &'a str) -> Option<&'a str> {
    pattern.as_ref()?.captures(text)?.get(1).map(|content| strip(content.as_str()))
}

fn is_impossible(content: &str) -> bool {
    strip(content).to_lowercase() == "impossible"
}
