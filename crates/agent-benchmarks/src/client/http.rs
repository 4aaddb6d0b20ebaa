use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use run_logs::Reply;
use scoring_rules::checks::setting;
use trajectory_metrics::tool_calls::Value;
use ureq::{Agent, http::Response};

use crate::{
    client::{api_key::ApiKey, journal::Spent, runner::AskError},
    engines::{
        api::{Api, body_text},
        conversation::ModelError,
    },
    error::Error,
    values::request::Request,
};

/// The settings of a [`Client`].
///
/// ```
/// use std::time::Duration;
/// use agent_benchmarks::client::ClientSettings;
///
/// let settings = ClientSettings { token_cap: Some(1_000_000), ..ClientSettings::default() };
/// assert_eq!((settings.attempts, settings.timeout), (5, Duration::from_secs(300)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClientSettings {
    /// The timeout of one attempt, from the connection to the last byte of the reply: above 0 and at most a year.
    pub timeout: Duration,
    /// The maximum number of attempts for one request, at least 1.
    pub attempts: u32,
    /// The wait before the second attempt; it doubles from attempt to attempt. A longer `Retry-After` of the server replaces it,
    /// in seconds or as a date after the reply's own `Date`.
    pub first_wait: Duration,
    /// The longest wait between two attempts.
    pub longest_wait: Duration,
    /// The maximum number of bytes of a reply.
    pub max_reply: u64,
    /// The maximum number of prompt and reply tokens. Once it is reached, no more requests are sent.
    pub token_cap: Option<u64>,
    /// The number of tokens that a reply without a token count is assumed to have, for the caps; with `None`, no more
    /// requests are sent after such a reply.
    pub uncounted_tokens: Option<u64>,
    /// The prices in US dollars per million prompt tokens and per million reply tokens.
    pub prices: Option<[f64; 2]>,
    /// The maximum cost in US dollars, computed with [`Self::prices`]. Once it is reached, no more requests are sent.
    pub cost_cap: Option<f64>,
    /// The format of the server's requests and replies.
    pub api: Api,
    /// Whether chat completions get the token limit as `max_completion_tokens` instead of `max_tokens`; some models
    /// require this.
    pub max_completion_tokens: bool,
    /// Further fields that each request body gets, for features of a server beyond its format.
    pub extra_body: BTreeMap<String, Value>,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(300),
            attempts: 5,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
            max_reply: 8 << 20,
            token_cap: None,
            uncounted_tokens: None,
            prices: None,
            cost_cap: None,
            api: Api::default(),
            max_completion_tokens: false,
            extra_body: BTreeMap::new(),
        }
    }
}

/// A client for a server that uses one of the formats of [`Api`]. Clones of a client share their counts of tokens.
///
/// An attempt is repeated after a lost connection, a timeout, a reply that is not a response, and the status codes 408, 409, 429
/// and 5xx. If that does not help, or if the server refuses the request (every other status code, such as 401 for the key, 402
/// for credit and 400 for a parameter), no more requests are sent, and the error has the status and the server's message. Only a
/// reply that is too large ends just its own conversation. Redirections are not followed, so that the key goes to no other host.
///
/// Caps are checked before each attempt, so that concurrent requests can exceed them by their own tokens. With a cap, no more
/// requests are sent after an unreadable reply or a reply without a token count, unless [`ClientSettings::uncounted_tokens`]
/// gives a count for it. Attempts without any reply, such as after a lost connection, count as 0.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
    url: String,
    model: String,
    key: Option<ApiKey>,
    settings: ClientSettings,
    /// The usage of all clones.
    spent: Arc<Mutex<Spent>>,
    stops: Arc<AtomicBool>,
}

/// The interval at which a wait between two attempts checks whether to continue.
const LOOK: Duration = Duration::from_millis(50);

/// The longest timeout, one year. The system clock cannot represent every time within the range of a [`Duration`].
const LONGEST_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The version of Anthropic's API, which every request names.
const ANTHROPIC_VERSION: &str = "2026-10-21";

/// The reason why an attempt has no reply.
enum Fault {
    /// A temporary fault that a later attempt may avoid, after `wait` if the server names a time.
    Passing { problem: String, wait: Option<Duration> },
    /// A fault that every later attempt has, too.
    Final(AskError),
}

impl Client {
    /// Creates a client for the model of this name. `base_url` is the part of the URL before [`Api::path`], for example
    /// `https://api.openai.com/v1`; a query in it is kept after the path.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a URL with a fragment or with a scheme other than `http://` and `https://`, and
    /// [`scoring_rules::Error::Setting`] for no attempts, a timeout of 0 or of more than a year, negative or non-finite prices
    /// and caps, and a cap without prices.
    pub fn new(
        base_url: &str,
        model: impl Into<String>,
        key: Option<ApiKey>,
        settings: ClientSettings,
    ) -> Result<Self, Error> {
        let scheme = base_url.split_once("://").map_or("", |(scheme, _)| scheme);
        let is_known = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
        if !is_known || base_url.contains('#') {
            let known = "http:// or https://, a host, a path such as /v1, and no fragment";
            return Err(Error::invalid(format!("{base_url:?} is not a base URL; known: {known}")));
        }
        let attempts = settings.attempts;
        setting("attempts", f64::from(attempts), attempts > 0, "at least 1")?;
        let timeout = settings.timeout;
        let is_valid = !timeout.is_zero() && timeout <= LONGEST_TIMEOUT;
        let range = "above 0 and at most 31536000 seconds";
        setting("timeout", timeout.as_secs_f64(), is_valid, range)?;
        for price in settings.prices.into_iter().flatten() {
            let range = "at least 0 and at most 1000000";
            setting("price", price, (0.0..=1e6).contains(&price), range)?;
        }
        if let Some(cap) = settings.cost_cap {
            setting("cost_cap", cap, cap >= 0.0 && cap.is_finite(), "finite and at least 0")?;
            setting("cost_cap", cap, settings.prices.is_some(), "given together with prices")?;
        }
        if let Some(tokens) = settings.uncounted_tokens {
            setting("uncounted_tokens", tokens as f64, tokens > 0, "at least 1")?;
        }
        let (base, query) = base_url.split_at(base_url.find('?').unwrap_or(base_url.len()));
        let config = Agent::config_builder()
            .timeout_global(Some(settings.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("agent-benchmarks/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            agent: config.into(),
            url: format!("{}{}{query}", base.trim_end_matches('/'), settings.api.path()),
            model: model.into(),
            key,
            settings,
            spent: Arc::default(),
            stops: Arc::default(),
        })
    }

    /// Stops retries while `stops` is true. A wait between two attempts then ends within a tenth of a second, and
    /// [`Self::ask`] returns [`AskError::Stop`] with the fault of the last attempt. An attempt that is under way
    /// continues.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// use agent_benchmarks::client::{Client, ClientSettings};
    ///
    /// let stops = Arc::new(AtomicBool::new(false));
    /// let client = Client::new("http://127.0.0.1:8000/v1", "m", None, ClientSettings::default())?;
    /// // For example a handler of Ctrl-C sets it.
    /// let client = client.with_stop(Arc::clone(&stops));
    /// assert_eq!(client.spent().tokens(0), 0);
    /// # Ok::<(), agent_benchmarks::Error>(())
    /// ```
    #[must_use]
    pub fn with_stop(self, stops: Arc<AtomicBool>) -> Self {
        Self { stops, ..self }
    }

    /// Sets the usage from which the client continues to count. Caps apply to the total: with
    /// [`Journal::spent`](super::Journal::spent), they hold for several executions of a program together.
    pub fn count_before(&self, before: Spent) {
        *self.shared_spent() = before;
    }

    /// Returns the usage of all replies so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        *self.shared_spent()
    }

    fn shared_spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cost of [`Self::spent`] in US dollars; `None` without prices. A reply without a token count is
    /// assumed to have [`ClientSettings::uncounted_tokens`].
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        let reserve = self.settings.uncounted_tokens.unwrap_or(0);
        self.settings.prices.map(|prices| self.spent().cost(prices, reserve))
    }

    /// Returns the body that is sent for a request.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if a field of [`ClientSettings::extra_body`] is set by the request itself, or requests a stream or
    /// several choices, which are not read.
    pub fn body(&self, request: &Request) -> Result<String, Error> {
        let ClientSettings { api, max_completion_tokens, extra_body, .. } = &self.settings;
        let mut body = api.fields(request, &self.model);
        if *max_completion_tokens
            && *api == Api::OpenAiChat
            && let Some(limit) = body.remove("max_tokens")
        {
            body.insert("max_completion_tokens".to_owned(), limit);
        }
        for (name, value) in extra_body {
            let is_ours = matches!(name.as_str(), "stream" | "n");
            if is_ours || body.insert(name.clone(), value.clone()).is_some() {
                return Err(Error::invalid(format!(
                    "the extra field {name:?} is already in every request, or asks for a reply that cannot be read; leave it out"
                )));
            }
        }
        Ok(body_text(&Value::Map(body)))
    }

    /// Sends a request, and returns the JSON of the response.
    ///
    /// # Errors
    ///
    /// [`AskError::Stop`] if a cap is reached, if no attempt helped, if the server refuses the request, or after a fault
    /// while the flag of [`Self::with_stop`] is true;
    /// [`AskError::NoReply`] if the reply is too large.
    pub fn ask(&self, request: &Request) -> Result<Vec<u8>, AskError> {
        let body = self.body(request).map_err(|error| AskError::Stop(error.to_string()))?;
        let longest = self.settings.longest_wait;
        let mut wait = self.settings.first_wait;
        let mut attempt = 1;
        loop {
            self.check_caps().map_err(AskError::Stop)?;
            let (problem, asked) = match self.attempt(&body) {
                Ok(response) => return Ok(response),
                Err(Fault::Final(error)) => return Err(error),
                Err(Fault::Passing { problem, wait }) => (problem, wait),
            };
            if attempt >= self.settings.attempts {
                return Err(AskError::Stop(format!("{problem} ({attempt} attempts)")));
            }
            self.wait(asked.unwrap_or_default().max(wait).min(longest));
            if self.stops.load(Ordering::Relaxed) {
                return Err(AskError::Stop(problem));
            }
            wait = wait.saturating_mul(2);
            attempt += 1;
        }
    }

    /// Waits for this duration, or until no more requests are wanted.
    fn wait(&self, longest: Duration) {
        let begun = Instant::now();
        loop {
            let left = longest.saturating_sub(begun.elapsed());
            if left.is_zero() || self.stops.load(Ordering::Relaxed) {
                return;
            }
            thread::sleep(left.min(LOOK));
        }
    }

    fn check_caps(&self) -> Result<(), String> {
        let ClientSettings { token_cap, cost_cap, uncounted_tokens, .. } = &self.settings;
        let spent = self.spent();
        if (token_cap.is_some() || cost_cap.is_some())
            && spent.uncounted > 0
            && uncounted_tokens.is_none()
        {
            let n = spent.uncounted;
            return Err(format!(
                "the tokens of {n} {} are not known, so the cap cannot be kept; with --uncounted reserve=N, each such reply counts as N tokens",
                if n == 1 { "reply" } else { "replies" }
            ));
        }
        let tokens = spent.tokens(uncounted_tokens.unwrap_or(0));
        if let Some(cap) = self.settings.token_cap.filter(|cap| tokens >= *cap) {
            return Err(format!("{tokens} tokens are used; the cap is {cap}"));
        }
        if let (Some(cap), Some(cost)) = (self.settings.cost_cap, self.cost())
            // Rounding can put a sum of decimal prices a last digit below its exact value.
            && cost >= cap * (1.0 - 1e-12)
        {
            return Err(format!("{cost:.4} US dollars are spent; the cap is {cap}"));
        }
        Ok(())
    }

    fn attempt(&self, body: &str) -> Result<Vec<u8>, Fault> {
        let mut post = self.agent.post(&self.url).header("Content-Type", "application/json");
        if let Some(key) = &self.key {
            post = post.header("Authorization", key.header());
        }
        if self.settings.api == Api::Anthropic {
            post = post.header("anthropic-version", ANTHROPIC_VERSION);
        }
        let passing = |problem| Fault::Passing { problem: self.hide(problem), wait: None };
        let fault = |error: ureq::Error| match error {
            ureq::Error::BodyExceedsLimit(limit) => {
                let problem = format!("the reply has more than {limit} bytes");
                Fault::Final(ModelError::new(problem).into())
            }
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
                Fault::Final(AskError::Stop(self.hide(error.to_string())))
            }
            error => passing(error.to_string()),
        };
        let mut response = post.send(body).map_err(fault)?;
        let limit = self.settings.max_reply;
        let content = response.body_mut().with_config().limit(limit).read_to_vec();
        let status = response.status().as_u16();
        if (200..300).contains(&status) {
            let content = content.map_err(|error| {
                self.shared_spent().add(None);
                fault(error)
            })?;
            let reply = self.settings.api.read_reply(&content);
            self.shared_spent().add(reply.as_ref().ok());
            reply.map_err(|error| passing(error.to_string()))?;
            // A server may repeat its request, and the response is kept in files. A reply in UTF-8 without the key keeps its
            // bytes.
            let text = String::from_utf8_lossy(&content).into_owned();
            let text = self.key.iter().fold(text, |text, key| key.hide_in_reply(text));
            return Ok(text.into_bytes());
        }
        let said = content.unwrap_or_default();
        let said = beginning(&self.hide(said_in(&said)));
        let problem = format!("the server replied with status {status}{said}");
        Err(match status {
            408 | 409 | 429 | 500.. => Fault::Passing { problem, wait: retry_after(&response) },
            _ => Fault::Final(AskError::Stop(problem)),
        })
    }

    /// Sends a request, and returns the reply.
    ///
    /// # Errors
    ///
    /// [`ModelError`] for every reason for which there is no reply.
    pub fn reply(&self, request: &Request) -> Result<Reply, ModelError> {
        let response = self.ask(request).map_err(|error| match error {
            AskError::NoReply(error) | AskError::NotKept(error) => error,
            AskError::Stop(reason) => ModelError::new(reason),
        })?;
        let reply = self.settings.api.read_reply(&response);
        reply.map_err(|error| ModelError::new(error.to_string()))
    }

    fn hide(&self, text: String) -> String {
        self.key.iter().fold(text, |text, key| key.hide_in_message(text))
    }
}

/// Returns the server's message about an error. JSON loses its unnecessary escape sequences.
fn said_in(body: &[u8]) -> String {
    serde_json::from_slice(body).map_or_else(
        |_| String::from_utf8_lossy(body).into_owned(),
        |json: serde_json::Value| json.to_string(),
    )
}

/// Returns the beginning of the server's message about an error, after a colon.
fn beginning(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return words;
    }
    format!(": {}", words.chars().take(300).collect::<String>())
}

/// Returns the wait that a server requests (RFC 9110, sections 5.6.7 and 10.2.3). A date is taken relative to the date of the
/// reply, so that the clocks may differ.
fn retry_after<T>(response: &Response<T>) -> Option<Duration> {
    let header = |name: &str| response.headers().get(name)?.to_str().ok().map(str::trim);
    let after = header("retry-after")?;
    if let Ok(seconds) = after.parse() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |text: &str| httpdate::parse_http_date(text).ok();
    date(after)?.duration_since(date(header("date")?)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&str, &str)]) -> Option<Duration> {
        let response =
            headers.iter().fold(Response::builder(), |it, (name, value)| it.header(*name, *value));
        retry_after(&response.body(()).unwrap())
    }

    #[test]
    fn a_wait_is_given_in_seconds_or_as_a_date() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let date = ("Date", "Mon, 23 Nov 2026 09:00:00 GMT");
        assert_eq!(wait(&[("Retry-After", " 7 ")]), seconds(7));
        assert_eq!(wait(&[("Retry-After", "Mon, 23 Nov 2026 09:01:30 GMT"), date]), seconds(90));
        assert_eq!(wait(&[("Retry-After", "Monday, 23-Nov-26 09:00:02 GMT"), date]), seconds(2));
        // Before the date of the reply, without a date of the reply, and no wait at all.
        assert_eq!(wait(&[("Retry-After", "Mon, 23 Nov 2026 08:59:00 GMT"), date]), None);
        assert_eq!(wait(&[("Retry-After", "Mon, 23 Nov 2026 09:01:30 GMT")]), None);
        assert_eq!(wait(&[("Retry-After", "-1")]), None);
        assert_eq!(wait(&[("Retry-After", "soon"), date]), None);
        assert_eq!(wait(&[]), None);
    }
}
