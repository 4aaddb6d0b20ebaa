//! What a sentence on confidence may say, by the figures of its block.

use std::cmp::Ordering;

use agent_scorecard::{Block, Figure};
use proptest::prelude::*;

/// Where the interval of a figure lies beside 0; `None` without one.
fn side(figure: &Figure) -> Option<Ordering> {
    let ends = figure.interval.ok()?;
    Some(match (ends.low() > 0.0, ends.high() < 0.0) {
        (true, _) => Ordering::Greater,
        (_, true) => Ordering::Less,
        _ => Ordering::Equal,
    })
}

/// Checks that a sentence says what the figures of the block say, and that there is one if there are figures.
pub(crate) fn check(block: &Block, sentence: Option<&str>) -> Result<(), TestCaseError> {
    let over = block.figure("overconfidence").or_else(|_| block.figure("overconfidence_last"));
    prop_assert_eq!(sentence.is_some(), over.is_ok(), "{:?}", sentence);
    let (Some(sentence), Ok(over)) = (sentence, over) else { return Ok(()) };
    let has = |text: &str| sentence.contains(text);
    let at = side(&over);
    prop_assert_eq!(has("overconfident by"), at == Some(Ordering::Greater), "{}", sentence);
    prop_assert_eq!(has("underconfident by"), at == Some(Ordering::Less), "{}", sentence);
    prop_assert_eq!(
        has("the success rate, which may be noise"),
        at == Some(Ordering::Equal),
        "{}",
        sentence
    );
    let points = sentence.split_once(" point").unwrap().0.rsplit(' ').next().unwrap();
    let points: f64 = points.parse().unwrap();
    prop_assert!((points - 100.0 * over.value.abs()).abs() <= 0.5 + 1e-9, "{}", sentence);
    let gain = block.figure("brier_gain").or_else(|_| block.figure("brier_gain_last")).ok();
    let at = gain.as_ref().and_then(side);
    let may_be_noise = has("for all runs, which may be noise");
    prop_assert_eq!(may_be_noise, at == Some(Ordering::Equal), "{}", sentence);
    let is_better = gain.as_ref().is_some_and(|gain| gain.value > 0.0) && at.is_some();
    prop_assert_eq!(has("the confidence scores better"), is_better, "{}", sentence);
    prop_assert_eq!(has("the confidence scores worse"), at == Some(Ordering::Less), "{}", sentence);
    if let (Some((_, said)), Some(gain)) = (sentence.split_once("Brier score gained: "), gain) {
        let said: f64 = said.split([' ', ')']).next().unwrap().parse().unwrap();
        prop_assert!((said - gain.value).abs() <= 6e-4, "{}", sentence);
    }
    Ok(())
}
