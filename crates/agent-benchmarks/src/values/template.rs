use crate::error::Error;

/// A text with placeholders, each written as a name in braces, such as `{budget}`.
///
/// Other braces are text, so that a prompt can show JSON.
///
/// ```
/// use agent_benchmarks::Template;
///
/// let text = "You have {budget} tokens. Reply with {\"plan\": []}.";
/// let template = Template::new(text, &["budget"])?;
/// assert_eq!(template.fill(|_| "500".into()), "You have 500 tokens. Reply with {\"plan\": []}.");
/// assert!(Template::new("You have {bugdet} tokens.", &["budget"]).is_err());
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    text: String,
    /// The byte range of each placeholder, including its braces, in order.
    places: Vec<(usize, usize)>,
}

impl Template {
    /// Creates a text whose placeholders have these names. Each placeholder may occur any number of times.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for an unknown word in braces, because it would be sent unchanged.
    pub fn new(text: impl Into<String>, names: &[&str]) -> Result<Self, Error> {
        let text = text.into();
        let mut places = Vec::new();
        for (start, _) in text.match_indices('{') {
            let Some(length) = text[start..].find('}') else { break };
            let name = &text[start + 1..start + length];
            let is_word = |name: &str| {
                let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                !name.is_empty() && name.bytes().all(letter)
            };
            if names.contains(&name) {
                places.push((start, start + length + 1));
            } else if is_word(name) {
                let known = names.join(", ");
                let problem = format!("the text has the place {{{name}}}; known: {known}");
                return Err(Error::invalid(problem));
            }
        }
        Ok(Self { text, places })
    }

    /// Returns the text before its placeholders are filled in.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text with each placeholder replaced by its value. Braces in a value stay unchanged.
    #[must_use]
    pub fn fill<'a>(&self, value: impl Fn(&str) -> std::borrow::Cow<'a, str>) -> String {
        let mut filled = String::with_capacity(self.text.len());
        let mut from = 0;
        for &(start, end) in &self.places {
            filled.push_str(&self.text[from..start]);
            filled.push_str(&value(&self.text[start + 1..end - 1]));
            from = end;
        }
        filled.push_str(&self.text[from..]);
        filled
    }
}
