use std::fmt;

/// The key of a server. It is never printed: not by [`fmt::Debug`], and not in an error.
///
/// ```
/// use agent_benchmarks::client::ApiKey;
///
/// assert_eq!(format!("{:?}", ApiKey::new("sk-secret")), "ApiKey(hidden)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// The key; blanks around it, such as a line feed of its file, are left out.
    #[must_use]
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text without the key.
    pub(super) fn hide(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}
