use std::ops::Range;

/// The tokens of one reply with their log-probabilities, stored flat.
///
/// ```
/// use run_logs::Tokens;
///
/// let mut tokens = Tokens::default();
/// tokens.push(b"Par", -0.25);
/// tokens.push_alternative(b"Par", -0.25);
/// tokens.push_alternative(b"Lon", -1.75);
/// tokens.push(b"is", -0.5);
/// assert_eq!((tokens.len(), tokens.bytes()), (2, &b"Paris"[..]));
///
/// let first = tokens.get(0).unwrap();
/// assert_eq!((first.bytes, first.logprob, first.start), (&b"Par"[..], -0.25, 0));
/// assert_eq!(first.alternatives().collect::<Vec<_>>(), [(&b"Par"[..], -0.25), (b"Lon", -1.75)]);
/// assert!(tokens.get(1).unwrap().alternative_logprobs.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tokens {
    bytes: Vec<u8>,
    /// The end of each token in `bytes`.
    ends: Vec<usize>,
    logprobs: Vec<f64>,
    /// The end of the alternatives of each token.
    alternative_ends: Vec<usize>,
    alternative_logprobs: Vec<f64>,
    alternative_bytes: Vec<u8>,
    alternative_byte_ends: Vec<usize>,
}

/// One token of [`Tokens`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Token<'a> {
    /// The bytes of the token; the bytes of one character may be split between tokens.
    pub bytes: &'a [u8],
    /// The start of the token in the bytes of all tokens.
    pub start: usize,
    /// The natural logarithm of the token's probability, as logged. Some servers write -9999 for an unknown probability.
    pub logprob: f64,
    /// The log-probabilities of the most probable tokens at this position, in the order of the log.
    /// They usually, but not always, include the token itself.
    pub alternative_logprobs: &'a [f64],
    /// The bytes of all alternatives of the reply, and the end of each of them.
    alternative_bytes: &'a [u8],
    alternative_byte_ends: &'a [usize],
    first_alternative_byte: usize,
}

impl Tokens {
    /// Appends a token: its bytes, and the natural logarithm of its probability.
    pub fn push(&mut self, bytes: &[u8], logprob: f64) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self.logprobs.push(logprob);
        self.alternative_ends.push(self.alternative_logprobs.len());
    }

    /// Appends one of the most probable tokens at the position of the last token. Does nothing if there is no token.
    pub fn push_alternative(&mut self, bytes: &[u8], logprob: f64) {
        if let Some(end) = self.alternative_ends.last_mut() {
            *end += 1;
            self.alternative_bytes.extend_from_slice(bytes);
            self.alternative_byte_ends.push(self.alternative_bytes.len());
            self.alternative_logprobs.push(logprob);
        }
    }

    /// Appends the tokens of another part of the reply.
    pub(crate) fn append(&mut self, other: &Self) {
        for token in other.iter() {
            self.push(token.bytes, token.logprob);
            token.alternatives().for_each(|(bytes, logprob)| self.push_alternative(bytes, logprob));
        }
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the bytes of all tokens. They equal the text of the reply if the log is complete.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the log-probabilities of all tokens.
    #[must_use]
    pub fn logprobs(&self) -> &[f64] {
        &self.logprobs
    }

    /// Returns the token at a position from 0; `None` after the last one.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Token<'_>> {
        let before = |ends: &[usize], index: usize| {
            index.checked_sub(1).and_then(|index| ends.get(index)).copied().unwrap_or(0)
        };
        let start = before(&self.ends, index);
        let first = before(&self.alternative_ends, index);
        let last = *self.alternative_ends.get(index)?;
        Some(Token {
            bytes: self.bytes.get(start..*self.ends.get(index)?)?,
            start,
            logprob: *self.logprobs.get(index)?,
            alternative_logprobs: self.alternative_logprobs.get(first..last)?,
            alternative_bytes: &self.alternative_bytes,
            alternative_byte_ends: self.alternative_byte_ends.get(first..last)?,
            first_alternative_byte: before(&self.alternative_byte_ends, first),
        })
    }

    /// Returns the positions of the tokens in a range of bytes: tokens with at least one byte inside, and empty tokens between
    /// them.
    #[must_use]
    pub fn overlapping(&self, span: Range<usize>) -> Range<usize> {
        if span.is_empty() {
            return 0..0;
        }
        // A token starts where the one before it ends.
        let first = self.ends.partition_point(|&end| end <= span.start);
        let after = self.ends.partition_point(|&end| end < span.end);
        first..(after + 1).min(self.len()).max(first)
    }

    /// Returns the tokens in their order.
    pub fn iter(&self) -> impl Iterator<Item = Token<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl<'a> Token<'a> {
    /// Returns the bytes and log-probabilities of the most probable tokens at this position.
    pub fn alternatives(&self) -> impl Iterator<Item = (&'a [u8], f64)> {
        let mut start = self.first_alternative_byte;
        let bytes = self.alternative_bytes;
        self.alternative_byte_ends.iter().zip(self.alternative_logprobs).map(
            move |(&end, &logprob)| {
                let text = bytes.get(start..end).unwrap_or_default();
                start = end;
                (text, logprob)
            },
        )
    }
}
