use std::{borrow::Cow, fmt};

/// The key of a server. It is never printed, neither by [`fmt::Debug`] nor in an error.
///
/// A server may repeat the key that it was sent. A [`Client`](super::Client) writes `[key]` instead of a key of at least 16
/// characters in every reply, and of a key of at least 4 characters in the messages of errors, also where JSON spells it with
/// escape sequences. A reply can contain a shorter key by chance, such as the `EMPTY` or `1` that local servers take; such a key
/// is never changed.
///
/// ```
/// use agent_benchmarks::client::ApiKey;
///
/// assert_eq!(format!("{:?}", ApiKey::new("sk-secret")), "ApiKey(hidden)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// The text that replaces a key.
const HIDDEN: &str = "[key]";

impl ApiKey {
    /// Creates a key. White space at the ends of the text is removed, such as the line feed at the end of a file.
    #[must_use]
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns a reply without the key. Scored text must not change by chance, so short keys are left in.
    pub(super) fn hide_in_reply(&self, text: String) -> String {
        self.hide_from(16, text)
    }

    /// Returns a message without the key.
    pub(super) fn hide_in_message(&self, text: String) -> String {
        self.hide_from(4, text)
    }

    fn hide_from(&self, least: usize, text: String) -> String {
        let hides = self.0.chars().count() >= least;
        let hidden = if hides { self.hide(&text) } else { None };
        hidden.unwrap_or(text)
    }

    /// Returns the text with the key replaced, also in its JSON strings and in JSON texts inside those; `None` if the
    /// text does not contain the key. Everything else keeps its bytes.
    fn hide(&self, text: &str) -> Option<String> {
        let plain = text.contains(&self.0).then(|| text.replace(&self.0, HIDDEN));
        let text: Cow<'_, str> = plain.map_or(Cow::Borrowed(text), Cow::Owned);
        let (mut hidden, mut copied) = (String::new(), 0);
        let mut from = 0;
        while let Some(start) = text[from..].find('"').map(|at| from + at) {
            let Some(end) = string_end(&text, start) else { break };
            let literal = &text[start..end];
            // Only escape sequences can give the key another spelling.
            let decoded =
                if literal.contains('\\') { serde_json::from_str(literal).ok() } else { None };
            if let Some(inside) = decoded.and_then(|decoded: String| self.hide(&decoded)) {
                hidden.push_str(&text[copied..start]);
                hidden.push_str(&serde_json::Value::from(inside).to_string());
                copied = end;
            }
            from = end;
        }
        if copied > 0 {
            hidden.push_str(&text[copied..]);
            return Some(hidden);
        }
        match text {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        }
    }
}

/// Returns the end of the JSON string that begins at `start`.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += text.get(at..)?.find(['"', '\\'])?;
        if text[at..].starts_with('"') {
            return Some(at + 1);
        }
        at += 1 + text[at + 1..].chars().next()?.len_utf8();
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}
