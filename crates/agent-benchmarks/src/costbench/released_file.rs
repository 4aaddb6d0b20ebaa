use std::{collections::BTreeSet, sync::Arc};

use tool_graph::costbench::Task;

use crate::{
    costbench::{
        answer::digits,
        preferences::Preferences,
        query::Query,
        released_query::{Entry, ReleasedQuery},
        world::Given,
    },
    error::Error,
};

/// The fields that are read from the file.
#[derive(serde::Deserialize)]
struct Row {
    query_id: String,
    task: String,
    #[serde(rename = "TimeInfo")]
    time: String,
    #[serde(default)]
    location_preference: String,
    preferences: Values,
    groundtruth: String,
    user_requirements: String,
    query: Input,
}

#[derive(serde::Deserialize)]
struct Values {
    category: String,
    tier: String,
    style: String,
    feature_package: String,
}

#[derive(serde::Deserialize)]
struct Input {
    input: String,
}

/// Reads the queries of the released file `env/data/runtime/queries/queries.json`, in its order, with the texts and the
/// identifiers in it.
///
/// The world of such a query numbers its objects like the released one: the same number is used during a whole run, and a change
/// of preferences adopts the preferences of another query of the file.
///
/// Reference: CostBench, section 3.3, and its released data.
///
/// # Errors
///
/// [`Error::Invalid`] with the query for text that is no such file, for values unknown to [`Preferences`], for a repeated id,
/// and for a `groundtruth` whose number differs from the number in the released search space.
///
/// ```
/// use agent_benchmarks::costbench::{CostBench, read_queries};
///
/// let text = r#"[{"query_id": "<Query00281>", "task": "transportation", "TimeInfo": "<TimeInfo03180>",
///     "location_preference": "<LocationPreference00114>", "groundtruth": "<TransportationPreference29063>",
///     "preferences": {"category": "bus", "tier": "standard_class", "style": "comfort_priority",
///         "feature_package": "onboard_connectivity_and_power"},
///     "user_requirements": "A coach, please.", "query": {"input": "To <LocationPreference00114>: a coach."}}]"#;
/// let queries = read_queries(text, 42)?;
/// assert_eq!(queries[0].requirement, "A coach, please.");
/// assert_eq!(CostBench::new(2)?.instance(&queries[0]).query(), &queries[0]);
///
/// let wrong = text.replace("Preference29063", "Preference29064");
/// assert!(read_queries(&wrong, 42).unwrap_err().to_string().contains("<Query00281>"));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
pub fn read_queries(text: &str, global_seed: u64) -> Result<Vec<Query>, Error> {
    let rows: Vec<Row> = serde_json::from_str(text).map_err(Error::stored)?;
    let entries = rows.into_iter().map(|row| {
        let at = |problem: String| Error::stored(format!("{}: {problem}", row.query_id));
        let task: Task =
            row.task.parse().map_err(|_| at(format!("unknown task {:?}", row.task)))?;
        let Values { category, tier, style, feature_package } = &row.preferences;
        let preferences = Preferences::new(task, [category, tier, style, feature_package])
            .map_err(|error| at(error.to_string()))?;
        let number = |id: &str| {
            let digits = digits(id);
            digits.parse().map_err(|_| at(format!("{id:?} has no number")))
        };
        let place = match task {
            Task::Location => None,
            _ => Some(number(&row.location_preference)?),
        };
        let given = Given { time: number(&row.time)?, place };
        let (known, wanted) = (number(&row.groundtruth)?, given.number_of(&preferences, place));
        if known != wanted {
            return Err(at(format!("groundtruth has the number {known}; it must be {wanted}")));
        }
        let (requirement, input) = (row.user_requirements, row.query.input);
        Ok(Entry { id: row.query_id, preferences, requirement, input, given })
    });
    let all: Arc<[Entry]> = entries.collect::<Result<_, Error>>()?;
    let mut ids = BTreeSet::new();
    if let Some(twice) = all.iter().find(|entry| !ids.insert(entry.id.as_str())) {
        return Err(Error::stored(format!("two queries have the id {:?}", twice.id)));
    }
    let query = |(place, entry): (usize, &Entry)| {
        let mut query = Query::new(entry.id.clone(), entry.preferences, global_seed);
        query.requirement.clone_from(&entry.requirement);
        query.released = Some(ReleasedQuery::new(Arc::clone(&all), place));
        query
    };
    Ok(all.iter().enumerate().map(query).collect())
}
