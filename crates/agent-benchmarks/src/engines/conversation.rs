use run_logs::{Reply, Run, Turn};

use crate::{
    engines::model::{Model, ModelError},
    error::Error,
    values::request::Request,
};

/// A conversation with a model as a state machine without I/O.
///
/// It hands out a request, takes the reply, and so on until there is no request; then it ends with a record. The text of a model
/// is never an error of the conversation. A conversation is deterministic: the same replies lead to the same requests and the
/// same record, so a run that was interrupted is resumed by giving the replies again.
///
/// ```
/// use agent_benchmarks::{Conversation, Error, Model};
///
/// fn drive<C: Conversation>(mut conversation: C, mut model: impl Model) -> Result<C::Record, Error> {
///     while let Some(request) = conversation.request() {
///         match model.reply(request) {
///             Ok(reply) => conversation.reply(reply)?,
///             Err(error) => conversation.fail(&error),
///         }
///     }
///     Ok(conversation.finish())
/// }
/// ```
pub trait Conversation {
    /// The result of the conversation after its end.
    type Record;

    /// Returns the request that waits for a reply; `None` once the conversation has ended.
    fn request(&self) -> Option<&Request>;

    /// Takes the reply to the request.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`] if no request waits for a reply.
    fn reply(&mut self, reply: Reply) -> Result<(), Error>;

    /// Returns the kind of reply that the conversation waits for, if it has several kinds, such as actions and
    /// estimates. Consecutive unusable replies are counted for each kind.
    fn awaits(&self) -> usize {
        0
    }

    /// Returns the problem with the latest reply if the protocol could not use it; `None` also for a conversation that
    /// does not report problems.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Ends the conversation because the model gives no reply. Without a waiting request, nothing
    /// happens.
    fn fail(&mut self, error: &ModelError);

    /// Returns the record. A conversation can be finished at any time; the record of one that still waits for a reply has no stop
    /// reason.
    fn finish(self) -> Self::Record
    where
        Self: Sized;
}

/// Drives a conversation to its end.
///
/// # Errors
///
/// The errors of [`Conversation::reply`], which the conversations of this crate do not have here, because a request waits for
/// each reply.
pub fn converse<C: Conversation>(
    mut conversation: C,
    mut model: impl Model,
) -> Result<C::Record, Error> {
    while let Some(request) = conversation.request() {
        match model.reply(request) {
            Ok(reply) => conversation.reply(reply)?,
            Err(error) => conversation.fail(&error),
        }
    }
    Ok(conversation.finish())
}

/// Gives a conversation the replies of a stored run, which must have this id.
pub(crate) fn replay<C: Conversation>(
    mut conversation: C,
    id: &str,
    run: &Run,
) -> Result<C::Record, Error> {
    check_id(id, run)?;
    repeat(&mut conversation, &run.turns)?;
    Ok(conversation.finish())
}

/// Checks that a stored run has this id.
pub(crate) fn check_id(id: &str, run: &Run) -> Result<(), Error> {
    if run.id == id {
        return Ok(());
    }
    let problem = format!("the run is of {:?}; it must be of {id:?}", run.id);
    Err(Error::StoredValue { problem })
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
