use std::sync::{Mutex, PoisonError};

use run_logs::Reply;

/// The usage of all replies: the known numbers of tokens, and the number of replies without a count.
///
/// ```
/// use agent_benchmarks::{Reply, client::Spent, run_logs::Usage};
///
/// let usage = Usage { input_tokens: Some(900), output_tokens: Some(100), ..Usage::default() };
/// let counted = Reply { text: "18".to_owned(), usage: Some(usage), ..Reply::default() };
/// let mut spent = Spent::default();
/// spent.add(Some(&counted));
/// spent.add(Some(&Reply::default()));
/// assert_eq!((spent.input_tokens, spent.output_tokens, spent.uncounted), (900, 100, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spent {
    /// The number of tokens of prompts.
    pub input_tokens: u64,
    /// The number of tokens of replies.
    pub output_tokens: u64,
    /// The number of prompt and reply tokens of replies that report only their sum.
    pub unsplit_tokens: u64,
    /// The number of replies without any known count.
    pub uncounted: u64,
}

impl Spent {
    /// Adds the usage of a reply; `None` is an unreadable reply. A count beyond `u64::MAX` stays at that maximum.
    ///
    /// A prompt has at least one token, and so has a non-empty reply: a count of 0 there means that the count is unknown.
    pub fn add(&mut self, reply: Option<&Reply>) {
        let usage = reply.and_then(|reply| reply.usage.as_ref());
        let is_empty = reply.is_some_and(|it| it.text.is_empty() && it.tool_calls.is_empty());
        let split = usage.and_then(|usage| usage.input_tokens.zip(usage.output_tokens));
        let total = usage.and_then(|usage| usage.total_tokens()).unwrap_or(0);
        match split {
            Some((input, output)) if input > 0 && (output > 0 || is_empty) => {
                self.input_tokens = self.input_tokens.saturating_add(input);
                self.output_tokens = self.output_tokens.saturating_add(output);
                // A total that exceeds the sum of both counts.
                let rest = total.saturating_sub(input.saturating_add(output));
                self.unsplit_tokens = self.unsplit_tokens.saturating_add(rest);
            }
            None if total > 0 => self.unsplit_tokens = self.unsplit_tokens.saturating_add(total),
            _ => self.uncounted = self.uncounted.saturating_add(1),
        }
    }

    /// Returns all tokens, with `of_uncounted` tokens for each reply without its own count.
    #[must_use]
    pub fn tokens(&self, of_uncounted: u64) -> u64 {
        let split = self.input_tokens.saturating_add(self.output_tokens);
        split.saturating_add(self.unsplit(of_uncounted))
    }

    /// Returns the cost in US dollars by the prices per million prompt tokens and per million reply tokens. Tokens that may
    /// belong to either have the higher price.
    #[must_use]
    pub fn cost(&self, [input, output]: [f64; 2], of_uncounted: u64) -> f64 {
        let tokens = [self.input_tokens, self.output_tokens, self.unsplit(of_uncounted)];
        let prices = [input, output, input.max(output)];
        tokens.into_iter().zip(prices).map(|(tokens, price)| tokens as f64 / 1e6 * price).sum()
    }

    fn unsplit(&self, of_uncounted: u64) -> u64 {
        self.unsplit_tokens.saturating_add(self.uncounted.saturating_mul(of_uncounted))
    }
}

/// The total usage of all clones of a client.
#[derive(Debug, Default)]
pub(super) struct SharedSpent(Mutex<Spent>);

impl SharedSpent {
    pub(super) fn get(&self) -> Spent {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn update(&self, update: impl FnOnce(&mut Spent)) {
        update(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
