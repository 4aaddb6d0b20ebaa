//! What each subcommand shows people, byte for byte: the table, its Markdown and the page.
#![cfg(feature = "pictures")]
#![allow(clippy::unwrap_used)]

mod program;

use std::fs;

use program::{bundled, golden, in_folder, run_other, write};

/// Subcommand, name of the files, and arguments of calls that end soon.
fn calls() -> Vec<(&'static str, &'static str, Vec<String>)> {
    let words = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let with = |file: String, more: &str| [vec![file], words(more)].concat();
    // Five trials of each of two groups of tasks: beta loses tasks of the first, gamma nearly none.
    let agent = |name: &str, successes: fn(usize) -> usize| {
        let row = |at: usize| {
            let (task, trial) = (at / 5, at % 5);
            let group = if task < 10 { "air" } else { "retail" };
            format!("{at},{group}/{task},0.{},{}\n", 5 + at % 4, u8::from(trial < successes(task)))
        };
        write(
            name,
            &("id,task,confidence,correct\n".to_owned() + &(0..100).map(row).collect::<String>()),
        )
    };
    let agents = [
        agent("alpha.csv", |task| if task < 8 { 5 } else { task % 6 }),
        agent("beta.csv", |task| if task < 5 { 0 } else { task % 6 }),
        agent("gamma.csv", |task| if task < 7 { 5 } else { task % 6 }),
    ];
    let pair = with(bundled("demo_truthful.jsonl"), "--resamples 50");
    vec![
        ("traces", "traces", words("--resamples 50")),
        ("traces", "traces_of_two", with(bundled("demo_constant.jsonl"), &pair.join(" "))),
        ("traces", "traces_of_log", with(bundled("demo_log.jsonl"), "--resamples 0")),
        ("traces --change", "calibration", words("--resamples 50")),
        ("compare", "compare", Vec::new()),
        ("compare", "compare_three", agents.to_vec()),
        ("cut-off", "cut_off", words("--resamples 20")),
        ("paths", "paths", Vec::new()),
        ("costbench", "costbench", words("--block ban-tool --refinement-level 1")),
        ("triage", "triage", words("--alpha 0.25 --alpha 0.5")),
        ("budget", "budget", words("--resamples 20 --cap 2500 --estimator linear")),
        ("caps", "caps", words("--at 500,1500,4000")),
        ("logs", "logs", Vec::new()),
    ]
}

#[test]
fn every_subcommand_shows_what_its_golden_files_show() {
    for (subcommand, name, arguments) in calls() {
        let html = in_folder(&format!("{name}.html"));
        let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let shown = |all: &[&str]| {
            let output = run_other(subcommand, all);
            let problem = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success() && problem.is_empty(), "{name}: {problem}");
            let text = String::from_utf8(output.stdout).unwrap();
            text.replace(&in_folder(""), "").replace(&bundled(""), "")
        };
        all.push("--markdown");
        golden(&format!("{name}.md"), &shown(&all));
        all.pop();
        all.extend(["--html", &html]);
        golden(&format!("{name}.txt"), &shown(&all));
        golden(&format!("{name}.html"), &outline(&fs::read_to_string(&html).unwrap()));
    }
}

/// A page with one element a line, without its style, its drawings and the numbers that they are drawn from, which
/// other tests look at.
fn outline(page: &str) -> String {
    let mut page = page.replace(&in_folder(""), "").replace(&bundled(""), "");
    page = page.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    for (start, end) in [("<style>", "</style>"), ("<svg", "</svg>"), ("<details>", "</details>")] {
        let parts: Vec<String> = page.split(start).map(str::to_owned).collect();
        let kept = |part: &String| part.split_once(end).unwrap().1.to_owned();
        page = parts[0].clone() + &parts[1..].iter().map(kept).collect::<String>();
    }
    let lines = page.replace("><", ">\n<") + "\n";
    lines.replace("<td>\n<span", "<td><span").replace("</span>\n</td>", "</span></td>")
}
