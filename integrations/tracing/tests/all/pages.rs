use std::{collections::BTreeSet, fs, process::Command};

use agent_tracing::Count;
use budget_estimation::StopReason;

#[path = "../../examples/tokio_subagents.rs"]
#[allow(dead_code, reason = "main prints what the test checks")]
mod tokio_subagents;

#[test]
fn four_tasks_of_tokio_stay_within_one_budget() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()
        .unwrap();
    let (monitor, ends) = runtime.block_on(tokio_subagents::run()).unwrap();
    let budget = monitor.budget();
    let spent: Vec<f64> = budget.resources().map(|it| it.spent).collect();
    assert!((60_000.0 - 4.0 * 4096.0..=60_000.0).contains(&spent[0]), "{budget}");
    assert!(
        budget.resources().map(|it| it.excess).eq([0.0, 0.0])
            && budget.resources().map(|it| it.held).eq([0.0, 0.0])
    );
    let agents = monitor.agents();
    assert_eq!((ends.len(), monitor.open_calls()), (4, 0));
    assert!(ends.iter().all(|end| *end == StopReason::MaxTokens), "{ends:?}");
    let used = agents.iter().map(|agent| agent.used(Count::TotalTokens).0);
    assert_eq!(used.sum::<f64>(), spent[0]);
    for agent in agents {
        assert!(agent.used(Count::TotalTokens).0 <= 25_000.0);
        assert!(agent.forecasts.iter().all(|forecast| *forecast == Some(0.8)));
    }
}

/// The blocks of Rust on a page, each with the file that the comment before it names.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    for part in page.split("```rust\n").collect::<Vec<_>>().windows(2) {
        let file = part[0].rsplit_once("<!-- from ").unwrap().1.split(" -->").next().unwrap();
        blocks.push((file, part[1].split("```").next().unwrap()));
    }
    blocks
}

#[test]
fn the_code_of_the_page_is_compiled() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let read = |file: &str| fs::read_to_string(format!("{root}{file}")).unwrap();
    let page = read("docs/loops.md");
    let blocks = blocks(&page);
    assert!(blocks.len() >= 2);
    for (file, block) in blocks {
        assert!(read(file).contains(block), "{file} does not have\n{block}");
    }
    for (name, _) in agent_tracing::ATTRIBUTES {
        assert!(page.contains(name), "the page does not list {name}");
    }
}

#[test]
fn the_tree_has_as_many_packages_as_the_readme_states() {
    let mut tree = Command::new(env!("CARGO"));
    tree.args("tree -e normal --prefix none --no-dedupe --offline --locked".split(' '));
    let output = tree.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap().stdout;
    let tree = String::from_utf8(output).unwrap();
    let packages: BTreeSet<&str> = tree.lines().collect();
    let stated = format!("dependencies has {} packages", packages.len());
    assert!(include_str!("../../README.md").contains(&stated), "{stated}");
}
