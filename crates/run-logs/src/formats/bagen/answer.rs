use scoring_rules::Interval;

/// An answer as the released evaluation reads it.
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
    let content = tag_content(strip(text), true)?;
    if is_impossible(content) {
        return Some(Answer::Impossible);
    }
    let mut numbers = whole_numbers(content);
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
    const LABELS: [&[&str]; 3] = [
        &["time_weeks", "time"],
        &["warehouse_item_weeks", "warehouse"],
        &["cumulative_cost_usd", "cumulative_cost", "cost"],
    ];
    let content = tag_content(strip(text), true)?;
    if is_impossible(content) {
        return Some(Answer::Impossible);
    }
    let named = LABELS.map(|labels| labels.iter().find_map(|label| labelled(content, label)));
    let pairs: Vec<[f64; 2]> = match named.into_iter().collect::<Option<_>>() {
        Some(pairs) => pairs,
        None => all_bracketed(content, decimal).take(LABELS.len()).collect(),
    };
    if pairs.len() < LABELS.len() {
        return None;
    }
    pairs.into_iter().map(sorted).collect::<Option<_>>().map(Answer::Intervals)
}

fn sorted([one, other]: [f64; 2]) -> Option<Interval> {
    Interval::new(one.min(other), one.max(other)).ok()
}

/// An answer as the released training code reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrainingAnswer {
    /// The model predicts that the run cannot finish within its budget.
    Impossible,
    /// Two whole numbers in brackets, in the order of the answer, which may be reversed.
    Ends([f64; 2]),
    /// One whole number; it never gets a reward.
    Scalar(f64),
}

impl TrainingAnswer {
    /// The midpoint of the two bounds, or the single number; `None` for [`TrainingAnswer::Impossible`].
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
    let content = tag_content(text, false)?;
    if is_impossible(content) {
        return Some(TrainingAnswer::Impossible);
    }
    if let Some(ends) = all_bracketed(content, whole_number).next() {
        return Some(TrainingAnswer::Ends(ends));
    }
    let (value, rest) = whole_number(strip(content))?;
    rest.is_empty().then_some(TrainingAnswer::Scalar(value))
}

/// White space as in Python's `\s` and `strip`.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn strip_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Returns the text after the first `pattern`, which is ASCII.
fn after<'a>(text: &'a str, pattern: &str, ignore_case: bool) -> Option<&'a str> {
    let found = |at: &usize| {
        let part = text.as_bytes().get(*at..*at + pattern.len()).unwrap_or_default();
        if ignore_case {
            part.eq_ignore_ascii_case(pattern.as_bytes())
        } else {
            part == pattern.as_bytes()
        }
    };
    let at = (0..text.len()).find(found)?;
    text.get(at + pattern.len()..)
}

/// Returns the text between the first `<answer>` and the next `</answer>`, without white space around it.
pub(super) fn tag_content(text: &str, ignore_case: bool) -> Option<&str> {
    let content = after(text, "<answer>", ignore_case)?;
    let rest = after(content, "</answer>", ignore_case)?;
    content.get(..content.len() - rest.len() - "</answer>".len()).map(strip)
}

pub(super) fn is_impossible(content: &str) -> bool {
    strip(content).to_lowercase() == "impossible"
}

/// Returns the digits at the start of a text, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())
}

/// Returns all sequences of digits.
pub(super) fn whole_numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

pub(super) fn whole_number(text: &str) -> Option<(f64, &str)> {
    let (number, rest) = digits(text)?;
    Some((number.parse().ok()?, rest))
}

/// `-?\d+(?:\.\d+)?`
pub(super) fn decimal(text: &str) -> Option<(f64, &str)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (_, mut rest) = digits(unsigned)?;
    if let Some((_, after)) = rest.strip_prefix('.').and_then(digits) {
        rest = after;
    }
    Some((text.get(..text.len() - rest.len())?.parse().ok()?, rest))
}

/// Parses two numbers in brackets at the start of a text, and returns the rest.
pub(super) fn bracketed<'a>(
    text: &'a str,
    number: impl Fn(&'a str) -> Option<(f64, &'a str)>,
) -> Option<([f64; 2], &'a str)> {
    let (low, rest) = number(strip_start(text.strip_prefix('[')?))?;
    let rest = strip_start(strip_start(rest).strip_prefix(',')?);
    let (high, rest) = number(rest)?;
    Some(([low, high], strip_start(rest).strip_prefix(']')?))
}

/// Returns all such pairs, from left to right.
pub(super) fn all_bracketed<'a>(
    text: &'a str,
    number: impl Fn(&'a str) -> Option<(f64, &'a str)> + Copy + 'a,
) -> impl Iterator<Item = [f64; 2]> + 'a {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.get(rest.find('[')?..)?;
            if let Some((pair, after)) = bracketed(rest, number) {
                rest = after;
                return Some(pair);
            }
            rest = rest.get(1..)?;
        }
    })
}

/// Returns the first pair after `label` and a colon, in any case.
pub(super) fn labelled(text: &str, label: &str) -> Option<[f64; 2]> {
    let mut rest = text;
    loop {
        rest = after(rest, label, true)?;
        let colon = strip_start(rest).strip_prefix([':', '：']);
        if let Some((pair, _)) = colon.and_then(|after| bracketed(strip_start(after), decimal)) {
            return Some(pair);
        }
    }
}
