//! What holds for every program alike: its help, and what it does with words and files that it cannot
//! take.

use std::{fs, path::Path};

use crate::program::{
    bundled, in_folder, line_of, refused, run_other, run_words, run_words_in, says, write,
};

/// Programs that read files, and what comes before the name of a file.
const READERS: [(&str, &[&str]); 7] = [
    ("compare", &[]),
    ("traces", &[]),
    ("cut-off", &[]),
    ("budget", &[]),
    ("costbench", &["--queries"]),
    ("paths", &[]),
    ("logs", &[]),
];

const OTHERS: [&str; 4] = ["caps", "convert", "play", "triage"];

fn all() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(program, _)| *program).chain(OTHERS)
}

fn help(program: &str) -> String {
    let output = run_other(program, &["--help"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{program}");
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of input that a help shows.
fn shown(program: &str) -> Vec<String> {
    let help = help(program);
    let begins = |line: &&str| line.starts_with("{\"") || line.starts_with("[{\"");
    help.lines().map(str::trim).filter(begins).map(str::to_owned).collect()
}

#[test]
fn help_shows_input_that_the_program_reads() {
    for (program, option) in READERS {
        let mut lines = shown(program);
        lines.retain(|line| !line.contains("\"answer\""));
        assert!(!lines.is_empty(), "{program}: its help shows no line of input");
        let path = write(&format!("shown_by_{program}.jsonl"), &lines.join("\n"));
        let output = run_other(program, &[option, &[&path]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        // The comparison needs more runs than a help can show, and says so when it has read them.
        let read = output.status.success() || error.contains("runs cannot be cross-fitted");
        assert!(read, "{program}: {error}");
    }
}

#[test]
fn help_shows_outcomes_and_a_table_that_are_read() {
    let line = |line: &str| line.trim().strip_prefix("a line: ").map(str::to_owned);
    for program in ["compare", "traces", "cut-off", "paths", "convert"] {
        let lines: Vec<String> = help(program).lines().filter_map(line).collect();
        let outcomes = write("outcomes.jsonl", &lines.join("\n"));
        let log = write("log.jsonl", &shown("compare").join("\n"));
        let output = run_other("compare", &[&log, "--outcomes", &outcomes]);
        assert!(output.status.success() && lines.len() == 2, "{program}: {output:?}");
    }
    for program in ["traces", "cut-off"] {
        let help = help(program);
        let table = help.lines().skip_while(|line| !line.contains("id,model,task,step,")).take(3);
        let table = write("table.csv", &table.map(str::trim).collect::<Vec<_>>().join("\n"));
        assert!(run_other("traces", &[&table]).status.success(), "{program}");
    }
}

#[test]
fn help_of_budget_shows_estimates_that_it_reads() {
    let lines = shown("budget");
    let (estimates, runs): (Vec<String>, Vec<String>) =
        lines.into_iter().partition(|line| line.contains("\"answer\""));
    assert!(!estimates.is_empty() && !runs.is_empty());
    let runs = write("runs.jsonl", &runs.join("\n"));
    let estimates = write("estimates.jsonl", &estimates.join("\n"));
    let output = run_other("budget", &[&runs, "--estimator", &estimates]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn help_of_triage_shows_lines_of_every_file_that_it_reads() {
    let lines = shown("triage");
    let file = |name: &str, keys: &[&str]| {
        let has_all = |line: &&str| keys.iter().all(|key| line.contains(&format!("\"{key}\"")));
        let chosen: Vec<&str> = lines.iter().map(String::as_str).filter(has_all).collect();
        assert!(!chosen.is_empty(), "{keys:?}");
        write(name, &chosen.join("\n"))
    };
    let problems = file("problems.jsonl", &["problem", "output_tokens"]);
    let plans = file("plans.jsonl", &["pool", "answer"]);
    let capped = file("capped.jsonl", &["problem", "allocation", "solved"]);
    let arguments = [&problems, "--planner", &plans, "--capped", &capped, "--alpha", "0.5"];
    let output = run_other("triage", &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn help_comes_in_both_spellings_with_the_usage_and_an_example() {
    for program in all() {
        assert_eq!(help(program).as_bytes(), run_other(program, &["-h"]).stdout, "{program}");
        for part in ["Usage: ", "Example: "] {
            let part = format!("{part}agent-scorecard {program} ");
            assert!(help(program).contains(&part), "{program}: {part}");
        }
    }
}

#[test]
fn the_example_of_every_help_runs() {
    let line_with = |program: &str, key: &str| {
        shown(program).into_iter().find(|line| line.contains(key)).unwrap()
    };
    let data = |name: &str| fs::read_to_string(bundled(name)).unwrap();
    let files = [
        ("compare", "alpha.eval", data("demo_alpha.jsonl")),
        ("compare", "beta.eval", data("demo_beta.jsonl")),
        ("traces", "runs.jsonl", data("demo_truthful.jsonl")),
        ("caps", "runs.jsonl", data("demo_rollouts.jsonl")),
        ("cut-off", "runs.jsonl", data("demo_truthful.jsonl")),
        ("paths", "calls.jsonl", data("demo_tool_calls.jsonl")),
        ("triage", "problems.jsonl", data("demo_problems.jsonl")),
        ("triage", "plans.jsonl", line_with("triage", "\"answer\"")),
        ("budget", "runs.jsonl", data("demo_rollouts.jsonl")),
        ("logs", "logs/2026-11-20T10-00-00.eval", data("demo_log.jsonl")),
        ("convert", "run.eval", data("demo_log.jsonl")),
    ];
    for (program, file, content) in files {
        let path = in_folder(&format!("example_{program}/{file}"));
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    for program in all().chain(["completions", "man"]) {
        let folder = in_folder(&format!("example_{program}"));
        fs::create_dir_all(&folder).unwrap();
        let help = help(program);
        let example = help.lines().find_map(|line| line.strip_prefix("Example: agent-scorecard "));
        let words = line_of(example.unwrap());
        let words: Vec<&str> =
            words.iter().map(String::as_str).take_while(|word| *word != ">").collect();
        let output = run_words_in(Path::new(&folder), &words);
        let error = String::from_utf8_lossy(&output.stderr);
        let may_fail = words.contains(&"--fail-if");
        let code = output.status.code().unwrap();
        assert!(code == 0 || code == 1 && may_fail, "{words:?}: {error}");
    }
}

#[test]
fn help_and_version_come_from_the_command_too() {
    for program in all() {
        assert_eq!(run_words(&["help", program]).stdout, help(program).as_bytes(), "{program}");
    }
    let version = run_words(&["--version"]);
    let expected = format!("agent-scorecard {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(version.stdout).unwrap(), expected);
    let help = String::from_utf8(run_words(&["--help"]).stdout).unwrap();
    for program in all() {
        assert!(help.contains(&format!("  {program} ")), "{program}");
    }
}

#[test]
fn the_completions_of_every_shell_know_the_subcommands_and_their_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run_other("completions", &[shell]);
        let script = String::from_utf8(output.stdout).unwrap();
        says(&script, "agent-scorecard … cut-off … odds-ratio … refinement-level");
    }
}

#[test]
fn manual_pages_describe_the_command_and_each_subcommand_with_its_options() {
    let page = |words: &[&str]| String::from_utf8(run_other("man", words).stdout).unwrap();
    let whole = page(&[]);
    for program in all() {
        assert!(
            whole.contains(&format!("agent\\-scorecard\\-{}(1)", program.replace('-', "\\-"))),
            "{program}"
        );
        let own = page(&[program]);
        says(&own, ".SH OPTIONS … \\-\\-help … .SH DETAILS\n.nf\nExample: ");
    }
    refused(&run_other("man", &["trace"]), "man trace: no such subcommand");
}

#[test]
fn a_word_that_a_program_does_not_know_is_refused_with_exit_code_2() {
    for program in all() {
        refused(&run_other(program, &["--frobnicate"]), "--frobnicate");
    }
    refused(&run_other("costbench", &["queries.json"]), "queries.json");
}

#[test]
fn the_commands_of_the_manual_and_of_the_recipes_do_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = |name: &str| fs::read_to_string(root.join("docs").join(name)).unwrap();
    let manual = page("command.md") + &page("recipes.md");
    let mut run = 0;
    for block in manual.split("```sh\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            let Some(words) = line.strip_prefix("agent-scorecard ") else { continue };
            let (words, condition) = words.split_once(" --fail-if ").unwrap_or((words, ""));
            let mut words: Vec<&str> = words.split(' ').collect();
            if !condition.is_empty() {
                words.extend(["--fail-if", condition.trim_matches('\'')]);
            }
            let output = run_words_in(&root, &words);
            let said = String::from_utf8(output.stderr).unwrap();
            let code = i32::from(!condition.is_empty());
            assert_eq!(output.status.code(), Some(code), "{line}: {said}");
            assert!(
                condition.is_empty() || manual.contains(&format!("```text\n{said}```")),
                "{said}"
            );
            run += 1;
        }
    }
    assert!(run >= 11, "{run}");
}
