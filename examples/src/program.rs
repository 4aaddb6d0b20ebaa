//! What every example program does alike: one object or one table on standard output, one line on
//! standard error and exit code 2 where something is wrong.

use std::{
    fmt::Display,
    io::{self, Write},
    process::ExitCode,
};

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

fn fail(error: &dyn Display) -> ExitCode {
    // One line, whatever a library's message looks like; if it cannot be written nothing can.
    let line = error.to_string().replace('\n', " ");
    let _ = writeln!(io::stderr().lock(), "error: {line}");
    ExitCode::from(2)
}
