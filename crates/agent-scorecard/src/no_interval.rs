//! Notes on figures without an interval.

/// One note for each reason, with the names of the figures that lack an interval for it. `place` stands in
/// front of each note unless it is empty.
///
/// ```
/// let missing = [("recall", "one task"), ("auroc", "no spread"), ("precision", "one task")];
/// let notes = agent_scorecard::no_interval::notes("a.jsonl", missing);
/// assert_eq!(notes[0], "a.jsonl: no interval of recall, precision: one task");
/// assert_eq!(notes.len(), 2);
/// ```
pub fn notes<N: AsRef<str>, R: std::fmt::Display>(
    place: &str,
    missing: impl IntoIterator<Item = (N, R)>,
) -> Vec<String> {
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    let missing = missing.into_iter().map(|(name, reason)| (reason.to_string(), name));
    let note = |(reason, names): (String, Vec<N>)| {
        format!("{place}no interval of {}: {reason}", joined(&names))
    };
    by_reason(missing).into_iter().map(note).collect()
}

/// Returns the names with each reason, in the order of their first ones.
pub(crate) fn by_reason<R: PartialEq, N>(
    named: impl IntoIterator<Item = (R, N)>,
) -> Vec<(R, Vec<N>)> {
    let mut all: Vec<(R, Vec<N>)> = Vec::new();
    for (reason, name) in named {
        match all.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => all.push((reason, vec![name])),
        }
    }
    all
}

/// Returns the names with commas between them.
pub(crate) fn joined<N: AsRef<str>>(names: &[N]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}
