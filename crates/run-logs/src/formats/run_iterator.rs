use crate::{error::Error, values::run::Run};

/// The runs of one log.
pub(crate) type RunIterator<'a> = Box<dyn Iterator<Item = Result<Run, Error>> + 'a>;
