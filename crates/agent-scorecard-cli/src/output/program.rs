//! The output conventions of all subcommands: one object or one table on standard output; after an error, one line on
//! standard error and exit code 2.

use std::{
    collections::BTreeSet,
    error::Error,
    ffi::OsString,
    fmt,
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use agent_scorecard::{Report, with_causes};
use rayon::ThreadPoolBuilder;

use crate::plain;

/// The output of a subcommand, and the conditions of `--fail-if` that hold.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) output: Printed,
    pub(crate) failures: Vec<String>,
    /// Remarks for standard error that are not errors.
    pub(crate) remarks: Vec<String>,
}

/// What is printed on standard output.
#[derive(Debug)]
pub(crate) enum Printed {
    Text(String),
    /// A report as JSON. It may have a row for each of a million runs, and is never in memory as text.
    Json(Box<Report>),
}

impl Printed {
    fn print(&self) -> io::Result<()> {
        let mut stdout = BufWriter::new(io::stdout().lock());
        match self {
            Self::Text(text) => stdout.write_all(text.as_bytes())?,
            Self::Json(report) => {
                serde_json::to_writer_pretty(plain::Json(&mut stdout), report)?;
                stdout.write_all(b"\n")?;
            }
        }
        stdout.flush()
    }
}

impl From<Printed> for Written {
    fn from(output: Printed) -> Self {
        Self { output, failures: Vec::new(), remarks: Vec::new() }
    }
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        Printed::Text(text).into()
    }
}

/// Prints the output of a subcommand. A subcommand returns its whole output, so that partial output never precedes an
/// error. The exit code is 1 if a condition of `--fail-if` holds, and 2 after an error.
pub(crate) fn run(output: impl FnOnce() -> Result<Written, Box<dyn Error>>) -> ExitCode {
    claim_threads();
    let written = match output() {
        Ok(written) => written,
        Err(error) => return fail(&*error),
    };
    match written.output.print() {
        Ok(()) => {}
        // A reader that has seen enough, as `head`, is no error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => return fail(&error),
    }
    for line in written.remarks.iter().chain(&written.failures) {
        let _ = writeln!(io::stderr().lock(), "{}", plain::line(line));
    }
    if written.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Makes this thread do all work if the system allows no further threads, which would otherwise cause a panic.
fn claim_threads() {
    // The pool of the whole process cannot be tried twice, so another one is tried first.
    if ThreadPoolBuilder::new().build().is_err() {
        let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        // It fails only if there is a pool already.
        let _ = alone.build_global();
    }
}

/// Writes a file atomically: into a temporary file next to it, which is then renamed. A link is followed and remains a
/// link, and the permissions of an existing file are kept. A file that is not regular, such as a pipe, is written
/// directly. Every output except standard output is written by this function.
///
/// # Errors
///
/// One that names the file, where it cannot be written or is read-only.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> Result<(), String> {
    let cannot = |error: io::Error| format!("{}: {error}", path.display());
    let before = fs::metadata(path).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return fs::write(path, content).map_err(cannot);
    }
    let permissions = before.map(|before| before.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(cannot(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only")));
    }
    let path = destination(path);
    let beside = path.with_file_name(format!("{PARTIAL}{}{PARTIAL_END}", process::id()));
    let write = || {
        let mut file = File::create(&beside)?;
        // As long as this process lives, no other one takes the file for a leftover.
        let _ = file.try_lock();
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.write_all(content)?;
        fs::rename(&beside, &path)
    };
    let written = write();
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(cannot)
}

/// The prefix of the names of temporary files.
const PARTIAL: &str = ".agent-scorecard-";
const PARTIAL_END: &str = ".partial";

/// Removes temporary files that killed calls left in a folder.
pub(crate) fn remove_leftovers(folder: &Path) {
    // A folder that cannot be read has nothing to remove that matters.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let id = name.strip_prefix(PARTIAL).and_then(|name| name.strip_suffix(PARTIAL_END));
        if id.is_some_and(|id| id.parse::<u32>().is_ok()) {
            let is_left = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
            if is_left {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Returns the file that a path leads to: links are followed, also to a file that does not exist yet.
pub(crate) fn destination(path: &Path) -> PathBuf {
    /// The maximum number of links that are followed. More indicate a cycle.
    const MOST_LINKS: usize = 40;
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match (fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The exit code after an interrupt.
pub(crate) const INTERRUPTED: u8 = 130;

/// The error of interrupted work, with its progress.
#[derive(Debug)]
pub(crate) struct Interrupted(pub(crate) String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Interrupted {}

fn fail(error: &(dyn Error + 'static)) -> ExitCode {
    let (what, code) =
        if error.is::<Interrupted>() { ("interrupted", INTERRUPTED) } else { ("error", 2) };
    // One line, whatever a library's message looks like; if it cannot be written nothing can.
    let line = with_causes(error).replace('\n', " ");
    let _ = writeln!(io::stderr().lock(), "{what}: {}", plain::line(&line));
    ExitCode::from(code)
}

/// The bytes that only trajectories written by this program contain.
const MARK: &[u8] = b"\"extra\":{\"run_logs\":";

/// Writes each run, which has an id and a text, to a file in the folder, which is created if it is missing.
/// Trajectories of earlier calls are removed from the folder; other files stay.
///
/// # Errors
///
/// One that names the file or folder that cannot be written.
pub(crate) fn write_trajectories(
    folder: &Path,
    runs: impl Iterator<Item = (String, String)>,
) -> Result<usize, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    remove_leftovers(folder);
    let mut written = BTreeSet::new();
    for (number, (id, text)) in (1..).zip(runs) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let id: String = id.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
        let name = format!("{number:05}-{id}.json");
        write_file(&folder.join(&name), text.as_bytes())?;
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
