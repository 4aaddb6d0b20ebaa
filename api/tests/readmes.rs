//! What the READMEs show can be pasted, and followed, by a reader of GitHub and of crates.io.
//!
//! That the samples compile and hold is tested by rustdoc. These tests are about what rustdoc adds or
//! hides and other readers do not see: a `main`, lines that begin with `# `, and links to items.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeSet, env, fs, path::Path, process::Command};

/// The name and the text of the README of the workspace and of each crate.
fn readmes() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let mut files: Vec<_> = crates.map(|entry| entry.unwrap().path().join("README.md")).collect();
    files.push(root.join("README.md"));
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            (name, fs::read_to_string(&file).unwrap())
        })
        .collect()
}

/// The lines of each code block in Rust, and all lines outside code blocks, with their numbers.
#[derive(Default)]
struct Parts<'a> {
    samples: Vec<Vec<(usize, &'a str)>>,
    prose: Vec<(usize, &'a str)>,
}

fn parts(text: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    // What opened the block that a line is in.
    let mut language: Option<&str> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (line.strip_prefix("```"), language) {
            (Some(_), Some(_)) => language = None,
            (Some(info), None) => {
                language = Some(info);
                if is_rust(info) {
                    parts.samples.push(Vec::new());
                }
            }
            (None, Some(info)) if is_rust(info) => {
                parts.samples.last_mut().unwrap().push((number, line));
            }
            (None, Some(_)) => {}
            (None, None) => parts.prose.push((number, line)),
        }
    }
    parts
}

/// Whether rustdoc takes a block with this heading for Rust.
fn is_rust(info: &str) -> bool {
    info.is_empty() || info.starts_with("rust") || info.starts_with("no_run")
}

/// What keeps a sample from compiling in an empty `main.rs`, or shows what only rustdoc hides.
fn faults_of_samples(parts: &Parts<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for sample in &parts.samples {
        let hidden = sample.iter().filter(|(_, line)| *line == "#" || line.starts_with("# "));
        faults.extend(
            hidden.map(|(number, line)| format!("{number}: hidden from rustdoc alone: {line}")),
        );
        if !sample.iter().any(|(_, line)| line.starts_with("fn main(")) {
            let number = sample.first().map_or(0, |(number, _)| *number);
            faults.push(format!("{number}: a sample without `fn main`"));
        }
    }
    faults
}

/// Links that only rustdoc resolves: those to an item, and those in brackets alone.
fn faults_of_links(parts: &Parts<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for &(number, line) in &parts.prose {
        for (at, _) in line.match_indices("](") {
            let target = line[at + 2..].split(')').next().unwrap_or_default();
            // A path to an item, and not an address or the name of a file.
            let is_item = target.contains("::") || !target.contains(['/', '.', '-', '#']);
            if is_item {
                faults.push(format!("{number}: a link that only rustdoc resolves: {target}"));
            }
        }
        for (at, _) in line.match_indices("`]") {
            if !line[at + 2..].starts_with('(') {
                faults
                    .push(format!("{number}: brackets that only rustdoc takes for a link: {line}"));
            }
        }
    }
    faults
}

fn check(faults_of: fn(&Parts<'_>) -> Vec<String>) {
    let readmes = readmes();
    assert!(readmes.len() > 8, "the README of the workspace and those of all crates");
    let faults: Vec<String> = readmes
        .iter()
        .flat_map(|(name, text)| {
            faults_of(&parts(text)).into_iter().map(move |fault| format!("{name}:{fault}"))
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_sample_of_a_readme_is_a_program_without_hidden_lines() {
    check(faults_of_samples);
}

#[test]
fn every_link_of_a_readme_works_outside_of_rustdoc() {
    check(faults_of_links);
}

#[test]
fn a_planted_fault_is_found() {
    let sample = "```rust\nuse x::Y;\n# Ok::<(), x::Error>(())\n```\n";
    let faults = faults_of_samples(&parts(sample));
    assert_eq!(faults.len(), 2, "{faults:?}");
    let good =
        "```rust\nfn main() {\n    #[cfg(all())]\n    call();\n}\n```\n```sh\n# a comment\n```\n";
    assert_eq!(faults_of_samples(&parts(good)), Vec::<String>::new());
    let links = "[`Y`] and [`z`](Y::z) and [w](https://docs.rs/x) and `[1, 2]` and [v](docs/v.md)";
    let faults = faults_of_links(&parts(links));
    assert_eq!(faults.len(), 2, "{faults:?}");
}

/// The numbers of packages that a README gives, each with the arguments of the `cargo tree` that counts them.
fn package_counts(text: &str) -> Vec<(usize, Vec<&str>)> {
    let mut counts = Vec::new();
    let mut before = "";
    for part in text.split('`') {
        match part.strip_prefix("cargo tree ").and_then(|call| call.strip_suffix(" | sort -u")) {
            Some(arguments) => {
                let words: Vec<&str> = before.split_whitespace().collect();
                let count = words.windows(2).rev().find(|pair| pair[1].starts_with("packages"));
                let count = count.and_then(|pair| pair[0].parse().ok());
                counts.push((count.unwrap_or_default(), arguments.split_whitespace().collect()));
                before = "";
            }
            None => before = part,
        }
    }
    counts
}

#[test]
fn the_numbers_of_packages_are_those_that_their_commands_count() {
    let mut checked = 0;
    for (name, text) in readmes() {
        for (count, arguments) in package_counts(&text) {
            let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
            let tree = cargo.args(["tree", "--offline"]).args(&arguments).output().unwrap();
            let packages: BTreeSet<&str> = str::from_utf8(&tree.stdout).unwrap().lines().collect();
            assert_eq!(packages.len(), count, "{name}: cargo tree {}", arguments.join(" "));
            checked += 1;
        }
    }
    assert!(checked > 8, "the READMEs of the libraries");
}
