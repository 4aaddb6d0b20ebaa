//! Pools of problems: there is one a line, and the oracle earns the most that can be had.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../json_lines.rs"]
mod json_lines;

fuzz_target!(|bytes: &[u8]| {
    let Ok(pool) = run_logs::read_pool("f", bytes) else { return };
    let items = pool.items();
    assert_eq!(items.len(), json_lines::lines(bytes));
    if items.len() > 8 {
        return;
    }
    let budget = pool.total_cost() / 2;
    // Where not even half of the search's limit is needed there is always a proof.
    let oracle = pool.oracle(budget).expect("few items");
    let solved = |set: usize| {
        let some = items.iter().enumerate().filter(move |(i, _)| set >> i & 1 == 1);
        some.map(|(_, item)| item).filter(|item| item.is_solved())
    };
    let best = (0..1 << items.len())
        .filter(|&set| {
            solved(set).map(|item| u128::from(item.cost())).sum::<u128>() <= budget.into()
        })
        .map(|set| solved(set).map(|item| item.value()).sum::<f64>())
        .fold(0.0, f64::max);
    assert!((oracle.value - best).abs() <= 1e-12 * best, "{} against {best}", oracle.value);
});
