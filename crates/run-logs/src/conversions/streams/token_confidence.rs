use std::ops::Range;

use scoring_rules::Probability;
use trajectory_metrics::tool_calls::Value;

use crate::{
    conversions::streams::missing_value::MissingValue,
    values::{
        run::{Arguments, Reply},
        tokens::Tokens,
    },
};

/// The confidence that is computed from the probabilities of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenMeasure {
    /// The mean probability of the chosen tokens.
    Probability,
    /// `1 - H / ln 5`, where H is the mean over tokens of `-sum p ln p` over the five most probable
    /// tokens, with their probabilities p as logged.
    Entropy,
    /// [`Self::Entropy`] with the five probabilities divided by their sum.
    EntropyRenormalised,
}

/// The treatment of tokens for which the log lists fewer than five probable tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShortLists {
    /// A short list is used unchanged if another token of the reply lists five: the client then requested five, and the server
    /// merged tokens with equal texts or had no others. If no token lists five, the client requested fewer, and the value is
    /// missing.
    #[default]
    TakeMerged,
    /// Any short list makes the value missing.
    Refuse,
}

/// The tolerance by which a sum of probabilities may exceed 1 because of rounding: logs give three decimals or more.
const ROUNDING: f64 = 1e-3;

/// The value that servers write for a token of unknown probability.
const UNKNOWN: f64 = -9999.0;

/// False for NaN, too.
fn is_known(logprob: f64) -> bool {
    logprob > UNKNOWN
}

/// The number of most probable tokens in the entropy.
const TOP: usize = 5;

/// Returns the confidence of a reply, or of a span of it, from the probabilities of its tokens.
///
/// A span is a range of bytes of [`Tokens::bytes`]; a token belongs to the span if at least one of its bytes is inside, or if the
/// token is empty and lies between two tokens of the span. Without a span, all tokens count. The text of the reply is not looked
/// at.
///
/// The five most probable tokens have the highest log-probabilities among the listed ones, because some servers append the chosen
/// token as a sixth. Listed probabilities of -9999 and NaN are left out. If a sum of probabilities exceeds 1 by rounding, at most
/// 1e-3, [`TokenMeasure::Probability`] may exceed 1 and [`TokenMeasure::Entropy`] may fall below 0; the result is then set to 1
/// or 0.
///
/// # Errors
///
/// [`MissingValue`] with the first token that has no value.
///
/// # Reference
///
/// Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty quantification,
/// arXiv:2605.24756, appendix F. It does not say whether the five probabilities are renormalised;
/// both are offered.
///
/// ```
/// use run_logs::{MissingValue, ShortLists, TokenMeasure, Tokens, token_confidence};
///
/// let mut tokens = Tokens::default();
/// tokens.push(b"Par", -0.5_f64);
/// for logprob in [-0.5, -1.5, -2.5, -3.5, -4.5] {
///     tokens.push_alternative(b"", logprob);
/// }
/// tokens.push(b"is", -0.1);
/// let of = |measure| token_confidence(&tokens, None, measure, ShortLists::Refuse);
///
/// let mean = of(TokenMeasure::Probability)?;
/// assert!((mean.get() - ((-0.5_f64).exp() + (-0.1_f64).exp()) / 2.0).abs() < 1e-15);
/// let missing = of(TokenMeasure::Entropy);
/// assert_eq!(missing, Err(MissingValue::FewerThanFive { token: 1, found: 0 }));
/// # Ok::<(), MissingValue>(())
/// ```
pub fn token_confidence(
    tokens: &Tokens,
    span: Option<Range<usize>>,
    measure: TokenMeasure,
    short_lists: ShortLists,
) -> Result<Probability, MissingValue> {
    let range = span.map_or(0..tokens.len(), |span| tokens.overlapping(span));
    if range.is_empty() {
        return Err(MissingValue::NoTokens);
    }
    let count = range.len() as f64;
    let confidence = match measure {
        TokenMeasure::Probability => mean_probability(tokens, range)?,
        TokenMeasure::Entropy | TokenMeasure::EntropyRenormalised => {
            let renormalise = measure == TokenMeasure::EntropyRenormalised;
            let is_deep =
                || tokens.iter().any(|token| Top::of(token.alternative_logprobs).is_full());
            let least = match short_lists {
                ShortLists::TakeMerged if is_deep() => 1,
                _ => TOP,
            };
            let mut sum = 0.0;
            for index in range {
                sum += entropy(tokens, index, least, renormalise)?;
            }
            1.0 - sum / count / (TOP as f64).ln()
        }
    };
    // Only rounding is left to clip, see ROUNDING.
    Probability::new(confidence.clamp(0.0, 1.0))
        .map_err(|_| MissingValue::UnknownLogprob { token: 0 })
}

fn mean_probability(tokens: &Tokens, range: Range<usize>) -> Result<f64, MissingValue> {
    let count = range.len() as f64;
    let mut sum = 0.0;
    for (token, &logprob) in range.clone().zip(tokens.logprobs().get(range).unwrap_or_default()) {
        let probability = logprob.exp();
        if !is_known(logprob) {
            return Err(MissingValue::UnknownLogprob { token });
        }
        if probability > 1.0 + ROUNDING {
            return Err(MissingValue::ProbabilityAboveOne { token, sum: probability });
        }
        sum += probability;
    }
    Ok(sum / count)
}

/// Returns the entropy of one token in nats, from at least `least` listed probabilities.
fn entropy(
    tokens: &Tokens,
    token: usize,
    least: usize,
    renormalise: bool,
) -> Result<f64, MissingValue> {
    let listed = tokens.get(token).map(|token| token.alternative_logprobs).unwrap_or_default();
    let top = Top::of(listed);
    let logprobs = top.logprobs();
    if logprobs.len() < least {
        return Err(MissingValue::FewerThanFive { token, found: logprobs.len() });
    }
    let sum: f64 = logprobs.iter().map(|logprob| logprob.exp()).sum();
    if sum > 1.0 + ROUNDING {
        return Err(MissingValue::ProbabilityAboveOne { token, sum });
    }
    // Relative to the highest log-probability, so that the sum is at least 1.
    let highest = logprobs.first().copied().unwrap_or(0.0);
    let scale: f64 = logprobs.iter().map(|logprob| (logprob - highest).exp()).sum();
    let log_sum = if renormalise { highest + scale.ln() } else { 0.0 };
    let terms = logprobs.iter().map(|logprob| {
        let log = logprob - log_sum;
        -log.exp() * log
    });
    Ok(terms.sum())
}

/// The five highest known log-probabilities, highest first.
struct Top {
    logprobs: [f64; TOP],
    found: usize,
}

impl Top {
    fn of(listed: &[f64]) -> Self {
        let mut top = Self { logprobs: [f64::NEG_INFINITY; TOP], found: 0 };
        for &logprob in listed.iter().filter(|&&logprob| is_known(logprob)) {
            let at = top.logprobs().partition_point(|&higher| higher >= logprob);
            if let Some(rest) = top.logprobs.get_mut(at..)
                && !rest.is_empty()
            {
                rest.rotate_right(1);
                rest.iter_mut().take(1).for_each(|place| *place = logprob);
                top.found = (top.found + 1).min(TOP);
            }
        }
        top
    }

    fn logprobs(&self) -> &[f64] {
        self.logprobs.get(..self.found).unwrap_or_default()
    }

    const fn is_full(&self) -> bool {
        self.found == TOP
    }
}

/// The part of a reply that is its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActionSpan<'a> {
    /// The content between the last `<name>` and the next `</name>` of the text, such as `<action>…</action>`. The tags are not
    /// part of the action: they are the same in every action.
    Element(&'a str),
    /// The tool calls as the model wrote them: the content of the tokens between the first `<name>` and the last `</name>`, such
    /// as `<tool_call>…</tool_call>`. Otherwise, the span covers the arguments from the reply's first to its last call, if their
    /// text is found in the tokens. A server that returns no tokens for calls has no such span.
    ToolCalls(&'a str),
}

impl Default for ActionSpan<'_> {
    fn default() -> Self {
        Self::Element("action")
    }
}

impl ActionSpan<'_> {
    /// Returns the range of the action in [`Tokens::bytes`], the joined bytes of all tokens of the reply.
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
        let name = match self {
            Self::ToolCalls(name) => {
                return called(reply, tokens, name).ok_or(MissingValue::NoAction);
            }
            Self::Element(name) => name,
        };
        let span = last_element(text, name).ok_or(MissingValue::NoAction)?;
        // The text is surrounded by reasoning and special tokens.
        if let Some(start) = memchr::memmem::rfind(bytes, text) {
            return Ok(start + span.start..start + span.end);
        }
        if let Some(found) = last_element(bytes, name)
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
