use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
};

/// What the head of a log says of all its samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(crate) task: Option<String>,
    pub(crate) model: Option<String>,
}

impl Header {
    /// Reads `eval`.
    pub(crate) fn eval(json: &mut Json<'_>) -> Result<Self, Error> {
        let mut header = Self::default();
        fields!(|json| {
            "task" => header.task = json.optional(Json::text)?,
            "model" => header.model = json.optional(Json::text)?,
        })?;
        Ok(header)
    }

    /// Reads an object with the field `eval`, such as `header.json`; `None` if it has none.
    #[cfg(feature = "archives")]
    pub(crate) fn within(json: &mut Json<'_>) -> Result<Option<Self>, Error> {
        let mut header = None;
        fields!(|json| { "eval" => header = json.optional(Self::eval)?, })?;
        json.end()?;
        Ok(header)
    }
}
