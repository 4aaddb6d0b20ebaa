//! Each crate's public interface is the one on record.

#![allow(clippy::unwrap_used)]

use std::{env, fs, path::Path};

/// `UPDATE_API=1 cargo test -p api` writes the record anew.
#[test]
fn the_public_interface_of_each_crate_is_the_one_on_record() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut crates: Vec<_> =
        fs::read_dir(here.join("../crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort();
    let mut changed = Vec::new();
    for folder in crates {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let now = api::describe(&folder.join("src")).unwrap();
        let record = here.join(&name).with_extension("txt");
        if env::var_os("UPDATE_API").is_some() {
            fs::write(&record, &now).unwrap();
        } else if fs::read_to_string(&record).unwrap_or_default() != now {
            changed.push(name);
        }
    }
    assert!(
        changed.is_empty(),
        "the public interface changed: {changed:?}; if that was meant, run \
         `UPDATE_API=1 cargo test -p api`, read the difference and put it into CHANGELOG.md"
    );
}
