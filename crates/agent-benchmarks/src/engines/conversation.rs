use run_logs::{Reply, Run, Turn};

use crate::{error::Error, values::request::Request};

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

/// A conversation with a model, as a state machine that does no input or output itself.
///
/// It hands out a request, takes the reply, and so on until there is no request; then it ends with a record. The text of a model
/// is never an error of the conversation. A conversation is deterministic: the same replies lead to the same requests and the
/// same record, so a run that was interrupted is resumed by giving the replies again.
///
/// [`converse`] and [`converse_async`] are the loop. A benchmark of your own implements `play::Environment`, of which the
/// crate makes a conversation, or this trait if its protocol has other messages than a turn for each reply.
pub trait Conversation {
    /// The result of the conversation after its end.
    type Record;

    /// Returns the request that waits for a reply; `None` once the conversation has ended.
    fn request(&self) -> Option<&Request>;

    /// Takes the reply to the request.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if no request waits for a reply; [`Error::Invalid`] if the environment of a run makes a mistake.
    fn reply(&mut self, reply: Reply) -> Result<(), Error>;

    /// Returns the kind of reply for which the conversation waits, if there are several kinds, such as actions and
    /// estimates. Consecutive unusable replies are counted separately for each kind.
    fn awaits(&self) -> usize {
        0
    }

    /// Returns the reason why the latest reply could not be used; `None` if it could, and for a conversation that does
    /// not report problems.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Ends the conversation because the model gives no reply. If no request waits for a reply, nothing happens.
    fn fail(&mut self, error: &ModelError);

    /// Returns the record. A conversation can be finished at any time; if it still waits for a reply, its record has
    /// no stop reason.
    fn finish(self) -> Self::Record
    where
        Self: Sized;
}

/// Drives a conversation to its end. `model` replies to its requests: a language model behind a network, or a scripted policy.
///
/// A driver repeats requests after a temporary failure by itself. An error ends the conversation, and its record says so.
///
/// # Errors
///
/// The errors of [`Conversation::reply`]. The conversations of papers' benchmarks have none here, because a request waits for
/// each reply.
pub fn converse<C: Conversation>(
    mut conversation: C,
    mut model: impl FnMut(&Request) -> Result<Reply, ModelError>,
) -> Result<C::Record, Error> {
    while let Some(request) = conversation.request() {
        match model(request) {
            Ok(reply) => conversation.reply(reply)?,
            Err(error) => conversation.fail(&error),
        }
    }
    Ok(conversation.finish())
}

/// Drives a conversation to its end like [`converse`], but with an async `model`. No particular runtime is needed. A
/// multithreaded runtime can run the future if the model owns the values that it uses, as an `async move` closure does.
///
/// # Errors
///
/// The errors of [`Conversation::reply`], as for [`converse`].
///
/// ```
/// use agent_benchmarks::{Conversation, Error, ModelError, Reply, Request, converse_async};
///
/// /// Stands for your client.
/// async fn ask(request: &Request) -> Result<Reply, std::io::Error> {
///     Ok(Reply::from(format!("{} messages", request.messages.len())))
/// }
///
/// async fn played<C: Conversation>(conversation: C) -> Result<C::Record, Error> {
///     let model = async |request: &Request| {
///         ask(request).await.map_err(|error| ModelError::new(error.to_string()))
///     };
///     converse_async(conversation, model).await
/// }
/// ```
pub async fn converse_async<C: Conversation>(
    mut conversation: C,
    mut model: impl AsyncFnMut(&Request) -> Result<Reply, ModelError>,
) -> Result<C::Record, Error> {
    while let Some(request) = conversation.request() {
        match model(request).await {
            Ok(reply) => conversation.reply(reply)?,
            Err(error) => conversation.fail(&error),
        }
    }
    Ok(conversation.finish())
}

/// Checks that a stored run has this id.
pub(crate) fn check_id(id: &str, run: &Run) -> Result<(), Error> {
    if run.id == id {
        return Ok(());
    }
    Err(Error::stored(format!("the run is of {:?}; it must be of {id:?}", run.id)))
}

/// Gives a conversation the replies of these turns.
pub(crate) fn repeat(conversation: &mut impl Conversation, turns: &[Turn]) -> Result<(), Error> {
    for turn in turns {
        match &turn.reply {
            Some(reply) => conversation.reply(reply.clone())?,
            None => conversation.fail(&ModelError::new(turn.error.clone().unwrap_or_default())),
        }
    }
    Ok(())
}
