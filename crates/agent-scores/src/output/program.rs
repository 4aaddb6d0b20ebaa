//! What every example program does alike: one object or one table on standard output, one line on
//! standard error and exit code 2 where something is wrong.

use std::{
    error::Error,
    fmt::Display,
    fs,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

/// More resamples say no more, and take hours.
pub(crate) const MOST_RESAMPLES: usize = 1_000_000;

/// Runs a program that returns its whole output, so that an error never follows half of it.
pub(crate) fn run(output: impl FnOnce() -> Result<String, Box<dyn Error>>) -> ExitCode {
    match output() {
        Ok(text) => match io::stdout().lock().write_all(text.as_bytes()) {
            // A reader that has seen enough, as `head`, is no error.
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        Err(error) => fail(&*error),
    }
}

/// Writes a picture.
///
/// # Errors
///
/// One that names the file, where it cannot be written.
pub(crate) fn write_picture(path: &Path, picture: &str) -> Result<(), String> {
    fs::write(path, picture).map_err(|error| format!("{}: {error}", path.display()))
}

/// A number of resamples, 0 for none.
///
/// # Errors
///
/// One that says what to give.
pub(crate) fn resamples(text: &str) -> Result<usize, &'static str> {
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
pub(crate) fn seed(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "give a whole number from 0 to 18446744073709551615")
}

/// The value of the option that the parser has just met.
///
/// # Errors
///
/// One that names the option, what was given and what is wrong with it.
pub(crate) fn value<T, E: Display>(
    parser: &mut lexopt::Parser,
    option: &str,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, Box<dyn Error>> {
    let given = parser.value()?;
    let text = given.to_string_lossy();
    read(&text).map_err(|error| format!("{option}: cannot read {text:?}: {error}").into())
}

/// The error for an option or a word that a program does not know.
#[must_use]
pub(crate) fn unexpected(argument: lexopt::Arg<'_>) -> Box<dyn Error> {
    format!("{}; --help lists the options", argument.unexpected()).into()
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
