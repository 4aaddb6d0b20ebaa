//! The greedy policy against the optimum, called as a Rust user does.

use agent_scorecard::{
    Error, Position, Value,
    costbench::{
        Blocking, CostbenchOptions, METRICS, Query, SweepOptions, WorldOptions, compare, sweep,
    },
    options::Named,
    tool_graph::costbench::{EventKind, Task},
};
use serde_json::Value as Json;

fn queries() -> Vec<Query> {
    let query = |i: usize| Query { query_id: format!("q{i}"), task: Task::ALL[i % 6] };
    (0..18).map(query).collect()
}

#[test]
fn with_one_cost_for_all_tools_every_plan_of_five_steps_costs_five_times_that() {
    let world =
        WorldOptions { min_cost: 20.0, max_cost: 20.0, noise_std: 0.0, ..WorldOptions::default() };
    let options = CostbenchOptions { world, ..CostbenchOptions::default() };
    let block = compare(&queries(), &options, true).unwrap();
    let found = ["mean_optimal_cost", "cost_gap", "completed"].map(|key| block.number(key));
    assert_eq!(found, [Some(100.0), Some(0.0), Some(1.0)]);
    assert!(block.get("blocked").is_none());
    // Both paths of the picture start and end at states of the task, which has five steps.
    let picture = &block.pictures["plan"];
    for series in &picture.series[..2] {
        let points: Vec<(f64, f64)> = series.x.iter().copied().zip(series.y.clone()).collect();
        assert_eq!((points[0], points[points.len() - 1]), ((0.0, 0.0), (5.0, 0.0)));
        // An arc is as high as it is long.
        let states: Vec<f64> = points.iter().filter(|it| it.1 == 0.0).map(|it| it.0).collect();
        let longest = states.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        let highest = points.iter().map(|it| it.1.abs()).fold(0.0, f64::max);
        assert!((highest - longest).abs() < 1e-12, "{highest} {longest}");
    }
    assert_eq!(picture.series[2].x, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    // The lower side counts upwards too.
    assert!(picture.y.is_mirrored);
}

#[test]
fn events_have_figures_of_their_own_and_too_many_are_refused() {
    let blocking = Blocking::Kind(EventKind::BanTool);
    let options =
        CostbenchOptions { blocking, blocks: 2, paths: true, ..CostbenchOptions::default() };
    let block = compare(&queries(), &options, false).unwrap();
    let Some(Value::Block(blocked)) = block.get("blocked") else { unreachable!("no events") };
    assert!(block.number("gt_ned") > Some(0.0) && blocked.get("cost_gap").is_none());
    assert_eq!(block.said(Position::Detail).count(), 18 * 5);
    let options = CostbenchOptions { blocks: 4, paths: false, ..options };
    let error = compare(&queries(), &options, false).unwrap_err();
    assert!(matches!(error, Error::Options { options: &["blocks"], .. }), "{error}");
}

#[test]
fn a_row_of_a_sweep_has_the_figures_of_its_setting_inside_their_intervals() {
    let options = SweepOptions {
        levels: vec![0, 2],
        noises: vec![0.1, 10.0],
        most_blocks: 2,
        seeds: vec![7],
        ..SweepOptions::default()
    };
    let found = serde_json::to_value(sweep(&queries(), &options).unwrap()).unwrap();
    let groups = found["groups"].as_array().unwrap();
    let rows = |group: &Json| group["rows"].as_array().unwrap().clone();
    let sizes = groups.iter().map(|it| (it["name"].as_str().unwrap(), rows(it).len()));
    let expected = [("length", 2), ("noise", 2), ("block", 6), ("blocks", 11), ("seed", 2)];
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
    for row in groups.iter().flat_map(rows) {
        let is_still = row["blocks"] == 0;
        let mut one = CostbenchOptions::default();
        one.world.refinement_level = row["refinement_level"].as_u64().unwrap() as usize;
        one.world.noise_std = row["noise_std"].as_f64().unwrap();
        one.world.seed = row["seed"].as_u64().unwrap();
        if !is_still {
            one.blocking = Blocking::named(row["block"].as_str().unwrap()).unwrap();
            one.blocks = row["blocks"].as_u64().unwrap() as usize;
        }
        let one = serde_json::to_value(compare(&queries(), &one, false).unwrap()).unwrap();
        let figures = if is_still { &one } else { &one["blocked"] };
        assert_eq!(row["queries"], figures["queries"], "{row}");
        assert_eq!(row["left_out"].as_u64().unwrap() + row["queries"].as_u64().unwrap(), 18);
        let names = METRICS.map(|metric| metric.measure.key);
        for name in names.into_iter().filter(|name| is_still || *name != "cost_gap") {
            let own = row[name]["value"].as_f64();
            assert_eq!(own, figures[name]["value"].as_f64(), "{name} {row}");
            if let Some(low) = row[name]["ci_low"].as_f64() {
                let high = row[name]["ci_high"].as_f64().unwrap();
                assert!(low <= own.unwrap() && own.unwrap() <= high, "{name} {row}");
            }
        }
        let gt_ned = if is_still { &Json::Null } else { &one["gt_ned"]["value"] };
        assert_eq!(&row["gt_ned"]["value"], gt_ned, "{row}");
        // The greedy policy makes no invalid and no redundant calls, so all its calls are in its path.
        let calls = row["failures"]["calls"].as_f64().unwrap();
        let mean = row["tool_calls"]["value"].as_f64().unwrap_or(0.0);
        assert!((calls - mean * row["queries"].as_f64().unwrap()).abs() < 1e-9, "{row}");
        let none = [&row["failures"]["repeated"], &row["failures"]["inaccessible"]];
        assert_eq!(none.map(|n| n.as_u64()), [Some(0); 2]);
    }
    let wrong = SweepOptions { levels: vec![200], ..options };
    let error = sweep(&queries(), &wrong).unwrap_err();
    assert!(error.to_string().starts_with("levels: "), "{error}");
}
