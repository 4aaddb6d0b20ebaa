use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

/// Pairs in a note; the rest is counted.
const MOST_PAIRS: usize = 4;

/// The name without what people do not see at a glance: case, blanks, and the form of characters in Unicode.
pub(crate) fn folded(name: &str) -> String {
    let letters = |letter: &char| !letter.is_whitespace();
    if name.is_ascii() {
        return name.chars().filter(letters).map(|letter| letter.to_ascii_lowercase()).collect();
    }
    name.nfkc().filter(letters).flat_map(char::to_lowercase).nfkc().collect()
}

/// A note on names that differ in nothing but case, blanks or the form of their characters in Unicode; `None` if there are
/// none. Such names stay different.
///
/// ```
/// use run_logs::json_lines::alike_names;
///
/// let note = alike_names("tasks", ["t1", "t2", "T1", "t1"]);
/// assert_eq!(note.as_deref(), Some("tasks that differ in case, blanks or Unicode form alone: t1, T1"));
/// assert_eq!(alike_names("tasks", ["t1", "t-1"]), None);
/// ```
#[must_use]
pub fn alike_names<'a>(what: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut first: HashMap<String, &str> = HashMap::new();
    let (mut pairs, mut paired) = (Vec::new(), HashSet::new());
    for name in names {
        let known = *first.entry(folded(name)).or_insert(name);
        if known != name && paired.insert(name) {
            pairs.push([known, name]);
        }
    }
    let shown = pairs
        .iter()
        .take(MOST_PAIRS)
        .map(|pair: &[&str; 2]| pair.map(|name| name.escape_debug().to_string()).join(", "));
    let mut list = Vec::from_iter(shown);
    if pairs.len() > MOST_PAIRS {
        list.push(format!("and {} more pairs", pairs.len() - MOST_PAIRS));
    }
    (!list.is_empty()).then(|| {
        format!("{what} that differ in case, blanks or Unicode form alone: {}", list.join("; "))
    })
}
