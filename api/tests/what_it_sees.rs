//! What a change to a crate's source does to the description of its interface.

#![allow(clippy::unwrap_used)]

use std::{env, fs, process};

/// The description of a crate with these files.
fn description(name: &str, files: &[(&str, &str)]) -> String {
    let folder = env::temp_dir().join(format!("api-{}-{name}", process::id()));
    fs::create_dir_all(folder.join("src")).unwrap();
    for (path, text) in files {
        fs::write(folder.join(path), text).unwrap();
    }
    let description = api::describe(&folder.join("src")).unwrap();
    fs::remove_dir_all(folder).unwrap();
    description
}

const MANIFEST: &str = "[package]\nname = \"x\"\n\n[features]\nserde = []\n\n[dependencies]\n";
const LIB: &str = "
    pub mod open;
    mod hidden;
    #[cfg(feature = \"serde\")]
    mod reading;
    pub use hidden::Known;
    show!(Known);
    pub fn answer() -> u8 { 42 }
";
const OPEN: &str = "pub use crate::hidden::Known as Other; pub fn inside() {}";
const HIDDEN: &str = "
    pub struct Known { number: u8 }
    impl Iterator for Known { type Item = u8; fn next(&mut self) -> Option<u8> { None } }
";

fn with(name: &str, path: &str, from: &str, to: &str) -> String {
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("src/open.rs", OPEN),
        ("src/hidden.rs", HIDDEN),
        ("src/reading.rs", ""),
    ];
    let texts = files.map(|(file, text)| {
        assert!(file != path || text.contains(from));
        (file, if file == path { text.replace(from, to) } else { text.to_owned() })
    });
    description(name, &texts.each_ref().map(|(file, text)| (*file, text.as_str())))
}

#[test]
fn what_a_user_can_tell_changes_it() {
    let before = with("before", "src/lib.rs", "42", "42");
    for (name, path, from, to) in [
        ("feature", "Cargo.toml", "serde = []", "default = [\"serde\"]\nserde = []"),
        ("gate", "src/lib.rs", "#[cfg(feature = \"serde\")]", ""),
        ("call of a macro", "src/lib.rs", "show!(Known);", ""),
        ("signature", "src/lib.rs", "-> u8", "-> u16"),
        ("attribute", "src/lib.rs", "pub fn answer", "#[deprecated] pub fn answer"),
        ("hidden", "src/lib.rs", "pub fn answer", "#[doc(hidden)] pub fn answer"),
        ("other name", "src/open.rs", "as Other", "as Another"),
        ("place", "src/open.rs", "pub fn inside() {}", ""),
        ("associated type", "src/hidden.rs", "type Item = u8", "type Item = u16"),
        ("all fields public", "src/hidden.rs", "{ number", "{ pub number"),
    ] {
        assert_ne!(with(name, path, from, to), before, "{name}");
    }
}

#[test]
fn what_no_user_can_tell_does_not() {
    let before = with("as it was", "src/lib.rs", "42", "42");
    for (name, path, from, to) in [
        ("body", "src/lib.rs", "42", "43"),
        ("private field", "src/hidden.rs", "number: u8", "numbers: Vec<u8>"),
        ("private function", "src/hidden.rs", "pub struct", "fn help() {} pub struct"),
        ("dependency", "Cargo.toml", "[dependencies]\n", "[dependencies]\nserde = \"1\"\n"),
    ] {
        assert_eq!(with(name, path, from, to), before, "{name}");
    }
}
