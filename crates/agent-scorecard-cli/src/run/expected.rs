//! What a run would ask, without asking it.

use agent_benchmarks::Request;

/// What is expected of a run that is not made.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) conversations: usize,
    /// The fewest requests.
    pub(crate) requests: usize,
    /// Characters of all prompts: the fewest, and those if replies are as many and as long as they can be.
    pub(crate) characters: [usize; 2],
    /// Characters of the longest reply.
    longest_reply: usize,
}

/// Characters of a token, in English text.
pub(crate) const TOKEN: usize = 4;

impl Expected {
    pub(crate) fn new(max_output_tokens: u64) -> Self {
        let tokens = usize::try_from(max_output_tokens).unwrap_or(usize::MAX);
        Self { longest_reply: tokens.saturating_mul(TOKEN), ..Self::default() }
    }

    /// Adds a conversation of the fewest and the most requests, each of which repeats the first one and
    /// the replies.
    pub(crate) fn add(&mut self, [fewest, most]: [usize; 2], first: Option<&Request>) {
        let first = first.map_or(0, characters);
        let replies = self.longest_reply.saturating_mul(most * most.saturating_sub(1) / 2);
        self.conversations += 1;
        self.requests += fewest;
        self.characters[0] += fewest * first;
        self.characters[1] =
            self.characters[1].saturating_add(replies.saturating_add(most * first));
    }
}

/// Characters of a prompt.
fn characters(request: &Request) -> usize {
    agent_benchmarks::openai_chat_body(request, "").len()
}
