use std::{fmt, ops::Range};

use trajectory_metrics::tool_calls::Value;

use crate::{
    conversions::streams::missing_value::MissingValue,
    values::{
        run::{Arguments, Reply},
        tokens::Tokens,
    },
};

/// The part of a reply that is its action.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum ActionSpan<'a> {
    /// The content between the last `<name>` and the next `</name>` of the text, such as `<action>…</action>`. The tags are not
    /// part of the action: they are the same in every action.
    Element(&'a str),
    /// The tool calls as the model wrote them: the content of the tokens between the first `<name>` and the last `</name>`, such
    /// as `<tool_call>…</tool_call>`. Otherwise, the span covers the arguments from the reply's first to its last call, if their
    /// text is found in the tokens. A server that returns no tokens for calls has no such span.
    ToolCalls(&'a str),
    /// The range of bytes of the text that the function returns; `None` if there is no action.
    Given(&'a dyn Fn(&Reply) -> Option<Range<usize>>),
}

impl Default for ActionSpan<'_> {
    fn default() -> Self {
        Self::Element("action")
    }
}

impl fmt::Debug for ActionSpan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(name) => f.debug_tuple("Element").field(name).finish(),
            Self::ToolCalls(name) => f.debug_tuple("ToolCalls").field(name).finish(),
            Self::Given(_) => f.write_str("Given"),
        }
    }
}

impl ActionSpan<'_> {
    /// Returns the bytes of the action in the tokens of a reply.
    ///
    /// # Errors
    ///
    /// [`MissingValue::NoLogprobs`] without tokens, [`MissingValue::NoAction`] without an action, and [`MissingValue::Alignment`]
    /// if the action of the text is not found in the bytes of the tokens, which may contain more than the text, for example
    /// reasoning.
    ///
    /// ```
    /// use run_logs::{ActionSpan, MissingValue, Reply, Tokens};
    ///
    /// let mut tokens = Tokens::default();
    /// for text in ["<", "action", ">", "8", "</", "action", ">"] {
    ///     tokens.push(text.as_bytes(), -0.5);
    /// }
    /// let text = "<action>8</action>".to_owned();
    /// let mut reply = Reply { text, tokens: Some(tokens), ..Reply::default() };
    /// assert_eq!(ActionSpan::default().locate(&reply), Ok(8..9));
    ///
    /// reply.text = "<action>9</action>".to_owned();
    /// let missing = ActionSpan::default().locate(&reply);
    /// assert_eq!(missing, Err(MissingValue::Alignment { offset: 8 }));
    /// ```
    pub fn locate(&self, reply: &Reply) -> Result<Range<usize>, MissingValue> {
        let tokens = reply.tokens.as_ref().ok_or(MissingValue::NoLogprobs)?;
        let (text, bytes) = (reply.text.as_bytes(), tokens.bytes());
        let span = match self {
            Self::ToolCalls(name) => {
                return called(reply, tokens, name).ok_or(MissingValue::NoAction);
            }
            Self::Element(name) => last_element(text, name),
            Self::Given(find) => find(reply),
        };
        let span = span.ok_or(MissingValue::NoAction)?;
        // The text is surrounded by reasoning and special tokens.
        if let Some(start) = memchr::memmem::rfind(bytes, text) {
            return Ok(start + span.start..start + span.end);
        }
        if let Self::Element(name) = self
            && let Some(found) = last_element(bytes, name)
            && bytes.get(found.clone()) == text.get(span)
        {
            return Ok(found);
        }
        let offset = text.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        Err(MissingValue::Alignment { offset })
    }
}

/// Returns the content of the last closed element of a name.
fn last_element(text: &[u8], name: &str) -> Option<Range<usize>> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let end = memchr::memmem::rfind(text, close.as_bytes())?;
    let start = memchr::memmem::rfind(text.get(..end)?, open.as_bytes())? + open.len();
    Some(start..end)
}

/// Returns the bytes of the tool calls in the tokens.
fn called(reply: &Reply, tokens: &Tokens, name: &str) -> Option<Range<usize>> {
    let bytes = tokens.bytes();
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    if let Some(start) = memchr::memmem::find(bytes, open.as_bytes()) {
        let start = start + open.len();
        let end = start + memchr::memmem::rfind(bytes.get(start..)?, close.as_bytes())?;
        return Some(start..end);
    }
    let mut span: Option<Range<usize>> = None;
    for call in &reply.tool_calls {
        let text = match &call.arguments {
            Arguments::Unparsed { text, .. } | Arguments::Parsed(Value::Text(text)) => text,
            Arguments::Parsed(_) => call.written.as_ref()?,
        };
        let from = span.as_ref().map_or(0, |span| span.end);
        let start = from + memchr::memmem::find(bytes.get(from..)?, text.as_bytes())?;
        let first = span.map_or(start, |span| span.start);
        span = Some(first..start + text.len());
    }
    span.filter(|span| !span.is_empty())
}
