//! What every example program does alike: one object or one table on standard output, one line on
//! standard error and exit code 2 where something is wrong.

use std::{
    fmt::Display,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// More resamples say no more, and take hours.
pub const MOST_RESAMPLES: usize = 1_000_000;

/// Runs a program that returns its whole output, so that an error never follows half of it.
pub fn run(output: impl FnOnce() -> Result<String, Box<dyn std::error::Error>>) -> ExitCode {
    match output() {
        Ok(text) => match io::stdout().lock().write_all(text.as_bytes()) {
            // A reader that has seen enough, as `head`, is no error.
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        Err(error) => fail(&error),
    }
}

/// A file that lies with the programs.
#[must_use]
pub fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// Writes a picture.
///
/// # Errors
///
/// One that names the file, where it cannot be written.
pub fn write_picture(path: &Path, picture: &str) -> Result<(), String> {
    fs::write(path, picture).map_err(|error| format!("{}: {error}", path.display()))
}

/// A number of resamples, 0 for none.
///
/// # Errors
///
/// One that says what to give.
pub fn resamples(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(n) if n <= MOST_RESAMPLES => Ok(n),
        _ => Err("give a whole number up to 1000000"),
    }
}

fn fail(error: &dyn Display) -> ExitCode {
    // One line, whatever a library's message looks like; if it cannot be written nothing can.
    let line = error.to_string().replace('\n', " ");
    let _ = writeln!(io::stderr().lock(), "error: {line}");
    ExitCode::from(2)
}
