use std::collections::HashMap;

use crate::{
    formats::otlp::{
        attributes::{Fact, Kind},
        span::Span,
        step::Step,
    },
    values::run::Caller,
};

/// How spans lie in each other. Parents that are missing, and cycles of parents, end at a span without one.
#[derive(Debug)]
pub(crate) struct Tree {
    /// All spans, each after the one around it.
    pub(crate) order: Vec<usize>,
    pub(crate) parent: Vec<Option<usize>>,
    /// The innermost agent or tool around each span.
    pub(crate) owner: Vec<Option<usize>>,
    /// The innermost model call around each span, without an agent or a tool between them.
    pub(crate) call: Vec<Option<usize>>,
    /// The innermost tool around each span, without an agent or a model call between them.
    pub(crate) tool: Vec<Option<usize>>,
    /// Who calls models within each span, if that is not an agent.
    pub(crate) role: Vec<Option<Caller>>,
}

impl Tree {
    pub(crate) fn new(spans: &[Span], steps: &[Step]) -> Self {
        let n = spans.len();
        // The id of a span is one of its trace.
        let by_id: HashMap<[&str; 2], usize> =
            spans.iter().enumerate().map(|(at, span)| ([&*span.trace, &*span.id], at)).collect();
        let around = |span: &Span| by_id.get(&[&*span.trace, &*span.parent]).copied();
        let mut parent: Vec<Option<usize>> = spans.iter().map(around).collect();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (at, parent) in parent.iter().enumerate() {
            parent.iter().for_each(|&parent| below[parent].push(at));
        }
        let mut order = Vec::with_capacity(n);
        let mut is_seen = vec![false; n];
        // After those below the roots, only those of cycles are left.
        let (roots, others): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|&at| parent[at].is_none());
        for root in roots.into_iter().chain(others) {
            if is_seen[root] {
                continue;
            }
            parent[root] = None;
            let mut next = vec![root];
            while let Some(at) = next.pop() {
                if !std::mem::replace(&mut is_seen[at], true) {
                    order.push(at);
                    next.extend(below[at].iter().rev());
                }
            }
        }
        let none = || vec![None; n];
        let mut tree =
            Self { order, parent, owner: none(), call: none(), tool: none(), role: vec![None; n] };
        for &at in &tree.order {
            tree.role[at] = role(&spans[at]);
            let Some(parent) = tree.parent[at] else { continue };
            let kind = steps[parent].kind;
            let is_owner = matches!(kind, Some(Kind::Agent | Kind::Tool));
            tree.owner[at] = if is_owner { Some(parent) } else { tree.owner[parent] };
            (tree.call[at], tree.tool[at]) = match kind {
                Some(Kind::ModelCall) => (Some(parent), None),
                Some(Kind::Tool) => (None, Some(parent)),
                Some(Kind::Agent) => (None, None),
                None => (tree.call[parent], tree.tool[parent]),
            };
            tree.role[at] = tree.role[at].take().or_else(|| tree.role[parent].clone());
        }
        tree
    }
}

fn role(span: &Span) -> Option<Caller> {
    match span.text(Fact::Kind)?.to_ascii_lowercase().as_str() {
        "evaluator" => Some(Caller::Grader),
        "guardrail" => Some(Caller::Role("guardrail".to_owned())),
        _ => None,
    }
}
