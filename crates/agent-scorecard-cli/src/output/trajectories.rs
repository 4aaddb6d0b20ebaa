//! Writes folders of runs as trajectories, one file per run.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File},
    io::Read,
    path::Path,
};

use crate::output::program;

/// The bytes that only trajectories written by this program contain.
const MARK: &[u8] = b"\"extra\":{\"run_logs\":";

/// Writes each run, which has an id and a text, to a file in the folder, which is created if it is missing.
/// Trajectories of earlier calls are removed from the folder; other files stay.
///
/// # Errors
///
/// One that names the file or folder that cannot be written.
pub(crate) fn write(
    folder: &Path,
    runs: impl Iterator<Item = (String, String)>,
) -> Result<usize, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    program::remove_leftovers(folder);
    let mut written = BTreeSet::new();
    for (number, (id, text)) in (1..).zip(runs) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let id: String = id.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
        let name = format!("{number:05}-{id}.json");
        program::write_file(&folder.join(&name), text.as_bytes())?;
        written.insert(OsString::from(name));
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !written.contains(&name) && is_numbered(&name.to_string_lossy()) {
            let path = entry.path();
            if is_ours(&path) {
                let cannot = |error| format!("{}: {error}", path.display());
                fs::remove_file(&path).map_err(cannot)?;
            }
        }
    }
    Ok(written.len())
}

/// Returns whether a file could have this name among the trajectories of a folder.
pub(crate) fn is_numbered(name: &str) -> bool {
    let number = name.split_once('-').map_or("", |(number, _)| number);
    number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()) && name.ends_with(".json")
}

fn is_ours(path: &Path) -> bool {
    let mut content = Vec::new();
    let is_file = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    let read = || File::open(path)?.read_to_end(&mut content);
    is_file && { read }().is_ok() && memchr::memmem::find(&content, MARK).is_some()
}
