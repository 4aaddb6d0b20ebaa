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

/// A seed.
///
/// # Errors
///
/// One that says what to give.
pub fn seed(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "give a whole number from 0 to 18446744073709551615")
}

/// The value of the option that the parser has just met.
///
/// # Errors
///
/// One that names the option, what was given and what is wrong with it.
pub fn value<T, E: Display>(
    parser: &mut lexopt::Parser,
    option: &str,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, Box<dyn std::error::Error>> {
    let given = parser.value()?;
    let text = given.to_string_lossy();
    read(&text).map_err(|error| format!("{option}: cannot read {text:?}: {error}").into())
}

/// The error for an option or a word that a program does not know.
#[must_use]
pub fn unexpected(argument: lexopt::Arg<'_>) -> Box<dyn std::error::Error> {
    format!("{}; --help lists the options", argument.unexpected()).into()
}

fn fail(error: &dyn Display) -> ExitCode {
    // One line, whatever a library's message looks like; if it cannot be written nothing can.
    let line = error.to_string().replace('\n', " ");
    let _ = writeln!(io::stderr().lock(), "error: {line}");
    ExitCode::from(2)
}
