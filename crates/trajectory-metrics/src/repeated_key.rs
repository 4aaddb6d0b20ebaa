use std::{borrow::Cow, collections::BTreeSet, fmt::Write as _};

/// An object or a list that has not been closed yet.
enum Open<'a> {
    Object { keys: BTreeSet<Cow<'a, str>>, last: Cow<'a, str>, before_key: bool },
    List { index: usize },
}

/// Finds the first key in a JSON text that is repeated within its object. Returns its path, such as `turns[0].tokens`,
/// and its position in bytes.
///
/// Keys are compared as they are read, so that `"id"` and `"\u0069d"` are the same. The text is
/// scanned once; the values of numbers and the depth do not matter. For text that is not valid JSON
/// the result has no meaning.
#[must_use]
pub fn repeated_key(json: &[u8]) -> Option<(String, usize)> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'{' => {
                let (keys, last) = (BTreeSet::new(), Cow::Borrowed(""));
                open.push(Open::Object { keys, last, before_key: true });
            }
            b'[' => open.push(Open::List { index: 0 }),
            b'}' | b']' => drop(open.pop()),
            b',' => match open.last_mut() {
                Some(Open::Object { before_key, .. }) => *before_key = true,
                Some(Open::List { index }) => *index += 1,
                None => {}
            },
            b'"' => {
                let end = end_of_string(json, at);
                if let Some(Open::Object { keys, last, before_key: before_key @ true }) =
                    open.last_mut()
                {
                    *before_key = false;
                    *last = key(&json[at..end]);
                    if !keys.insert(last.clone()) {
                        return Some((path(&open), at));
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The position after the closing quote of the string that begins at `start`.
fn end_of_string(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

/// The text of a key that is given with its quotes.
fn key(quoted: &[u8]) -> Cow<'_, str> {
    if quoted.contains(&b'\\')
        && let Ok(text) = serde_json::from_slice::<String>(quoted)
    {
        return Cow::Owned(text);
    }
    let inside = quoted.strip_prefix(b"\"").unwrap_or(quoted);
    String::from_utf8_lossy(inside.strip_suffix(b"\"").unwrap_or(inside))
}

fn path(open: &[Open<'_>]) -> String {
    let mut path = String::new();
    for level in open {
        match level {
            Open::Object { last, .. } => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(if last.is_empty() { "\"\"" } else { last });
            }
            // Writing to a string cannot fail.
            Open::List { index } => drop(write!(path, "[{index}]")),
        }
    }
    path
}
