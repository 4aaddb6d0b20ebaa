//! Keys that stand twice in one JSON object. Readers usually keep the last one, so that a file with a
//! mistake in it would pass without a word.

use std::{borrow::Cow, collections::BTreeSet, fmt::Write};

/// A key that its object has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedKey {
    /// The path to the value of the key, as `turns[0].output_tokens`.
    pub path: String,
    /// The position of the second key, in bytes from 0.
    pub offset: usize,
}

/// An object or a list that has begun and not ended.
enum Open<'a> {
    Object { keys: BTreeSet<Cow<'a, str>>, last: Cow<'a, str>, before_key: bool },
    List { index: usize },
}

/// The first key of a JSON text that stands twice in one object, at any depth. Keys are compared as
/// they are read, so that `"id"` and `"\u0069d"` are the same. Takes time in proportion to the text and
/// memory for the keys of the objects that are open at a time.
///
/// The text has to be valid JSON: read it first. Of any other text the result means nothing.
#[must_use]
pub fn repeated_key(json: &[u8]) -> Option<RepeatedKey> {
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
                        return Some(RepeatedKey { path: path(&open), offset: at });
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

/// The text of a key with its quotes.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Option<String> {
        repeated_key(json.as_bytes()).map(|repeated| repeated.path)
    }

    #[test]
    fn a_key_that_stands_twice_is_found_at_any_depth_and_named_with_its_path() {
        for (json, path) in [
            (r#"{"id":1,"id":1}"#, "id"),
            (r#"{"turns":[{},{"a":{"b":0,"c":1,"b":0}}]}"#, "turns[1].a.b"),
            (r#"[[{"k":[1,2],"k":{"k":1}}]]"#, "[0][0].k"),
            (r#"{"a":{"k":1},"b":"k","\u0061":{}}"#, "a"),
            (r#"{"a\"b":[","],"a\"b":0}"#, "a\"b"),
            ("{\"\":1,\n\"\":2}", "\"\""),
        ] {
            assert_eq!(found(json).as_deref(), Some(path), "{json}");
        }
    }

    #[test]
    fn the_same_key_in_other_objects_and_in_texts_is_no_repetition() {
        for json in [
            r#"{"a":{"a":{"a":1}},"b":{"a":1}}"#,
            r#"[{"k":1},{"k":1}]"#,
            r#"{"k":"\"k\":1,\"k\":2","l":"k"}"#,
            r#"{"k":["k","k"],"K":1,"k ":2}"#,
            "7",
            "",
        ] {
            assert_eq!(found(json), None, "{json}");
        }
    }

    #[test]
    fn the_position_is_that_of_the_second_key() {
        let json = "{\"a\": 1,\n \"a\": 2}";
        assert_eq!(repeated_key(json.as_bytes()).map(|repeated| repeated.offset), Some(10));
    }

    #[test]
    fn what_is_not_json_does_no_harm() {
        for text in ["\"", "\"\\", "}]}{,\"", "{\"a", "\u{fffd}\\\"{[\"\\"] {
            let _ = repeated_key(text.as_bytes());
        }
        let _ = repeated_key(b"{\"\xff\":1,\"\xff\":2}");
    }
}
