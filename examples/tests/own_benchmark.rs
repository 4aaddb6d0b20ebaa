//! The benchmark of the page on own benchmarks, against the same runs simulated without the crates, and its page.
#![allow(clippy::panic, clippy::unwrap_used)]

mod program;

use std::{collections::BTreeMap, fs};

use rand::{RngExt, SeedableRng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;

struct Run {
    succeeded: bool,
    spent: f64,
    /// The Brier score of the confidence, as a mean over the steps.
    score: f64,
}

/// The rules of the benchmark and the agent, by hand.
fn simulated(page: usize, rng: &mut ChaCha8Rng) -> Run {
    let scan = [3.0, 4.0, 5.0][page % 3];
    let (mut done, mut steps, mut spent) = (Vec::new(), 0, 0.0);
    let (chance, confidence) = if page.is_multiple_of(4) { (0.4, 0.7) } else { (0.9, 0.9) };
    let mut succeeded = false;
    let mut turns = 0;
    while turns < 40 {
        turns += 1;
        let edit = if steps < 2 { 3.0 } else { 6.0 };
        let mut tools = vec![
            ("scan", "page", scan),
            ("translate", "scan", 4.0),
            ("translate_page", "page", 6.0),
        ];
        tools.extend([("edit", "translate", edit), ("polish", "translate", 4.0)]);
        tools.retain(|tool| tool.0 != "translate_page" || steps == 0);
        let chosen = tools.iter().filter(|tool| !done.contains(&tool.0)).choose(rng);
        let is_right = rng.random_bool(chance);
        if done.contains(&"edit") || done.contains(&"polish") {
            succeeded = is_right;
            break;
        }
        let &(name, after, price) = chosen.unwrap();
        // A scenario has 20 calls, and the budget 14 cents.
        if turns > 20 || spent + price > 14.0 {
            break;
        }
        if name == "translate_page" {
            steps += 1;
        } else if after == "page" || done.contains(&after) {
            (steps, spent) = (steps + 1, spent + price);
            done.push(name);
        }
    }
    Run { succeeded, spent, score: -(confidence - f64::from(succeeded)).powi(2) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn the_figures_of_the_own_benchmark_are_those_of_a_simulation_by_hand() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let runs: Vec<Run> = (0..60).map(|run| simulated(run / 3, &mut rng)).collect();
    let lines = program::lines("own_benchmark");
    let figures: BTreeMap<&str, &str> =
        lines.iter().filter_map(|line| line.split_once(": ")).collect();
    let is = |name: &str, expected: &str| {
        let found = figures[name];
        assert!(found.starts_with(expected), "{name} is {found}, not {expected}");
    };

    let successes = runs.iter().filter(|run| run.succeeded).count();
    is("success_rate", &format!("{:.3} [", successes as f64 / 60.0));
    let gaps = (0..60).filter(|&at| runs[at].succeeded).map(|at| {
        // The best run scans, translates and polishes.
        runs[at].spent - (3.0 + (at / 3 % 3) as f64 + 4.0 + 4.0)
    });
    let gaps: Vec<f64> = gaps.collect();
    assert!(gaps.iter().all(|gap| [0.0, 2.0].contains(gap)) && gaps.contains(&2.0));
    is("cost_gap", &format!("{:.3} [", mean(&gaps)));

    // All pairs, and all three, of the runs of a page.
    let pages: Vec<&[Run]> = runs.chunks(3).collect();
    let pairs = |page: &[Run]| {
        let pairs = [[0, 1], [0, 2], [1, 2]];
        let some = pairs.iter().filter(|pair| pair.iter().any(|&at| page[at].succeeded)).count();
        some as f64 / 3.0
    };
    let by_page =
        |of: &dyn Fn(&[Run]) -> f64| -> Vec<f64> { pages.iter().map(|it| of(it)).collect() };
    is("passes.0.pass_at_k", &format!("{:.3} [", mean(&by_page(&pairs))));
    let all = |page: &[Run]| f64::from(u8::from(page.iter().all(|run| run.succeeded)));
    is("passes.1.pass_hat_k", &format!("{:.3} [", mean(&by_page(&all))));

    // Pages have the same number of runs, so that the interval is Student's of the means of pages.
    let scores = by_page(&|page| page.iter().map(|run| run.score).sum::<f64>() / 3.0);
    let center = mean(&scores);
    let squares = scores.iter().map(|score| (score - center).powi(2)).sum::<f64>();
    // The 0.975 quantile of Student's t with 19 degrees of freedom.
    let half = 2.093_024_054_408_263 * (squares / 19.0 / 20.0).sqrt();
    is("tps", &format!("{center:.3} [{:.3}, {:.3}]", center - half, center + half));
    assert_eq!(lines.last().unwrap(), "the gate fails: false");
}

/// The blocks of a page that begin with this line.
fn blocks<'a>(page: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    let (begin, end) = (format!("{begin}\n"), format!("{end}\n"));
    let parts = page.split(begin.as_str()).skip(1);
    parts.map(|part| part.split(end.as_str()).next().unwrap()).collect()
}

#[test]
fn the_page_shows_the_code_of_the_programs_and_what_they_print() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    let read = |file: &str| fs::read_to_string(format!("{folder}{file}")).unwrap();
    let page = read("docs/own_benchmark.md");
    let programs = ["own_benchmark", "informative_stops"];
    let sources = programs.map(|name| read(&format!("examples/{name}.rs")));
    let shown = blocks(&page, "```rust,ignore", "```");
    assert!(shown.len() > 5);
    for block in shown {
        assert!(sources.iter().any(|source| source.contains(block)), "in no program:\n{block}");
    }
    for name in programs {
        let begin = format!("<!-- output of {name} -->\n```text");
        let lines = program::lines(name);
        let shown = blocks(&page, &begin, "```").concat();
        assert!(!shown.is_empty(), "no output of {name}");
        for line in shown.lines().filter(|line| *line != "…") {
            assert!(lines.iter().any(|printed| printed == line), "{name} does not print {line:?}");
        }
    }
}
