use std::collections::BTreeMap;

use crate::values::caller::Caller;

/// The spans of a sample's events, which tell who called a model.
#[derive(Default)]
pub(crate) struct Spans {
    by_id: BTreeMap<String, Kind>,
}

/// What the spans around an event say, from the outermost to the innermost.
#[derive(Clone, Debug, Default)]
struct Kind {
    is_grader: bool,
    /// Whether an agent or a tool is around, so that a further agent is a subagent.
    in_agent: bool,
    subagent: Option<String>,
}

impl Spans {
    /// Notes the beginning of a span, which inherits what is known of its parent.
    pub(crate) fn begin(
        &mut self,
        id: String,
        parent: Option<&str>,
        kind: Option<&str>,
        name: Option<String>,
    ) {
        let mut span = parent.and_then(|id| self.by_id.get(id)).cloned().unwrap_or_default();
        match kind {
            Some("scorers" | "scorer") => span.is_grader = true,
            Some("agent" | "handoff") if span.in_agent => span.subagent = name.or(span.subagent),
            Some("agent" | "handoff" | "tool") => span.in_agent = true,
            _ => {}
        }
        self.by_id.insert(id, span);
    }

    /// Who calls a model in a span; `role` is the role of the model.
    pub(crate) fn caller(&self, span: Option<&str>, role: Option<&str>) -> Caller {
        let span = span.and_then(|id| self.by_id.get(id));
        match span {
            _ if role == Some("grader") => Caller::Grader,
            Some(span) if span.is_grader => Caller::Grader,
            Some(Kind { subagent: Some(name), .. }) => Caller::Subagent(name.clone()),
            _ => Caller::Agent,
        }
    }
}
