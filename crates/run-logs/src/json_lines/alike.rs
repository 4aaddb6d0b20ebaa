use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
};

use unicode_normalization::UnicodeNormalization;

/// Returns the name without the properties that people do not see at a glance: case, blanks, and the form of characters in
/// Unicode.
pub(crate) fn folded(name: &str) -> String {
    let letters = |letter: &char| !letter.is_whitespace();
    if name.is_ascii() {
        return name.chars().filter(letters).map(|letter| letter.to_ascii_lowercase()).collect();
    }
    name.nfkc().filter(letters).flat_map(char::to_lowercase).nfkc().collect()
}

/// Returns pairs of names that differ only in case, blanks or the form of their characters in Unicode, such as
/// `t1, T1`. The names of a pair still count as different names.
///
/// ```
/// use run_logs::json_lines::alike_names;
///
/// assert_eq!(alike_names(["t1", "t2", "T1", "t1"]), ["t1, T1"]);
/// assert!(alike_names(["t1", "t-1"]).is_empty());
/// ```
#[must_use]
pub fn alike_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    // For a million names, only hashes fit into memory.
    let mut first: HashMap<u64, &str> = HashMap::new();
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let (mut pairs, mut paired) = (Vec::new(), HashSet::new());
    for name in names {
        let known = *first.entry(hasher.hash_one(folded(name))).or_insert(name);
        if known != name && folded(known) == folded(name) && paired.insert(name) {
            // Names that look the same are shown by their numbers in Unicode.
            let is_form = known.nfc().eq(name.nfc());
            let shown = |name: &str| {
                if is_form { name.escape_default().to_string() } else { name.to_owned() }
            };
            pairs.push([known, name].map(shown).join(", "));
        }
    }
    pairs
}
