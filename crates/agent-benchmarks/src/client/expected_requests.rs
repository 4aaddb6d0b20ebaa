use crate::{
    client::{http::Client, journal::Journal},
    engines::conversation::Conversation,
    error::Error,
    values::request::Request,
};

/// An estimate of the requests that conversations would send: how many there are, and how many bytes their bodies
/// have. Nothing is sent.
///
/// ```
/// use agent_benchmarks::{
///     ModelError,
///     client::{Client, ClientSettings, ExpectedRequests},
///     costbench::{CostBench, Split, queries},
/// };
///
/// let client = Client::new("http://localhost/v1", "model".to_owned(), None, ClientSettings::default())?;
/// let instance = CostBench::new(0)?.instance(&queries(Split::Test, 42)[0]);
/// let mut expected = ExpectedRequests::new(100, &client, None);
/// assert!(expected.add("first", instance.conversation(), [3, 5])?.is_none());
/// assert_eq!((expected.conversations, expected.requests), (1, [3, 5]));
/// assert!(expected.characters[0] < expected.characters[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ExpectedRequests<'a> {
    /// The number of conversations with a remaining request.
    pub conversations: usize,
    /// The minimum and the maximum number of requests.
    pub requests: [usize; 2],
    /// The total length of all request bodies in bytes: the minimum, and the maximum if replies are as many and as long
    /// as possible.
    pub characters: [usize; 2],
    /// The number of characters of the longest reply.
    longest_reply: usize,
    client: &'a Client,
    /// The existing answers.
    journal: Option<&'a Journal>,
    /// The reason why a request cannot be sent.
    problem: Option<Error>,
}

impl<'a> ExpectedRequests<'a> {
    /// Creates an estimate that contains no conversation yet. It assumes that a reply has up to `max_output_tokens`
    /// tokens. `client` forms the bodies of requests, and `journal` has the answers that need no new request.
    #[must_use]
    pub fn new(max_output_tokens: u64, client: &'a Client, journal: Option<&'a Journal>) -> Self {
        let tokens = usize::try_from(max_output_tokens).unwrap_or(usize::MAX);
        Self {
            conversations: 0,
            requests: [0; 2],
            characters: [0; 2],
            longest_reply: tokens.saturating_mul(Request::CHARACTERS_PER_TOKEN),
            client,
            journal,
            problem: None,
        }
    }

    /// Gives a conversation the answers that the journal has under this name, and returns their number.
    ///
    /// # Errors
    ///
    /// Errors of [`Journal::resume`].
    pub fn resume(&self, name: &str, conversation: &mut impl Conversation) -> Result<usize, Error> {
        self.journal.map_or(Ok(0), |journal| journal.resume(name, conversation))
    }

    /// Adds the requests that a conversation still needs. `name` is its name in the journal. In total, it has at least
    /// `fewest` and at most `most` requests, including answered ones. Each request is assumed to repeat the previous
    /// request and its reply. Returns the record if the conversation has ended.
    ///
    /// # Errors
    ///
    /// Errors of [`Journal::resume`].
    pub fn add<C: Conversation>(
        &mut self,
        name: &str,
        mut conversation: C,
        [fewest, most]: [usize; 2],
    ) -> Result<Option<C::Record>, Error> {
        let known = self.resume(name, &mut conversation)?;
        let Some(request) = conversation.request() else {
            return Ok(Some(conversation.finish()));
        };
        // One that has begun goes on.
        let fewest = fewest.saturating_sub(known).max(known.min(1));
        self.add_conversations(request, [fewest, most.saturating_sub(known).max(1)], 1);
        Ok(None)
    }

    /// Adds `times` conversations. Each begins with the request `first` and has at least `requests[0]` and at most
    /// `requests[1]` requests.
    pub fn add_conversations(&mut self, first: &Request, requests: [usize; 2], times: usize) {
        self.conversations = self.conversations.saturating_add(times);
        self.add_requests(first, requests, times);
    }

    /// Adds the requests of `times` conversations, without counting the conversations. Each begins with the request
    /// `first` and has at least `fewest` and at most `most` requests. Each later request is assumed to repeat the
    /// previous request and its reply.
    pub fn add_requests(&mut self, first: &Request, [fewest, most]: [usize; 2], times: usize) {
        let first = match self.client.body(first) {
            Ok(body) => body.len(),
            Err(error) => {
                self.problem = Some(error);
                0
            }
        };
        let replies =
            self.longest_reply.saturating_mul(most.saturating_mul(most.saturating_sub(1)) / 2);
        let characters =
            [fewest.saturating_mul(first), replies.saturating_add(most.saturating_mul(first))];
        for (sums, more) in
            [(&mut self.characters, characters), (&mut self.requests, [fewest, most])]
        {
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum = sum.saturating_add(more.saturating_mul(times));
            }
        }
    }

    /// Checks that the client could form the body of the first remaining request of each added conversation.
    ///
    /// # Errors
    ///
    /// The last error of [`Client::body`].
    pub fn check(&self) -> Result<(), Error> {
        self.problem.clone().map_or(Ok(()), Err)
    }
}
