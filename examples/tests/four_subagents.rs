//! Four subagents on one budget, from the outside.
#![allow(clippy::unwrap_used)]

mod program;

#[test]
fn four_subagents_use_nearly_all_of_the_budget() {
    let lines = program::lines("four_subagents");
    assert_eq!(lines[0], "a call holds 1437 tokens in place of 4096");
    // The monitor may stop an agent before its call is refused: the order of the threads decides.
    let is_end = |line: &&String| {
        [": max_tokens", ": estimated_impossible"].iter().any(|end| line.ends_with(end))
    };
    let ends = lines.iter().filter(is_end).count();
    let notices =
        lines.iter().filter(|line| line.ends_with("most of the tokens are spent")).count();
    assert_eq!((lines.len(), ends, notices), (7, 4, 1), "{lines:?}");
    let left = lines[6].split(" of 60,000 tokens left").next().unwrap();
    let left: f64 = left.replace(',', "").parse().unwrap();
    // What is left is less than each of them would hold.
    assert!(left < 4.0 * 1437.0, "{left}");
}
