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
/// let (start, query) = (graph.state(&["query"])?, graph.type_index("query"));
/// let mut state = start.clone();
/// graph.apply(0, &mut state)?;
/// assert!(state.is_superset(&start) && !start.is_superset(&state));
/// assert!(query.is_some_and(|query| state.contains(query)));
/// assert_eq!((start.len(), state.len(), state.is_empty()), (1, 2, false));
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

    /// The data types of the graph that the state belongs to.
    pub(super) fn types(&self) -> Types {
        self.types
    }

    pub(super) fn insert(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// Whether the data type at this position of
    /// [`ToolGraph::type_names`](crate::ToolGraph::type_names) is present.
    #[must_use]
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether all data types of the other state are present. False if the states belong to graphs
    /// with different data types.
    #[must_use]
    pub fn is_superset(&self, other: &Self) -> bool {
        self.types == other.types && self.words.iter().zip(&other.words).all(|(a, b)| b & !a == 0)
    }

    /// The number of data types that are present.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no data type is present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The positions of the data types that are present, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.types.count()).filter(|&number| self.contains(number))
    }
}

/// The stored form of a state. The fingerprint of the type names ties it to its graph: with another
/// graph, the state that is read leads to [`Error::OtherGraph`](crate::Error::OtherGraph).
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredState {
    /// The fingerprint of the names of all data types of the graph.
    graph_types: String,
    /// One digit per data type of the graph: 1 if it is present, 0 if not.
    present: String,
}

#[cfg(feature = "serde")]
impl serde::Serialize for State {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digit = |number| if self.contains(number) { '1' } else { '0' };
        let stored = StoredState {
            graph_types: self.types.fingerprint(),
            present: (0..self.types.count()).map(digit).collect(),
        };
        stored.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for State {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;

        let stored = StoredState::deserialize(deserializer)?;
        let types = u32::try_from(stored.present.len())
            .ok()
            .and_then(|count| Types::stored(count, &stored.graph_types))
            .ok_or_else(|| {
                D::Error::custom("graph_types must be 16 hexadecimal digits in lower case")
            })?;
        let mut state = Self::empty(types);
        for (number, digit) in stored.present.bytes().enumerate() {
            match digit {
                b'0' => {}
                b'1' => state.insert(number as u32),
                _ => return Err(D::Error::custom("present must consist of the digits 0 and 1")),
            }
        }
        Ok(state)
    }
}
