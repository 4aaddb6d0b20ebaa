use run_logs::Reply;

use crate::values::request::Request;

/// The reason why a model gave no reply, in words. It must not contain keys or other secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model gave no reply: {message}")]
pub struct ModelError {
    /// A description of the problem.
    pub message: String,
}

impl ModelError {
    /// Creates an error with this message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Something that replies to requests: a language model behind a network, or a scripted policy.
///
/// A driver repeats requests after a temporary failure by itself. An error ends the conversation, and its record says so.
pub trait Model {
    /// Returns the reply to one request.
    ///
    /// # Errors
    ///
    /// [`ModelError`] if there is no reply.
    fn reply(&mut self, request: &Request) -> Result<Reply, ModelError>;
}

impl<M: Model + ?Sized> Model for &mut M {
    fn reply(&mut self, request: &Request) -> Result<Reply, ModelError> {
        (**self).reply(request)
    }
}

impl<M: Model + ?Sized> Model for Box<M> {
    fn reply(&mut self, request: &Request) -> Result<Reply, ModelError> {
        (**self).reply(request)
    }
}

/// A function as a [`Model`]. Made by [`model_from_fn`].
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F>(F);

/// Creates a model from a function.
///
/// ```
/// use agent_benchmarks::{Model, Reply, Request, model_from_fn};
///
/// let mut echo = model_from_fn(|request: &Request| {
///     let text = request.messages.last().map(|message| message.text.clone()).unwrap_or_default();
///     Ok(Reply { text, ..Reply::default() })
/// });
/// assert_eq!(echo.reply(&Request::default())?.text, "");
/// # Ok::<(), agent_benchmarks::ModelError>(())
/// ```
pub const fn model_from_fn<F>(reply: F) -> FromFn<F>
where
    F: FnMut(&Request) -> Result<Reply, ModelError>,
{
    FromFn(reply)
}

impl<F: FnMut(&Request) -> Result<Reply, ModelError>> Model for FromFn<F> {
    fn reply(&mut self, request: &Request) -> Result<Reply, ModelError> {
        (self.0)(request)
    }
}
