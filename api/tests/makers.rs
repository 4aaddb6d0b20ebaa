//! `trajectory_metrics` alone makes intervals: other crates and the wheel take a mean, a ratio or a difference with its interval
//! from `trajectory_metrics::estimates`, and the reason for a missing one with it.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Parts of an interval that a crate would make by itself, with what to write instead.
const OWN: [(&str, &str); 6] = [
    ("ClusterEstimate::mean(", "estimates::mean"),
    ("ClusterEstimate::ratio(", "estimates::ratio"),
    ("ClusterEstimate::difference(", "estimates::Difference"),
    (".bounds_level(", "estimates::between"),
    ("check_clusters(", "the interval of a figure, which is missing for this reason"),
    ("StudentsT", "an interval of trajectory_metrics"),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|it| it == "rs"))
        .collect()
}

#[test]
fn no_other_crate_makes_an_interval_of_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let others = crates.filter(|path| !path.ends_with("trajectory-metrics"));
    let folders: Vec<PathBuf> = others.chain([root.join("python")]).collect();
    assert!(folders.len() >= 10);
    let mut found = Vec::new();
    for path in folders.iter().flat_map(|folder| sources(&folder.join("src"))) {
        let text = fs::read_to_string(&path).unwrap();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.contains("//")) {
            let own = OWN.iter().filter(|(own, _)| line.contains(own));
            found.extend(own.map(|(own, instead)| {
                format!("{}:{}: {own} in place of {instead}", path.display(), at + 1)
            }));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
