//! What a run would ask, without asking it.

use agent_benchmarks::{Error, Request, client::Client};

/// What is expected of a run that is not made.
#[derive(Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) conversations: usize,
    /// The fewest requests.
    pub(crate) requests: usize,
    /// Characters of all prompts: the fewest, and those if replies are as many and as long as they can be.
    pub(crate) characters: [usize; 2],
    /// Characters of the longest reply.
    longest_reply: usize,
    client: &'a Client,
    /// Why a request cannot be sent.
    problem: Option<Error>,
}

/// Characters of a token, in English text.
pub(crate) const TOKEN: usize = 4;

impl<'a> Expected<'a> {
    pub(crate) fn new(max_output_tokens: u64, client: &'a Client) -> Self {
        let tokens = usize::try_from(max_output_tokens).unwrap_or(usize::MAX);
        let longest_reply = tokens.saturating_mul(TOKEN);
        let (conversations, requests, characters) = (0, 0, [0, 0]);
        Self { conversations, requests, characters, longest_reply, client, problem: None }
    }

    /// Adds a conversation of the fewest and the most requests, each of which repeats the first one and
    /// the replies.
    pub(crate) fn add(&mut self, [fewest, most]: [usize; 2], first: Option<&Request>) {
        let first = first.map_or(0, |request| self.characters(request));
        let replies = self.longest_reply.saturating_mul(most * most.saturating_sub(1) / 2);
        self.conversations += 1;
        self.requests += fewest;
        self.characters[0] += fewest * first;
        self.characters[1] =
            self.characters[1].saturating_add(replies.saturating_add(most * first));
    }

    /// Characters of a prompt.
    fn characters(&mut self, request: &Request) -> usize {
        match self.client.body(request) {
            Ok(body) => body.len(),
            Err(error) => {
                self.problem = Some(error);
                0
            }
        }
    }

    /// Checks that the requests can be sent.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        self.problem.take().map_or(Ok(()), Err)
    }
}
