use crate::{engines::json::reader::Json, error::Error};

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
        json.object(&["task", "model"], |json, field| {
            match field {
                "task" => header.task = json.optional(Json::text)?,
                _ => header.model = json.optional(Json::text)?,
            }
            Ok(())
        })?;
        Ok(header)
    }

    /// Reads an object with the field `eval`, such as `header.json`; `None` if it has none.
    #[cfg(feature = "archives")]
    pub(crate) fn within(json: &mut Json<'_>) -> Result<Option<Self>, Error> {
        let mut header = None;
        json.object(&["eval"], |json, _| {
            header = json.optional(Self::eval)?;
            Ok(())
        })?;
        json.end()?;
        Ok(header)
    }
}
