//! What a change to a crate's source does to the description of its interface.

#![allow(clippy::unwrap_used)]

use std::{
    env, fs, process,
    sync::atomic::{AtomicU32, Ordering},
};

/// The description of a crate with these files.
fn description(name: &str, files: &[(&str, &str)]) -> String {
    // Tests run at the same time, some with the same name.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("api-{}-{count}-{name}", process::id()));
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
    macro_rules! make { ($t:ty) => { impl $t { pub fn made() {} } } }
    make!(Known);
    macro_rules! with { ($(#[$a:meta])* $f:ident) => { $(#[$a])* pub fn $f(self) -> Self { self } } }
    impl Known { with! { #[doc = \"text\"] with_number } }
    pub fn answer() -> u8 { 42 }
";
const OPEN: &str = "pub use crate::hidden::Known as Other; pub fn inside() {}";
const HIDDEN: &str = "
    pub struct Known { number: u8 }
    impl Iterator for Known { type Item = u8; fn next(&mut self) -> Option<u8> { None } }
";

const READING: &str = "impl From<crate::Known> for u8 { fn from(known: crate::Known) -> u8 { 0 } }";

fn with(name: &str, path: &str, from: &str, to: &str) -> String {
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("src/open.rs", OPEN),
        ("src/hidden.rs", HIDDEN),
        ("src/reading.rs", READING),
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
        ("call of a macro", "src/lib.rs", "make!(Known);", ""),
        ("function by a macro", "src/lib.rs", "with_number", "with_numbers"),
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
fn a_struct_that_checked_defines_is_seen() {
    let wrapped = "dep::checked! { pub struct Known { number: u8 } check: |known| known.ok() }";
    let now = with("checked", "src/hidden.rs", "pub struct Known { number: u8 }", wrapped);
    let derives = "#[cfg_attr(feature = \"serde\", derive(serde::Deserialize, serde::Serialize))]";
    assert!(now.contains(&format!("{derives}\npub struct Known {{")), "{now}");
}

#[test]
fn what_no_user_can_tell_does_not() {
    let before = with("as it was", "src/lib.rs", "42", "42");
    for (name, path, from, to) in [
        ("body", "src/lib.rs", "42", "43"),
        ("text of a function by a macro", "src/lib.rs", "\"text\"", "\"words\""),
        ("private field", "src/hidden.rs", "number: u8", "numbers: Vec<u8>"),
        ("private function", "src/hidden.rs", "pub struct", "fn help() {} pub struct"),
        ("dependency", "Cargo.toml", "[dependencies]\n", "[dependencies]\nserde = \"1\"\n"),
    ] {
        assert_eq!(with(name, path, from, to), before, "{name}");
    }
}

#[test]
fn what_a_private_item_implements_or_makes_is_left_out() {
    let before = with("as it was before", "src/lib.rs", "42", "42");
    for (name, addition) in [
        (
            "trait",
            "pub(crate) trait Inner { const N: u8; } impl Inner for Known { const N: u8 = 1; }",
        ),
        (
            "unreachable trait",
            "mod sealed { pub trait Sealed {} } impl sealed::Sealed for Known {}",
        ),
        ("type", "struct Stored; impl TryFrom<Stored> for Known { type Error = (); }"),
        ("type in a list", "struct Stored; impl From<Vec<(Stored, u8)>> for Known {}"),
        (
            "implementing type",
            "struct Stored; impl Clone for Stored {} impl Stored { pub fn f() {} }",
        ),
        ("type of the same name", "mod deep { struct Known; impl Known { pub fn f() {} } }"),
        ("module", "mod deep; mod more { fn f() {} }"),
        ("item that nothing hands up", "mod deep { pub fn f() {} pub struct Lost; }"),
        ("call of a macro", "std::thread_local! { static BUFFER: u8 = 1; }"),
        (
            "macro for a private trait",
            "trait Inner {} macro_rules! inner { ($t:ty) => { impl Inner for $t {} } } inner!(Known);",
        ),
        ("test", "#[cfg(test)] mod tests { pub fn f() {} impl super::Known { pub fn g() {} } }"),
    ] {
        let files = [("src/hidden.rs", "pub struct Known"), ("src/open.rs", "pub fn inside")];
        for (path, start) in files {
            let addition = if path == "src/open.rs" {
                addition.replace("Known", "Other")
            } else {
                addition.to_owned()
            };
            let addition = addition.replace("mod deep;", "mod deep { }");
            let now = with(name, path, start, &format!("{addition} {start}"));
            assert_eq!(now, before, "{name} in {path}");
        }
    }
}

#[test]
fn what_a_public_item_implements_is_listed_wherever_that_stands() {
    for (name, path, addition, line) in [
        (
            "a trait of the crate",
            "src/hidden.rs",
            "impl crate::Seen for Known {}",
            "impl crate::Seen for Known {}",
        ),
        (
            "a foreign trait",
            "src/hidden.rs",
            "impl std::fmt::Debug for Known {}",
            "impl std::fmt::Debug for Known {}",
        ),
        (
            "a bound",
            "src/hidden.rs",
            "impl<T: Into<u8>> From<T> for Known {}",
            "impl<T: Into<u8>> From<T> for Known {}",
        ),
        (
            "in a private module",
            "src/hidden.rs",
            "mod deep { use super::Known; impl Known { pub fn f() {} } }",
            "impl Known {\n    pub fn f() {}\n}",
        ),
        (
            "a macro",
            "src/hidden.rs",
            "macro_rules! seen { ($t:ty) => { impl crate::Seen for $t {} } } seen!(Known);",
            "seen!(Known);",
        ),
        ("a static", "src/lib.rs", "pub static NAME: &str = \"x\";", "pub static NAME: &str"),
        (
            "all of a module",
            "src/lib.rs",
            "mod sums { pub fn sum() {} } pub use sums::*;",
            "pub fn sum() {}",
        ),
        (
            "by two names",
            "src/lib.rs",
            "mod sums { mod exact { pub fn sum() {} } pub use exact::sum as inner; } pub use crate::sums::inner as outer;",
            "pub fn sum() {}",
        ),
        (
            "a module in a module",
            "src/open.rs",
            "pub mod deeper { pub fn f() {} }",
            "    pub mod deeper {\n        pub fn f() {}\n    }",
        ),
        (
            "behind a feature",
            "src/hidden.rs",
            "#[cfg(feature = \"serde\")] mod stored { impl super::Known { pub fn f() {} } }",
            "#[cfg(feature = \"serde\")]\nimpl super::Known {",
        ),
    ] {
        let start = match path {
            "src/hidden.rs" => "pub struct Known",
            "src/open.rs" => "pub fn inside",
            _ => "pub fn answer",
        };
        let trait_of_lib = if path == "src/lib.rs" { "" } else { "pub trait Seen {}" };
        // The trait is in the root, whatever file changes.
        let files = [
            ("Cargo.toml", MANIFEST.to_owned()),
            ("src/lib.rs", format!("{LIB} {trait_of_lib}")),
            ("src/open.rs", OPEN.to_owned()),
            ("src/hidden.rs", HIDDEN.to_owned()),
            ("src/reading.rs", READING.to_owned()),
        ];
        let changed = files.map(|(file, text)| {
            let more = format!("{addition} {start}");
            (file, if file == path { text.replace(start, &more) } else { text })
        });
        let text =
            description(name, &changed.each_ref().map(|(file, text)| (*file, text.as_str())));
        assert!(text.contains(line), "{name}: {text}");
    }
}

#[test]
fn a_gated_module_is_gone_and_what_it_has_carries_the_gate() {
    let text = with("gates", "src/lib.rs", "42", "42");
    assert!(!text.contains("mod reading"), "{text}");
    assert!(
        text.contains("#[cfg(feature = \"serde\")]\nimpl From<crate::Known> for u8 {}"),
        "{text}"
    );
    let text = with("gated block", "src/lib.rs", "pub mod open", "#[cfg(unix)] pub mod open");
    assert!(
        text.contains("#[cfg(unix)]\npub mod open {\n") && !text.contains("mod open;"),
        "{text}"
    );
}
