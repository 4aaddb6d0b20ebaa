//! Rollouts as JSON Lines: no panic, and what was read comes back from what is written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use run_logs::{RolloutFile, Rollouts, write_rollouts};

const NAMES: [&str; 2] = ["output_tokens", "cost_usd"];

fuzz_target!(|text: &[u8]| {
    let read = |text: &[u8]| {
        let mut rollouts = Rollouts::new(NAMES).expect("two names");
        RolloutFile::read("f", text)?.append_to(&mut rollouts).map(|()| rollouts)
    };
    let Ok(rollouts) = read(text) else { return };
    if rollouts.is_empty() {
        return;
    }
    let (mut written, mut rewritten) = (Vec::new(), Vec::new());
    write_rollouts(&rollouts, &mut written).expect("a vector takes everything");
    let again = read(&written).expect("our own lines");
    write_rollouts(&again, &mut rewritten).expect("a vector takes everything");
    assert_eq!(written, rewritten);
});
