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
    let mut by_reason: Vec<(String, Vec<String>)> = Vec::new();
    for (name, reason) in missing {
        let (name, reason) = (name.as_ref().to_owned(), reason.to_string());
        match by_reason.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((reason, vec![name])),
        }
    }
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    let note = |(reason, names): (String, Vec<String>)| {
        format!("{place}no interval of {}: {reason}", names.join(", "))
    };
    by_reason.into_iter().map(note).collect()
}
