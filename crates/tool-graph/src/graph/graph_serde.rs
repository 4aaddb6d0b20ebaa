use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    error::Error,
    graph::{tool::Tool, tool_graph::ToolGraph},
};

/// The stored form of a graph with banned tools.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredGraph {
    tools: Vec<Tool>,
    #[serde(default)]
    banned: Vec<String>,
}

impl ToolGraph {
    /// The names of the banned tools, in library order.
    pub(crate) fn banned_names(&self) -> Vec<String> {
        let banned = (0..self.tool_count()).filter(|&tool| !self.is_available(tool));
        banned.flat_map(|tool| self.tool_names(&[tool])).map(str::to_owned).collect()
    }

    /// Builds a graph in which the tools with these names are banned.
    pub(crate) fn with_banned(tools: Vec<Tool>, banned: &[String]) -> Result<Self, Error> {
        let mut graph = Self::new(tools)?;
        for name in banned {
            let tool = graph.index_of(name)?;
            graph.ban(tool)?;
        }
        Ok(graph)
    }
}

impl Serialize for ToolGraph {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (tools, banned) = (self.tools(), self.banned_names());
        if banned.is_empty() {
            return tools.serialize(serializer);
        }
        StoredGraph { tools, banned }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolGraph {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GraphVisitor)
    }
}

struct GraphVisitor;

impl<'de> Visitor<'de> for GraphVisitor {
    type Value = ToolGraph;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tools, or an object with `tools` and `banned`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<ToolGraph, A::Error> {
        let tools = Vec::deserialize(SeqAccessDeserializer::new(list))?;
        ToolGraph::new(tools).map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<ToolGraph, A::Error> {
        let stored = StoredGraph::deserialize(MapAccessDeserializer::new(object))?;
        ToolGraph::with_banned(stored.tools, &stored.banned).map_err(A::Error::custom)
    }
}
