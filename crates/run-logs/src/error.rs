use std::{fmt, io, path::Path};

use crate::json_lines::parsing::InputError;

/// The place of a problem: a file, a part of it, and a field.
///
/// Parts that are unknown or do not apply are `None`; an empty field means the whole value.
///
/// ```
/// use run_logs::Place;
///
/// let mut place = Place::default();
/// place.file = Some("runs.jsonl".to_owned());
/// place.line = Some(12);
/// place.field = "turns[0].response".to_owned();
/// assert_eq!(place.to_string(), "runs.jsonl: line 12: turns[0].response");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file, as the caller named it.
    pub file: Option<String>,
    /// The entry of an archive.
    pub entry: Option<String>,
    /// The sample, trial or simulation, by the name that the log gives it.
    pub sample: Option<String>,
    /// The line of the file or entry on which the value starts, from 1.
    pub line: Option<u64>,
    /// The path to the field, such as `events[3].output.usage`; empty for the whole value.
    pub field: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut part = |f: &mut fmt::Formatter<'_>, word: &str, text: &dyn fmt::Display| {
            write!(f, "{separator}{word}{text}")?;
            separator = ": ";
            Ok(())
        };
        if let Some(file) = &self.file {
            part(f, "", file)?;
        }
        if let Some(entry) = &self.entry {
            part(f, "entry ", entry)?;
        }
        if let Some(sample) = &self.sample {
            part(f, "sample ", sample)?;
        }
        if let Some(line) = &self.line {
            part(f, "line ", line)?;
        }
        if !self.field.is_empty() {
            part(f, "", &self.field)?;
        }
        if separator.is_empty() { f.write_str("input") } else { Ok(()) }
    }
}

/// The problem with a log at a [`Place`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not JSON.
    #[error("invalid JSON: expected {expected}")]
    Syntax {
        /// The syntax that JSON allows here.
        expected: &'static str,
    },
    /// The input ends inside a value, or an archive has no central directory.
    #[error("the input ends too early; the file is truncated")]
    Truncated,
    /// A value follows the end of the log.
    #[error("the input continues after the end of the log; give one log per file")]
    Trailing,
    /// A field has a value of the wrong type.
    #[error("expected {expected}, found {found}")]
    Type {
        /// The type that the field should have.
        expected: &'static str,
        /// The type that it has.
        found: &'static str,
    },
    /// A required field is missing.
    #[error("the field is missing")]
    Missing,
    /// A value has the right type but is not allowed.
    #[error("{value} is invalid; expected {expected}")]
    Value {
        /// The value, shortened if it is long.
        value: String,
        /// The valid values, in words.
        expected: &'static str,
    },
    /// A key that the reader uses is repeated in its object.
    #[error("the key {key:?} occurs twice; give it once")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A string contains half of a surrogate pair, which is not a character.
    #[error("a string contains half of a surrogate pair")]
    LoneSurrogate,
    /// A string is not UTF-8.
    #[error("a string is not valid UTF-8")]
    NotUtf8,
    /// A number is outside the range of its type.
    #[error("the number {text} is out of range")]
    NumberRange {
        /// The number as written, shortened if it is long.
        text: String,
    },
    /// Values are nested more deeply than [`ReadLimits::max_depth`](crate::ReadLimits::max_depth).
    #[error("values are nested more than {limit} deep")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// A part is larger than one of the [`ReadLimits`](crate::ReadLimits).
    #[error("{what} than {limit} {unit}; raise the limit if the file is trusted")]
    TooLarge {
        /// The part and its comparison with the limit, such as `a string is longer`.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The unit of the limit: `bytes` or `times`.
        unit: &'static str,
    },
    /// An archive or one of its entries cannot be unpacked.
    #[error("the archive cannot be unpacked: {reason}")]
    Archive {
        /// The reason.
        reason: String,
    },
    /// A part that the log refers to does not exist.
    #[error("{what} does not exist")]
    Dangling {
        /// The reference.
        what: String,
    },
    /// The log has a form that this version cannot read.
    #[error("{what} is not supported")]
    Unsupported {
        /// The form.
        what: &'static str,
    },
}

/// The reason why a log cannot be read, or a run cannot be converted.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{Error, Format, Problem, ReadOptions, read};
///
/// let cut_off = Cursor::new(br#"{"version": 2, "status": "success", "eval": {"task""#);
/// let mut runs = read(cut_off, Format::Inspect, &ReadOptions::default())?;
/// let error = runs.next().unwrap().unwrap_err();
/// assert!(matches!(error, Error::Invalid { problem: Problem::Truncated, .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The content of a log is invalid.
    #[error("{place}: {problem}")]
    Invalid {
        /// The location of the problem.
        place: Box<Place>,
        /// The problem at that place.
        problem: Problem,
    },
    /// A file cannot be read.
    #[error("{place}: {message}")]
    Io {
        /// The file.
        place: Box<Place>,
        /// The kind of the error.
        kind: io::ErrorKind,
        /// The message of the operating system or of the reader.
        message: String,
    },
    /// A folder contains no file of a known format.
    #[error("{place}: {}; known formats: {known}", in_folder(*n_files, looks_like))]
    NoLog {
        /// The folder.
        place: Box<Place>,
        /// The number of files in the folder and its subfolders.
        n_files: usize,
        /// What the first file looks like.
        looks_like: Option<String>,
        /// The known formats.
        known: String,
    },
    /// The content has no known format, or is invalid before its format can be recognized.
    #[error(
        "{place}: {}the format is not recognized{}; known formats: {known}",
        before(problem),
        like(looks_like)
    )]
    UnknownFormat {
        /// The file, and the location of the problem.
        place: Box<Place>,
        /// The problem with the JSON object at the start of the file, if there is one.
        problem: Option<Problem>,
        /// What the file looks like, if that is known.
        looks_like: Option<String>,
        /// The known formats.
        known: String,
    },
    /// A turn has no value for a stream, and the policy refuses missing values.
    #[error("run {run}: turn {turn}: {reason}; choose another policy for missing values")]
    MissingConfidence {
        /// The run.
        run: String,
        /// The turn, from 1.
        turn: usize,
        /// The missing part: the text of a [`MissingValue`](crate::MissingValue).
        reason: String,
    },
    /// A text is not a regular expression.
    #[error("{pattern:?} is not a regular expression: {reason}")]
    Pattern {
        /// The text.
        pattern: String,
        /// The problem with it.
        reason: String,
    },
    /// A file in a format of this project, such as a table of outcomes, does not have the required content.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A quantity is undefined for a run.
    #[error("{name} is undefined: {reason}")]
    Undefined {
        /// The quantity.
        name: &'static str,
        /// The reason.
        reason: String,
    },
    /// A setting is outside its range, or a number cannot be used by the rules for probabilities and weights.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// A stream of confidence is invalid.
    #[error(transparent)]
    TrajectoryMetrics(trajectory_metrics::Error),
    /// An outcome and a stop reason contradict each other.
    #[error(transparent)]
    Censoring(censoring::Error),
    /// The costs of a run are invalid.
    #[error(transparent)]
    BudgetEstimation(budget_estimation::Error),
}

scoring_rules::flat_error!(trajectory_metrics: TrajectoryMetrics, ScoringRules);
scoring_rules::flat_error!(censoring: Censoring, ScoringRules, TrajectoryMetrics);
scoring_rules::flat_error!(budget_estimation: BudgetEstimation, ScoringRules, TrajectoryMetrics, Censoring);

/// Returns a problem as text, in front of its consequence.
fn before(problem: &Option<Problem>) -> String {
    problem.as_ref().map(|problem| format!("{problem}; ")).unwrap_or_default()
}

fn like(looks_like: &Option<String>) -> String {
    looks_like.as_ref().map(|it| format!(" (it looks like {it})")).unwrap_or_default()
}

fn in_folder(n_files: usize, looks_like: &Option<String>) -> String {
    let first = looks_like.as_ref().map(|it| format!(" (the first looks like {it})"));
    match n_files {
        0 => "the folder has no files".to_owned(),
        1 => format!("its only file is not a log{}", like(looks_like)),
        n => format!("none of its {n} files is a log{}", first.unwrap_or_default()),
    }
}

impl Error {
    pub(crate) fn invalid(place: Place, problem: Problem) -> Self {
        Self::Invalid { place: Box::new(place), problem }
    }

    pub(crate) fn io(error: &io::Error) -> Self {
        let place = Place::default();
        // What is packed reports its own problems through the reader.
        if let Some(problem) = error.get_ref().and_then(|inner| inner.downcast_ref::<Problem>()) {
            return Self::invalid(place, problem.clone());
        }
        Self::Io { place: Box::new(place), kind: error.kind(), message: error.to_string() }
    }

    /// Returns the same error with the name of the entry of an archive.
    pub(crate) fn in_entry(mut self, entry: &str) -> Self {
        if let Self::Invalid { place, .. } | Self::Io { place, .. } = &mut self {
            place.entry = Some(entry.to_owned());
        }
        self
    }

    /// Returns whether the input ended within a value.
    pub(crate) const fn is_cut(&self) -> bool {
        matches!(self, Self::Invalid { problem: Problem::Truncated, .. })
    }

    /// Returns the same error with the name of the file, unless it already has one.
    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        if let Self::Invalid { place, .. }
        | Self::Io { place, .. }
        | Self::UnknownFormat { place, .. }
        | Self::NoLog { place, .. } = &mut self
        {
            place.file.get_or_insert_with(|| file.display().to_string());
        }
        self
    }
}
