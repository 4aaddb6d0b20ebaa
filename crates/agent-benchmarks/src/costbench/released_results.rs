use std::collections::{BTreeMap, BTreeSet};

use scoring_rules::checks::setting;
use serde_json::{Value as Json, json};
use tool_graph::costbench::{CostModel, EventKind};

use crate::{
    costbench::{outcome::CostBenchRecord, query::Query, settings::CostBench},
    engines::{
        api::read_openai_chat,
        conversation::{Conversation, ModelError},
    },
    error::Error,
};

/// The runs in a results file that the released benchmark wrote.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReleasedResults {
    /// The model.
    pub model: String,
    /// The runs. Each was replayed: its calls, costs and scores are computed here, from nothing but the replies.
    pub records: Vec<CostBenchRecord>,
    /// The means that the file states, each under the key of the same value in
    /// [`CostBenchFigures`](super::CostBenchFigures). The released task completion ratio counts a right answer even if
    /// the run did not reach the goal.
    pub as_published: BTreeMap<&'static str, f64>,
    /// The number of replies that follow the end of a run according to the rules. They are not replayed.
    pub ignored_replies: usize,
    /// The number of runs whose query has an earlier run in the file. These runs count, too.
    pub repeats: usize,
}

#[derive(serde::Deserialize)]
struct File {
    stats: Stats,
    results: Vec<Row>,
}

#[derive(serde::Deserialize)]
struct Stats {
    model_name: String,
    use_blocker: bool,
    block_mode: Option<String>,
    block_num: usize,
    refinement_level: usize,
    max_tool_steps: usize,
    tool_creation_seed: u64,
    min_atomic_cost: f64,
    max_atomic_cost: f64,
    noise_std: f64,
    #[serde(default)]
    scores: Json,
}

#[derive(serde::Deserialize)]
struct Row {
    query_id: String,
    /// The conversation; a failed run has none.
    #[serde(default)]
    conversation_history: Vec<Said>,
}

#[derive(serde::Deserialize)]
struct Said {
    role: String,
    content: Option<String>,
    tool_calls: Option<Vec<Called>>,
}

#[derive(serde::Deserialize)]
struct Called {
    name: String,
    arguments: String,
}

/// The maximum number of events of a run in a file.
const MOST_EVENTS: usize = 10;

/// The highest refinement level of the benchmark. The number of tools grows fast with the level.
const MOST_LEVEL: usize = 5;

/// The location of each metric's mean in the released file.
const PUBLISHED: [(&str, &str); 4] = [
    ("task_completion_ratio", "/accuracy_metrics/final_answer_accuracy"),
    ("edit_distance", "/tool_path_metrics/avg_edit_distance"),
    ("normalized_edit_distance", "/tool_path_metrics/avg_normalized_edit_distance"),
    ("exact_match_ratio", "/tool_path_metrics/tool_path_exact_match_ratio"),
];

/// Reads the runs of a released file `results_*.json`. `queries` are the queries that
/// [`read_queries`](super::read_queries) has read.
///
/// The replies of the model are replayed in the setting of the file, including its seed, by the released rules. A run whose last
/// reply does not end it, because the server failed, has no outcome. A run that failed before its first reply has no conversation
/// in the file, and no outcome either.
///
/// # Errors
///
/// [`Error::Invalid`] for text that is no such file, and for an unknown query.
pub fn read_results(text: &str, queries: &[Query]) -> Result<ReleasedResults, Error> {
    let File { stats, results } = serde_json::from_str(text).map_err(Error::stored)?;
    let bench = stats.bench()?;
    let by_id: BTreeMap<&str, &Query> = queries.iter().map(|it| (it.id.as_str(), it)).collect();
    let (mut ignored_replies, mut repeats) = (0, 0);
    let mut seen = BTreeSet::new();
    let records = results.iter().map(|row| {
        repeats += usize::from(!seen.insert(row.query_id.as_str()));
        let query = by_id.get(row.query_id.as_str());
        let query =
            query.ok_or_else(|| Error::stored(format!("unknown query {:?}", row.query_id)))?;
        let instance = bench.instance(query);
        let mut conversation = instance.conversation();
        for said in row.conversation_history.iter().filter(|said| said.role == "assistant") {
            match conversation.request() {
                Some(_) => {
                    conversation
                        .reply(read_openai_chat(said.response().to_string().as_bytes())?)?;
                }
                None => ignored_replies += 1,
            }
        }
        if conversation.request().is_some() {
            conversation.fail(&ModelError::new("the log has no further reply"));
        }
        Ok(conversation.finish())
    });
    let published = PUBLISHED
        .iter()
        .filter_map(|(key, place)| Some((*key, stats.scores.pointer(place)?.as_f64()?)));
    let records = records.collect::<Result<_, Error>>()?;
    Ok(ReleasedResults {
        records,
        ignored_replies,
        repeats,
        as_published: published.collect(),
        model: stats.model_name,
    })
}

impl Stats {
    fn bench(&self) -> Result<CostBench, Error> {
        let level = self.refinement_level;
        setting("refinement_level", level as f64, level <= MOST_LEVEL, "from 0 to 5")?;
        let costs = CostModel::new(self.min_atomic_cost, self.max_atomic_cost, self.noise_std)?;
        let bench = CostBench::new(level)?
            .with_cost_model(costs)
            .with_global_seed(self.tool_creation_seed)
            .with_call_limit(self.max_tool_steps);
        let is_valid = self.block_num <= MOST_EVENTS;
        setting("block_num", self.block_num as f64, is_valid, "at most 10")?;
        Ok(match self.block_mode.as_deref().filter(|_| self.use_blocker) {
            None => bench,
            Some("mixed") => bench.with_mixed_events(self.block_num),
            Some("steplen_change") => {
                bench.with_events(vec![EventKind::RemoveTools; self.block_num])
            }
            Some(kind) => bench.with_events(vec![kind.parse()?; self.block_num]),
        })
    }
}

impl Said {
    /// Returns the response of the server that contained this message.
    fn response(&self) -> Json {
        let called = self.tool_calls.as_deref().unwrap_or_default();
        let calls = called.iter().enumerate().map(|(place, call)| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": format!("c{place}"), "type": "function", "function": function})
        });
        let mut message = json!({"role": "assistant", "content": self.content});
        if !called.is_empty() {
            message["tool_calls"] = calls.collect();
        }
        json!({"choices": [{"message": message, "finish_reason": "stop"}]})
    }
}
