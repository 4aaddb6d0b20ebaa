use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    read_options::ReadOptions,
    values::run::{Run, Score},
};

/// What the head of a log says of all its samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    task: Option<String>,
    model: Option<String>,
}

impl Header {
    pub(crate) fn read(json: &mut Json<'_>) -> Result<Self, Error> {
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
}

/// Reads one sample.
pub(crate) fn sample(
    json: &mut Json<'_>,
    header: Option<&Header>,
    _options: &ReadOptions,
) -> Result<Run, Error> {
    let mut id = None;
    let mut run = Run::default();
    json.object(&["id", "epoch", "scores"], |json, field| {
        match field {
            "id" => {
                let name = json.name()?;
                json.place_mut().sample = Some(name.clone());
                id = Some(name);
            }
            "epoch" => run.trial = Some(json.count()?),
            _ => {
                json.optional(|json| {
                    json.map(|json, name| {
                        let mut score = Score::default();
                        json.object(&["value"], |json, _| {
                            score.value = json.value()?;
                            Ok(())
                        })?;
                        run.scores.insert(name, score);
                        Ok(())
                    })
                })?;
            }
        }
        Ok(())
    })?;
    run.id = id.ok_or_else(|| json.error_at("id", Problem::Missing))?;
    run.task = header.and_then(|header| header.task.clone());
    run.model = header.and_then(|header| header.model.clone());
    Ok(run)
}
