//! The agent's loop, from the outside.
#![allow(clippy::unwrap_used)]

mod program;

#[test]
fn the_agent_plans_anew_after_the_ban_and_its_confidence_is_scored() {
    let lines = program::lines("agent_loop");
    // 24 + 10 for what is banned, 20 + 5 + 10 for the rest.
    for (line, call) in lines.iter().zip([
        "search_and_rank: Banned, cost 0",
        "search: Done",
        "rank: Done",
        "pick: Done",
    ]) {
        assert!(line.starts_with(call) && line.ends_with("Continue"), "{line}");
    }
    // Confidence was 1 - 34/100, 1 - 15/100, 1 - 10/100 and 1, which is clipped.
    let logs = [0.66_f64, 0.85, 0.9, 1.0 - 1e-6].map(f64::ln);
    let score: f64 = logs.iter().zip([0.4, 0.3, 0.2, 0.1]).map(|(log, weight)| log * weight).sum();
    assert_eq!(
        lines[4..],
        [
            "succeeded: true, edit distance: Some(0)".to_owned(),
            format!("score of its confidence: {score:.3} nats"),
        ]
    );
}
