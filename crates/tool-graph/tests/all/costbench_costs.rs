//! Seeds and costs of the released benchmark (`golden/costbench`), and laws of costs.

use serde_json::Value;
use tool_graph::costbench::{CostModel, CostRule, EventKind, Library, QuerySeed, Task};
use tool_graph::{Error, Event};

use crate::golden;

#[test]
fn full_pipelines_leave_other_costs_as_they_are() {
    let model = CostModel::default();
    for rule in [CostRule::Released, CostRule::PaperText] {
        let costs = |library: Library| {
            let costs = model.with_rule(rule).costs(&library, 7, "a");
            let names = library.names().map(String::from);
            names.zip(costs).collect::<std::collections::BTreeMap<_, _>>()
        };
        let without = costs(Library::new(4).unwrap());
        let mut with = costs(Library::with_full_pipelines(4).unwrap());
        with.retain(|name, _| !name.ends_with("_Pipeline"));
        assert_eq!(with, without);
    }
}

#[test]
fn a_cost_change_draws_from_the_changed_seed() {
    let library = Library::new(2).unwrap();
    let released = CostModel::default();
    let paper = released.with_rule(CostRule::PaperText);
    let seed = QuerySeed::new(42, "a").changed(3);
    let changed_costs = |model: &CostModel, event: usize| {
        let scenario = model.scenario(&library, 42, "a", Task::Dining, &[EventKind::CostChange; 4]);
        let Event::CostChange(costs) = &scenario.events()[event] else { panic!("{scenario:?}") };
        costs.clone()
    };
    // By the rule of the paper's text, the changed seed replaces the global seed.
    assert_eq!(changed_costs(&paper, 3), paper.costs(&library, seed.into(), "a"));
    let changed = changed_costs(&released, 3);
    assert_ne!(changed, released.costs(&library, seed.into(), "a"));
    assert_ne!(changed, released.costs(&library, 42, "a"));
    assert_ne!(changed, changed_costs(&released, 2));
    assert_eq!(changed, changed_costs(&released, 3));
    assert_eq!(QuerySeed(u32::MAX).event(u32::MAX), u64::from(u32::MAX) * 101);
}

#[test]
fn costs_stay_within_their_bounds_and_the_noise_has_the_given_standard_deviation() {
    let library = Library::new(5).unwrap();
    for rule in [CostRule::Released, CostRule::PaperText] {
        let model = CostModel::new(3.0, 4.0, 0.5).unwrap().with_rule(rule);
        let exact = CostModel::new(3.0, 4.0, 0.0).unwrap().with_rule(rule);
        let (mut squares, mut count) = (0.0, 0.0);
        for query in 0..40 {
            let query = query.to_string();
            let noisy = model.costs(&library, 1, &query);
            let sums = exact.costs(&library, 1, &query);
            for ((tool, cost), sum) in library.entries().iter().zip(noisy).zip(sums) {
                if tool.is_atomic() {
                    assert!((3.0..=4.0).contains(&cost));
                    assert_eq!(cost, sum);
                } else {
                    let k = (tool.last - tool.first + 1) as f64;
                    squares += (cost - sum).powi(2) / k;
                    count += 1.0;
                }
            }
        }
        // About 6,500 draws, so a standard deviation of 0.5 is met to within 4 standard errors.
        let spread = f64::sqrt(squares / count);
        assert!((spread - 0.5).abs() < 0.02, "{rule:?}: {spread}");
    }
}

#[test]
fn composite_tools_cost_at_least_1_and_atomic_tools_can_be_free() {
    let library = Library::new(2).unwrap();
    let costs = CostModel::new(0.0, 0.0, 0.1).unwrap().costs(&library, 5, "q");
    for (tool, cost) in library.entries().iter().zip(costs) {
        if tool.is_atomic() {
            assert_eq!(cost, 0.0);
        } else {
            assert!((1.0..2.0).contains(&cost));
        }
    }
}

#[test]
fn invalid_settings_are_errors() {
    let error = |min, max, std| match CostModel::new(min, max, std).unwrap_err() {
        Error::ScoringRules(scoring_rules::Error::Setting { name, .. }) => name,
        other => panic!("{other}"),
    };
    for bad in [-1.0, 1.1e9, f64::NAN, f64::INFINITY] {
        assert_eq!(error(bad, 5.0, 0.1), "lowest atomic cost");
        assert_eq!(error(1.0, bad, 0.1), "highest atomic cost");
        assert_eq!(error(1.0, 5.0, bad), "noise");
    }
    assert_eq!(error(6.0, 5.0, 0.1), "highest atomic cost");
    let model = CostModel::new(1e9, 1e9, 1e9).unwrap();
    let costs = model.costs(&Library::new(20).unwrap(), u64::MAX, "");
    assert!(costs.iter().all(|cost| cost.is_finite() && *cost >= 1.0));
}

#[test]
fn ranges_of_removed_lengths_fit_the_task_and_the_first_does_not_depend_on_the_number() {
    for level in 1..12 {
        let library = Library::new(level).unwrap();
        let n = level + 3;
        for query in (0..50).map(QuerySeed) {
            let one = library.removed_lengths(query, 1);
            for events in 0..8 {
                let ranges = library.removed_lengths(query, events);
                assert_eq!(ranges.len(), events as usize);
                assert_eq!(ranges.first(), one.first().filter(|_| events > 0));
                for range in ranges {
                    assert!(*range.start() >= 2 && *range.end() <= n);
                    assert!(range.end() - range.start() >= n / 2);
                }
            }
        }
    }
}

#[test]
fn a_query_has_a_scenario_at_the_extremes_of_all_settings() {
    for level in [0, 1, 100] {
        let library = Library::new(level).unwrap();
        for model in [
            CostModel::new(0.0, 0.0, 0.0).unwrap(),
            CostModel::new(0.0, 1e9, 1e9).unwrap().with_rule(CostRule::PaperText),
            CostModel::new(1e9, 1e9, 1e9).unwrap(),
        ] {
            let events = [EventKind::CostChange, EventKind::RemoveTools];
            let scenario = model.scenario(&library, u64::MAX, "", Task::Shopping, &events);
            assert_eq!(scenario.events().len(), 2);
        }
    }
}

#[test]
fn seeds_of_events_equal_cpython() {
    let golden = golden("streams");
    let rows = |value: &Value| value.as_array().unwrap().clone();
    let word = |value: &Value| value.as_u64().unwrap();
    for row in rows(&golden["events"]) {
        let seed = QuerySeed(word(&row["query_seed"]) as u32);
        for (value, event) in rows(&row["changed_seeds"]).iter().zip(0..) {
            assert_eq!(u64::from(seed.changed(event)), word(value), "{seed:?} {event}");
        }
        for (value, level) in rows(&row["removed_lengths_of_levels"]).iter().zip(1..) {
            let ours = Library::new(level).unwrap().removed_lengths(seed, 1);
            let theirs = word(&value[0]) as usize..=word(&value[1]) as usize;
            assert_eq!(ours, [theirs], "{seed:?} {level}");
        }
        for case in rows(&row["several"]) {
            let library = Library::new(word(&case[0]) as usize).unwrap();
            let ours = library.removed_lengths(seed, word(&case[1]) as u32);
            let pair = |range: &Value| word(&range[0]) as usize..=word(&range[1]) as usize;
            assert_eq!(
                ours,
                rows(&case[2]).iter().map(pair).collect::<Vec<_>>(),
                "{seed:?} {case}"
            );
        }
    }
}

#[test]
fn mixed_events_are_those_of_the_released_benchmark() {
    use EventKind::{BanTool, CostChange, PreferenceChange, RemoveTools};

    // origin: DynamicBlocker._generate_blocking_types of the released code, CPython 3.11.7, 2026-11-22
    let rows = [
        (0, [CostChange, CostChange, BanTool, RemoveTools, CostChange, CostChange]),
        (1, [PreferenceChange, BanTool, RemoveTools, BanTool, CostChange, CostChange]),
        (
            98_780_976,
            [RemoveTools, CostChange, CostChange, PreferenceChange, RemoveTools, CostChange],
        ),
        (
            815_343_802,
            [
                PreferenceChange,
                RemoveTools,
                PreferenceChange,
                RemoveTools,
                PreferenceChange,
                PreferenceChange,
            ],
        ),
        (2_147_483_646, [CostChange, RemoveTools, BanTool, BanTool, CostChange, RemoveTools]),
    ];
    for (seed, kinds) in rows {
        let seed = QuerySeed(seed);
        assert_eq!(EventKind::mixed(seed, 6), kinds, "{seed:?}");
        assert_eq!(EventKind::mixed(seed, 2), kinds[..2], "{seed:?}");
    }
}
