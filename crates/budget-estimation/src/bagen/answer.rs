use scoring_rules::Interval;

use crate::bagen::text::{
    all_bracketed, decimal, is_impossible, labelled, strip, tag_content, whole_numbers,
};

/// An answer as the released evaluation reads it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The model predicts that the run cannot finish within its budget.
    Impossible,
    /// One interval per resource. The ends may be negative.
    Intervals(Vec<Interval>),
}

/// Reads an answer about tokens as BAGEN's evaluation does.
///
/// The content of the first `<answer>…</answer>`, in any case, is `impossible` or contains at least
/// two runs of digits. The first two of them are the ends, swapped if they are reversed. Everything
/// between them is ignored: `[1,200, 3,400]` is read as 1 to 200, and `[-5, 7.5]` as 5 to 7.
/// `None` for every other text. Only ASCII digits are read; the released pattern, `\d` of Python, also
/// takes the digits of other scripts. Use
/// [`parse_answer`](crate::parse_answer) for the form that the prompt asks for.
///
/// Reference: `ragen/env/token_estimation/env.py`, `parse_prediction`.
///
/// ```
/// use budget_estimation::{AnswerMode, Error, Estimate, Interval, bagen, parse_answer};
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
/// use budget_estimation::{Error, Interval, bagen};
///
/// let answer = bagen::parse_warehouse_answer("<answer>[2, 4]; [900, 800]; [-1.5, 3]</answer>");
/// let ends = [(2.0, 4.0), (800.0, 900.0), (-1.5, 3.0)];
/// let intervals: Result<_, _> = ends.map(|(low, high)| Interval::new(low, high)).into_iter().collect();
/// assert_eq!(answer, Some(bagen::Answer::Intervals(intervals?)));
/// # Ok::<(), Error>(())
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
