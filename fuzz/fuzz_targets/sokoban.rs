//! A room as text, and replies of a model on the lines behind it: no reply loses a box, what a room still needs falls by at most one
//! a step, and a room that is written reads back unchanged.

#![no_main]

use agent_benchmarks::{
    play::Environment,
    sokoban::{Need, Room, Sokoban},
};
use libfuzzer_sys::fuzz_target;

/// Keeps an input below a few milliseconds.
const MOST_STATES: usize = 2_000;

fn least(room: &Room) -> Option<usize> {
    let Need::Steps(plan) = room.least_steps(MOST_STATES) else { return None };
    let mut played = room.clone();
    assert!(plan.iter().all(|step| played.step(*step)) && played.is_solved());
    Some(plan.len())
}

fuzz_target!(|input: (&str, &str)| {
    let (text, replies) = input;
    let Ok(room) = Room::parse(text) else { return };
    assert_eq!(Room::parse(&room.to_xsb()).as_ref(), Ok(&room));
    assert_eq!(Room::parse(&room.to_string()).as_ref(), Ok(&room));
    let boxes = room.n_boxes();
    let mut need = least(&room);
    let mut sokoban = Sokoban::new(room);
    for reply in replies.lines() {
        let acted = sokoban.act(&reply.into());
        assert!(acted.n_actions <= 3 && acted.penalty <= 0.0);
        let room = sokoban.game().room();
        assert_eq!(room.n_boxes(), boxes);
        let left = least(room);
        if let (Some(before), Some(after)) = (need, left) {
            assert!(before <= after + acted.n_actions);
        }
        need = left;
        let _ = sokoban.observation();
    }
});
