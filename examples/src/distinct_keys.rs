//! A check that no object in a JSON text has one key twice. `serde_json` keeps the last value of such
//! a key without a word, unless the key is a field of a derived reader.

use std::{borrow::Cow, collections::BTreeSet, fmt::Write};

/// As the message of a derived reader begins.
pub(crate) const DUPLICATE: &str = "duplicate field `";

/// What is said of a key that its object has twice.
pub(crate) const PROBLEM: &str = "duplicate; give each key once";

/// Checks a JSON text that has been read already. The error holds the line, the path to the key and
/// the problem.
///
/// Keys are compared as they are read, so that `"id"` and `"\u0069d"` are the same. The text is passed
/// through once, without a look at its numbers and without a limit to its depth, so that nothing else in
/// it keeps a key from being seen. Of a text that is not valid JSON the result means nothing.
pub(crate) fn check(json: &[u8]) -> Result<(), (usize, Option<String>, String)> {
    repeated_key(json).map_or(Ok(()), |(path, offset)| {
        let lines = json[..offset].iter().filter(|&&byte| byte == b'\n').count();
        Err((lines + 1, Some(path), PROBLEM.to_owned()))
    })
}

/// An object or a list that has begun and not ended.
enum Open<'a> {
    Object { keys: BTreeSet<Cow<'a, str>>, last: Cow<'a, str>, before_key: bool },
    List { index: usize },
}

/// The path to the first key that its object has already, and the position of that key in bytes.
fn repeated_key(json: &[u8]) -> Option<(String, usize)> {
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
pub(crate) fn end_of_string(json: &[u8], start: usize) -> usize {
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
        repeated_key(json.as_bytes()).map(|(path, _)| path)
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
    fn the_line_is_that_of_the_second_key() {
        let refused = check(b"{\"a\": 1,\n \"a\": 2}");
        assert_eq!(refused, Err((2, Some("a".to_owned()), PROBLEM.to_owned())));
    }

    #[test]
    fn a_number_beyond_all_floats_and_a_deep_list_before_it_hide_no_key() {
        let deep = ["[".repeat(1_000), "]".repeat(1_000)].concat();
        assert_eq!(
            found(&format!("{{\"x\":1e999,\"y\":{deep},\"k\":1,\"k\":2}}")).as_deref(),
            Some("k")
        );
    }

    #[test]
    fn what_is_not_json_does_no_harm() {
        for text in ["\"", "\"\\", "}]}{,\"", "{\"a", "\u{fffd}\\\"{[\"\\"] {
            let _ = repeated_key(text.as_bytes());
        }
        let _ = repeated_key(b"{\"\xff\":1,\"\xff\":2}");
    }
}
