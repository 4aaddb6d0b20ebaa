//! The pages of prompts are what their example makes.
#![allow(clippy::unwrap_used)]

mod program;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

#[test]
fn the_pages_of_prompts_are_what_their_example_makes() {
    let pages = |folder: &Path| -> BTreeMap<_, _> {
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
        files.map(|it| (it.file_name(), fs::read_to_string(it.path()).unwrap())).collect()
    };
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prompts");
    let _ = fs::remove_dir_all(&made);
    program::lines_with("prompts", &[made.to_str().unwrap()]);
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/prompts");
    let (made, kept) = (pages(&made), pages(&kept));
    let names = made.keys().chain(kept.keys());
    let other: BTreeSet<_> = names.filter(|name| made.get(*name) != kept.get(*name)).collect();
    let call = "cargo run -p examples --example prompts -- docs/prompts";
    assert!(other.is_empty(), "run {call}: {other:?} are not what it makes");
}
