use crate::graph::types::Types;

/// The set of data types that are present at some moment.
///
/// Made by [`ToolGraph::state`](crate::ToolGraph::state). Calls add data types and never remove them.
/// A state can be used with every graph that has the same data types in the same order, such as a
/// clone with other costs or bans.
///
/// ```
/// use tool_graph::{Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
///
/// let start = graph.state(&["query"])?;
/// let mut state = start.clone();
/// graph.apply(0, &mut state)?;
/// assert!(state.is_superset(&start) && !start.is_superset(&state));
/// let names: Vec<&str> = state.iter().map(|number| graph.type_names()[number].as_str()).collect();
/// assert_eq!(names, ["query", "hits"]);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    words: Box<[u64]>,
    types: Types,
}

impl State {
    pub(super) fn empty(types: Types) -> Self {
        Self { words: vec![0; types.count().div_ceil(64)].into(), types }
    }

    /// Returns the data types of the graph that the state belongs to.
    pub(super) fn types(&self) -> Types {
        self.types
    }

    pub(super) fn insert(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// Returns whether the data type at this position is present.
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Returns whether all data types of the other state are present. False if the states belong to graphs
    /// with different data types.
    #[must_use]
    pub fn is_superset(&self, other: &Self) -> bool {
        self.types == other.types && self.words.iter().zip(&other.words).all(|(a, b)| b & !a == 0)
    }

    /// Returns the data types that are present, as ascending positions in
    /// [`ToolGraph::type_names`](crate::ToolGraph::type_names).
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.types.count()).filter(|&number| self.contains(number))
    }
}
