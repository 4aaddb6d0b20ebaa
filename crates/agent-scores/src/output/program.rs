//! What every example program does alike: one object or one table on standard output, one line on
//! standard error and exit code 2 where something is wrong.

use std::{
    error::Error,
    ffi::OsString,
    fs,
    io::{self, Write},
    path::Path,
    process::{self, ExitCode},
};

/// What a subcommand prints, and the conditions of `--fail-if` that hold.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) failures: Vec<String>,
    /// Lines for standard error that are no errors.
    pub(crate) remarks: Vec<String>,
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        Self { text, failures: Vec::new(), remarks: Vec::new() }
    }
}

/// Prints what a subcommand returns. It returns its whole output, so that an error never follows half of it.
/// The exit code is 1 if a condition of `--fail-if` holds, and 2 after an error.
pub(crate) fn run(output: impl FnOnce() -> Result<Written, Box<dyn Error>>) -> ExitCode {
    let written = match output() {
        Ok(written) => written,
        Err(error) => return fail(&*error),
    };
    match io::stdout().lock().write_all(written.text.as_bytes()) {
        Ok(()) => {}
        // A reader that has seen enough, as `head`, is no error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => return fail(&error),
    }
    for line in written.remarks.iter().chain(&written.failures) {
        let _ = writeln!(io::stderr().lock(), "{line}");
    }
    if written.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Writes a file as a whole: into a file beside it, which then takes its name. What is no regular file, such
/// as a pipe, is written directly. Every output but standard output is written by this function.
///
/// # Errors
///
/// One that names the file, where it cannot be written.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> Result<(), String> {
    let cannot = |error: io::Error| format!("{}: {error}", path.display());
    let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    let Some(name) = path.file_name().filter(|_| !is_special) else {
        return fs::write(path, content).map_err(cannot);
    };
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.partial", process::id()));
    let beside = path.with_file_name(beside);
    let written = fs::write(&beside, content).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(cannot)
}

/// The message of an error followed by those of its causes, such as "run 3 is invalid: …".
#[must_use]
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        // Some errors already contain the message of their cause.
        if !line.ends_with(&message) {
            line = format!("{line}: {message}");
        }
        cause = error.source();
    }
    line
}

fn fail(error: &(dyn Error + 'static)) -> ExitCode {
    // One line, whatever a library's message looks like; if it cannot be written nothing can.
    let line = with_causes(error).replace('\n', " ");
    let _ = writeln!(io::stderr().lock(), "error: {line}");
    ExitCode::from(2)
}
