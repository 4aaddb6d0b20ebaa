//! Rollouts as JSON Lines: no panic, and what was read comes back from what is written.

#![no_main]

use budget_estimation::Rollouts;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 2] = ["output_tokens", "cost_usd"];

fuzz_target!(|text: &[u8]| {
    let Ok(rollouts) = Rollouts::read_json_lines(text, NAMES) else { return };
    let mut written = Vec::new();
    rollouts.write_json_lines(&mut written).expect("a vector takes everything");
    let again = Rollouts::read_json_lines(written.as_slice(), NAMES).expect("our own lines");
    let mut rewritten = Vec::new();
    again.write_json_lines(&mut rewritten).expect("a vector takes everything");
    assert_eq!(written, rewritten);
});
