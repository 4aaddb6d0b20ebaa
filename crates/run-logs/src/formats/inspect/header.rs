use std::sync::Arc;

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::Error,
    values::{
        evaluation::{Evaluation, LogFigures},
        run::{number_of, text_of},
    },
};

/// The facts about all samples from the head of a log, while it is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    /// Whether there is a field `eval`.
    pub(crate) is_known: bool,
    pub(crate) evaluation: Arc<Evaluation>,
}

impl Header {
    named_fields! {
        pub(crate) const FIELDS, fn field(&mut self, json: &mut Json<'_>, field: &str), |json, field| {
            "status" => Arc::make_mut(&mut self.evaluation).status = json.optional(Json::text)?,
            "eval" => self.is_known = json.optional(|json| eval(json, Arc::make_mut(&mut self.evaluation)))?.is_some(),
            "results" => { json.optional(|json| results(json, Arc::make_mut(&mut self.evaluation)))?; },
        }
    }

    /// Reads an object with these fields, such as `header.json`; `None` if it has no `eval`.
    pub(crate) fn within(json: &mut Json<'_>) -> Result<Option<Self>, Error> {
        let mut header = Self::default();
        fields!(|json, field| { in Self::FIELDS => header.field(json, field)?, })?;
        Ok(header.is_known.then_some(header))
    }
}

/// Reads `eval`.
fn eval(json: &mut Json<'_>, evaluation: &mut Evaluation) -> Result<(), Error> {
    fields!(|json| {
        "eval_id" => evaluation.id = json.optional(Json::text)?,
        "task_id" => evaluation.task_id = json.optional(Json::text)?,
        "task" => evaluation.task = json.optional(Json::text)?,
        "model" => evaluation.model = json.optional(Json::text)?,
        "created" => evaluation.created = json.optional(Json::text)?,
        "dataset" => { json.optional(|json| fields!(|json| {
            "samples" => evaluation.dataset_samples = json.optional(Json::count)?,
            "sample_ids" => evaluation.sample_ids = json.optional(|json| json.list_of(Json::name))?.into_iter().flatten().collect(),
        }))?; },
        "config" => { json.optional(|json| fields!(|json| {
            "epochs" => evaluation.epochs = json.optional(Json::count)?,
            "limit" => evaluation.is_part_of_dataset |= json.optional(Json::value)?.is_some(),
            "sample_id" => evaluation.is_part_of_dataset |= json.optional(Json::value)?.is_some(),
        }))?; },
        "scorers" => {
            let scorers = json.optional(|json| json.list_of(|json| {
                let mut name = None;
                fields!(|json| { "name" => name = json.optional(Json::text)?, })?;
                Ok(name)
            }))?;
            evaluation.scorers = scorers.into_iter().flatten().flatten().map(unqualified).collect();
        },
    })
}

/// Reads `results`, whose scores are in the order of the scorers. The scores of a scorer with several follow one after the other.
fn results(json: &mut Json<'_>, evaluation: &mut Evaluation) -> Result<(), Error> {
    let mut scorers = Vec::new();
    fields!(|json| {
        "total_samples" => evaluation.total_samples = json.optional(Json::count)?,
        "scores" => { json.optional(|json| json.list(|json| {
            let (mut name, mut scorer, mut reducer) = (None, None, None);
            let mut figures = LogFigures::default();
            fields!(|json| {
                "name" => name = json.optional(Json::text)?,
                "scorer" => scorer = json.optional(Json::text)?,
                "reducer" => reducer = json.optional(Json::text)?,
                "metrics" => { json.optional(|json| json.map(|json, name| metric(json, &name, &mut figures)))?; },
            })?;
            if let Some(name) = name {
                // The name of a part may contain a slash.
                let name = match scorer.filter(|scorer| *scorer != name) {
                    Some(scorer) => format!("{}.{name}", unqualified(scorer)),
                    None => unqualified(name),
                };
                // Of several reducers the first counts.
                evaluation.figures.entry(name.clone()).or_insert(LogFigures { reducer, ..figures });
                scorers.push(name);
            }
            Ok(())
        }))?; },
    })?;
    if !scorers.is_empty() {
        evaluation.scorers = scorers;
    }
    Ok(())
}

/// Reads a metric of a scorer.
fn metric(json: &mut Json<'_>, name: &str, figures: &mut LogFigures) -> Result<(), Error> {
    let (mut number, mut cluster) = (None, None);
    json.optional(|json| {
        fields!(|json| {
            "value" => number = number_of(&json.value()?).filter(|number| number.is_finite()),
            "params" => if let Value::Map(params) = json.value()? {
                cluster = params.get("cluster").and_then(text_of).map(str::to_owned);
            },
        })
    })?;
    match name {
        "accuracy" => figures.mean = number,
        "mean" => figures.mean = figures.mean.or(number),
        "stderr" => (figures.standard_error, figures.cluster) = (number, cluster),
        _ => {}
    }
    Ok(())
}

/// Returns the name without the prefix of its package.
fn unqualified(name: String) -> String {
    name.rsplit('/').next().map_or(name.clone(), str::to_owned)
}
