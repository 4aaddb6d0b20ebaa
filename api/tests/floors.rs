//! Inside a crate no two modules import each other, and an import names the module that owns the
//! item.

#![allow(clippy::unwrap_used)]

use std::{fmt::Write, fs, path::Path};

use api::floors::Floors;

fn crates() -> Vec<std::path::PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut crates: Vec<_> =
        fs::read_dir(here.join("../crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort();
    crates
}

#[test]
fn no_two_modules_of_a_crate_import_each_other() {
    let mut found = String::new();
    for folder in crates() {
        for circle in Floors::read(&folder.join("src")).unwrap().circles() {
            writeln!(found, "{}:", folder.file_name().unwrap().display()).unwrap();
            for import in circle {
                writeln!(found, "    {import}").unwrap();
            }
        }
    }
    assert!(found.is_empty(), "modules that import each other:\n{found}");
}

#[test]
fn imports_name_the_module_that_owns_the_item() {
    let mut found = String::new();
    for folder in crates() {
        for import in Floors::read(&folder.join("src")).unwrap().indirect() {
            writeln!(found, "{}: {import}", folder.file_name().unwrap().display()).unwrap();
        }
    }
    assert!(found.is_empty(), "imports through a re-export:\n{found}");
}
