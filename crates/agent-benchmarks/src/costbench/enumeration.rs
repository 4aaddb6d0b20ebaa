use censoring::StopReason;
use run_logs::{Message, Reply, Role, Run, Score};
use tool_graph::{Episode, PathCoverage};
use trajectory_metrics::tool_calls::Value;

use crate::{
    costbench::{instance::Instance, texts},
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    values::{record::Record, reply_event::ReplyEvent, request::Request},
};

/// A conversation of one request, in which a model lists all ways to solve a query without any call. Made by
/// [`Instance::enumeration`].
///
/// Reference: CostBench, section 5.1. In the paper, a second model counts the paths in the plan that a model writes before its
/// first call; here they are read from tags.
///
/// ```
/// use agent_benchmarks::{Reply, converse, model_from_fn};
/// use agent_benchmarks::costbench::{CostBench, Split, queries};
///
/// let instance = CostBench::new(0)?.instance(&queries(Split::Test, 42)[0]);
/// let text = "<path>Location_Preference_and_Search -> Select_Final_Location</path>\n\
///     <path>1. Decide_Location_Preference (Cost: 23.23)</path>";
/// let model = model_from_fn(|_| Ok(Reply { text: text.to_owned(), ..Reply::default() }));
/// let coverage = converse(instance.enumeration(), model)?.coverage;
/// assert_eq!((coverage.covered, coverage.not_plans, coverage.possible), (1, 1, 3));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EnumerationConversation<'a> {
    instance: &'a Instance,
    dialogue: Dialogue,
    paths: Vec<Vec<String>>,
}

/// The record of an [`EnumerationConversation`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EnumerationRecord {
    /// The run, and the problem with its reply.
    pub record: Record,
    /// The paths that the model listed, as names of tools.
    pub paths: Vec<Vec<String>>,
    /// The share of all plans that the listed paths cover.
    pub coverage: PathCoverage,
}

impl Instance {
    /// Starts a conversation in which the model lists all ways to solve the query in its state before any event.
    #[must_use]
    pub fn enumeration(&self) -> EnumerationConversation<'_> {
        EnumerationConversation::new(self)
    }
}

impl<'a> EnumerationConversation<'a> {
    fn new(instance: &'a Instance) -> Self {
        let query = &instance.query;
        let world = instance.world();
        let tools = Episode::new(&instance.scenario).visible_tools();
        let instructions = texts::enumeration_instructions(instance, &tools);
        let request = Request {
            messages: vec![
                Message::new(Role::System, instructions),
                Message::new(Role::User, texts::request_text(instance, &world)),
            ],
            sampling: instance.settings.sampling.clone(),
            top_logprobs: instance.settings.top_logprobs,
            ..Request::default()
        };
        let mut run = Run::new(query.id.clone());
        run.task = Some(query.task().name().to_owned());
        Self { instance, dialogue: Dialogue::new(run, request), paths: Vec::new() }
    }
}

impl Conversation for EnumerationConversation<'_> {
    type Record = EnumerationRecord;

    through_dialogue!(|it| it.dialogue.problem());

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let paths = listed_paths(&reply.text);
        self.dialogue.take(reply)?;
        if paths.is_empty() {
            let problem = "there is no <path>…</path>".to_owned();
            self.dialogue.note(ReplyEvent::Unreadable { problem });
        }
        self.paths = paths;
        self.dialogue.end(StopReason::Completed);
        Ok(())
    }

    fn finish(self) -> EnumerationRecord {
        let coverage = self.instance.coverage(&self.paths);
        let mut record = self.dialogue.finish();
        let keep = &mut record.run.metadata;
        keep.insert("benchmark".to_owned(), "costbench_paths".into());
        let length = self.instance.settings.task_length();
        keep.insert("task_length".to_owned(), Value::Integer(length as i128));
        let value = coverage.rate().map_or(Value::Null, Value::Real);
        let score = Score { value, ..Score::default() };
        record.run.scores.insert("path_coverage".to_owned(), score);
        EnumerationRecord { record, paths: self.paths, coverage }
    }
}

/// Returns the names of the tools in each pair of path tags. Numbers in front of a path and remarks in brackets after a name are
/// left out.
pub(super) fn listed_paths(text: &str) -> Vec<Vec<String>> {
    let parts = text.split("<path>").skip(1);
    let paths = parts.filter_map(|part| part.split_once("</path>")).map(|(path, _)| path);
    let names = |path: &str| -> Vec<String> {
        let path = path.trim().trim_start_matches(|c: char| c.is_ascii_digit()).trim();
        let path = path.trim_start_matches(['.', ')', ':']).replace('→', "->");
        let names = path
            .split("->")
            .map(|name| name.trim().split(|c: char| !(c.is_alphanumeric() || c == '_')).next());
        names.map(|name| name.unwrap_or_default().to_owned()).collect()
    };
    paths.map(names).collect()
}
