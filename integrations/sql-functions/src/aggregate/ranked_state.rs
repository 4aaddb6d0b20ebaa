use std::mem::size_of;

use arrow::array::BooleanArray;
use datafusion_common::{Result, ScalarValue};
use scoring_rules::{ExactSum, Probability, TiedBlocks, Weight};
use trajectory_metrics::Error;

use crate::{
    aggregate::stored_state::invalid,
    arguments::{Arguments, Numbers},
    specification::Specification,
};

/// The least number of rows that are sorted at a time.
const LEAST_PENDING: usize = 1024;

/// The columns of the rank metrics.
pub(crate) struct RankedColumns<'a> {
    p: Numbers<'a>,
    y: &'a BooleanArray,
    w: Option<Numbers<'a>>,
}

impl<'a> RankedColumns<'a> {
    pub(crate) fn new(arguments: &Arguments<'a>) -> Result<Self> {
        let w = arguments.optional(2, Arguments::numbers)?;
        Ok(Self { p: arguments.numbers(0)?, y: arguments.outcomes(1)?, w })
    }
}

/// A multiset of keys, as ascending distinct keys with their counts and a buffer of keys that are
/// not sorted yet.
#[derive(Clone, Debug)]
struct Multiset<K> {
    runs: Vec<(K, u64)>,
    pending: Vec<K>,
}

impl<K> Default for Multiset<K> {
    fn default() -> Self {
        Self { runs: Vec::new(), pending: Vec::new() }
    }
}

impl<K: Copy + Ord> Multiset<K> {
    #[inline]
    fn add(&mut self, key: K) {
        // Sorted when as many keys wait as there are runs: each key is then moved a few times.
        if self.pending.len() >= self.runs.len().max(LEAST_PENDING) {
            self.compact();
        }
        self.pending.push(key);
    }

    /// Moves the waiting keys into the runs.
    fn compact(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        self.pending.sort_unstable();
        let distinct = 1 + self.pending.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let sorted = self.pending.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
        self.runs = merged(std::mem::take(&mut self.runs), sorted, distinct);
        self.pending.clear();
    }

    fn merge(&mut self, mut other: Self) {
        self.compact();
        other.compact();
        let more = other.runs.len();
        self.runs = merged(std::mem::take(&mut self.runs), other.runs.into_iter(), more);
    }

    fn heap_size(&self) -> usize {
        self.runs.capacity() * size_of::<(K, u64)>() + self.pending.capacity() * size_of::<K>()
    }
}

/// Two lists of runs as one. The second has `more` runs.
fn merged<K: Copy + Ord>(
    first: Vec<(K, u64)>,
    second: impl Iterator<Item = (K, u64)>,
    more: usize,
) -> Vec<(K, u64)> {
    let mut second = second.peekable();
    let mut all = Vec::with_capacity(first.len() + more);
    for (key, count) in first {
        while let Some(other) = second.next_if(|other| other.0 < key) {
            all.push(other);
        }
        let more = second.next_if(|other| other.0 == key).map_or(0, |other| other.1);
        all.push((key, count.saturating_add(more)));
    }
    all.extend(second);
    // Many keys occurred in both lists.
    if all.len() < all.capacity() / 4 * 3 {
        all.shrink_to_fit();
    }
    all
}

/// The rows of a rank metric: each distinct row of a probability, an outcome and perhaps a weight,
/// and how often it occurs.
///
/// Memory: at most 16 bytes per distinct pair of a probability and an outcome, or 32 bytes per
/// distinct triple with a weight, and half as much again for rows that wait to be sorted. Results do
/// not depend on the order of the rows, because the rows are sorted.
#[derive(Clone, Debug)]
pub(crate) enum RankedState {
    /// Rows of weight 1, as [keys](key).
    Plain(Multiset64),
    /// Weighted rows, as a key and the bits of the weight.
    Weighted(Multiset128),
}

type Multiset64 = Rows<u64>;
type Multiset128 = Rows<(u64, u64)>;

/// A multiset that is private to this file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<K>(Multiset<K>);

impl Default for RankedState {
    fn default() -> Self {
        Self::Plain(Rows(Multiset::default()))
    }
}

/// A row as an integer, in the order of the probability and then of the outcome. The bits of a
/// probability ascend with it, and the highest one is free.
pub(crate) fn key(p: Probability, y: bool) -> u64 {
    p.get().to_bits() << 1 | u64::from(y)
}

/// The probability and the outcome of a key.
pub(crate) fn row_of(key: u64) -> Option<(Probability, bool)> {
    let p = Probability::new(f64::from_bits(key >> 1)).ok()?;
    Some((p, key & 1 == 1))
}

impl RankedState {
    pub(crate) fn update(&mut self, columns: &RankedColumns<'_>, row: usize) -> Result<()> {
        let key = key(columns.p.probability(row)?, columns.y.value(row));
        match (&mut *self, &columns.w) {
            (Self::Plain(rows), None) => rows.0.add(key),
            (Self::Weighted(rows), Some(w)) => {
                let weight = w.weight(row)?;
                if weight != Weight::ZERO {
                    rows.0.add((key, weight.get().to_bits()));
                }
            }
            // The first row of a state.
            (_, Some(_)) => {
                *self = Self::Weighted(Rows(Multiset::default()));
                self.update(columns, row)?;
            }
            (_, None) => {
                *self = Self::default();
                self.update(columns, row)?;
            }
        }
        Ok(())
    }

    /// Adds all rows of `other`.
    ///
    /// # Errors
    ///
    /// If rows of one have weights and those of the other do not.
    pub(crate) fn merge(&mut self, specification: Specification, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Plain(rows), Self::Plain(more)) => rows.0.merge(more.0),
            (Self::Weighted(rows), Self::Weighted(more)) => rows.0.merge(more.0),
            _ => return Err(invalid(specification, "some rows have weights and others do not")),
        }
        Ok(())
    }

    /// The value of a metric, NULL if there is no row of positive weight or if the metric needs both
    /// outcomes and there is one.
    pub(crate) fn finish(
        &mut self,
        specification: Specification,
        metric: impl Fn(&TiedBlocks) -> std::result::Result<f64, Error>,
    ) -> Result<ScalarValue> {
        let blocks = self.blocks().map_err(Error::from);
        match blocks.and_then(|blocks| metric(&blocks)) {
            Ok(value) => Ok(ScalarValue::Float64(Some(value))),
            Err(
                Error::OneClass { .. }
                | Error::ScoringRules(
                    scoring_rules::Error::Empty | scoring_rules::Error::Undefined { .. },
                ),
            ) => Ok(ScalarValue::Float64(None)),
            Err(error) => Err(specification.failed(error)),
        }
    }

    fn blocks(&mut self) -> std::result::Result<TiedBlocks, scoring_rules::Error> {
        match self {
            Self::Plain(rows) => {
                rows.0.compact();
                blocks(rows.0.runs.iter().map(|&(key, count)| (key, count as f64)))
            }
            Self::Weighted(rows) => {
                rows.0.compact();
                blocks(rows.0.runs.chunk_by(|a, b| a.0.0 == b.0.0).map(|rows| {
                    let mut sum = ExactSum::default();
                    for &((_, weight), count) in rows {
                        sum.add_product(f64::from_bits(weight), count as f64);
                    }
                    (rows[0].0.0, sum.value())
                }))
            }
        }
    }

    /// A first byte, 0 for plain and 1 for weighted rows, and the runs in 64-bit words with the lowest
    /// byte first.
    pub(crate) fn write(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Plain(rows) => {
                rows.0.compact();
                bytes.reserve_exact(1 + 16 * rows.0.runs.len());
                bytes.push(0);
                for &(key, count) in &rows.0.runs {
                    bytes.extend(key.to_le_bytes());
                    bytes.extend(count.to_le_bytes());
                }
            }
            Self::Weighted(rows) => {
                rows.0.compact();
                bytes.reserve_exact(1 + 24 * rows.0.runs.len());
                bytes.push(1);
                for &((key, weight), count) in &rows.0.runs {
                    bytes.extend(key.to_le_bytes());
                    bytes.extend(weight.to_le_bytes());
                    bytes.extend(count.to_le_bytes());
                }
            }
        }
        bytes
    }

    /// Reads what [`RankedState::write`] returns.
    ///
    /// # Errors
    ///
    /// For anything else: another length, rows that do not ascend, numbers out of range.
    pub(crate) fn read(specification: Specification, bytes: &[u8]) -> Result<Self> {
        let read = match bytes.split_first() {
            Some((0, rest)) => read_runs::<2, _>(rest, |[key, count]| {
                row_of(key)?;
                Some((key, count))
            })
            .map(|runs| Self::Plain(Rows(Multiset { runs, pending: Vec::new() }))),
            Some((1, rest)) => read_runs::<3, _>(rest, |[key, weight, count]| {
                row_of(key)?;
                let valid = Weight::new(f64::from_bits(weight)).ok()?;
                (valid != Weight::ZERO).then_some(((key, weight), count))
            })
            .map(|runs| Self::Weighted(Rows(Multiset { runs, pending: Vec::new() }))),
            _ => None,
        };
        read.ok_or_else(|| invalid(specification, "it is not a list of ascending rows"))
    }

    pub(crate) fn heap_size(&self) -> usize {
        match self {
            Self::Plain(rows) => rows.0.heap_size(),
            Self::Weighted(rows) => rows.0.heap_size(),
        }
    }
}

/// The blocks of rows, each a key and its weight, in ascending order.
fn blocks(
    rows: impl Iterator<Item = (u64, f64)>,
) -> std::result::Result<TiedBlocks, scoring_rules::Error> {
    let mut invalid = None;
    let mut blocks = TiedBlocks::default();
    let filled = blocks.refill(rows.map_while(|(key, weight)| {
        let (p, y) = row_of(key)?;
        match Weight::new(weight) {
            Ok(weight) => Some((p, y, weight)),
            Err(error) => {
                invalid = Some(error);
                None
            }
        }
    }));
    invalid.map_or(filled, Err).map(|()| blocks)
}

/// Runs of N words each, in ascending order of their keys.
fn read_runs<const N: usize, K: Copy + Ord>(
    bytes: &[u8],
    run: impl Fn([u64; N]) -> Option<(K, u64)>,
) -> Option<Vec<(K, u64)>> {
    let (words, rest) = bytes.as_chunks::<8>();
    let (records, incomplete) = words.as_chunks::<N>();
    if !rest.is_empty() || !incomplete.is_empty() {
        return None;
    }
    let runs: Vec<(K, u64)> =
        records.iter().map(|record| run(record.map(u64::from_le_bytes))).collect::<Option<_>>()?;
    let valid = runs.is_sorted_by(|a, b| a.0 < b.0) && runs.iter().all(|run| run.1 > 0);
    valid.then_some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::{
        group_state::GroupState,
        ranks::{Auroc, Ranked},
    };

    fn state(rows: &[(f64, bool)]) -> RankedState {
        let mut state = Multiset::default();
        rows.iter().for_each(|&(p, y)| state.add(key(Probability::new(p).unwrap(), y)));
        RankedState::Plain(Rows(state))
    }

    #[test]
    fn a_state_that_was_written_is_read_as_it_was() {
        let mut first = state(&[(0.5, true), (0.0, false), (0.5, true), (1.0, true)]);
        let bytes = first.write();
        assert_eq!(bytes.len(), 1 + 3 * 16);
        let mut second = RankedState::read(Ranked::<Auroc>::SPECIFICATION, &bytes).unwrap();
        assert_eq!(second.write(), bytes);
    }

    #[test]
    fn bytes_that_are_no_state_are_refused() {
        let valid = state(&[(0.25, true), (0.5, true)]).write();
        let words = |words: &[u64]| {
            let mut bytes = vec![words[0] as u8];
            words[1..].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            bytes
        };
        let half = key(Probability::HALF, true);
        let above_one = 1.5_f64.to_bits() << 1;
        let weight = 1.0_f64.to_bits();
        let cases = [
            vec![],
            vec![2],
            valid[..valid.len() - 1].to_vec(),
            valid[..valid.len() - 8].to_vec(),
            words(&[0, half, 0]),
            words(&[0, half, 1, half, 1]),
            words(&[0, half, 1, half - 2, 1]),
            words(&[0, above_one, 1]),
            words(&[0, u64::MAX, 1]),
            words(&[1, half, 0, 1]),
            words(&[1, half, f64::NAN.to_bits(), 1]),
            words(&[1, half, weight, 1, half, weight, 2]),
        ];
        for bytes in cases {
            let error = RankedState::read(Ranked::<Auroc>::SPECIFICATION, &bytes).unwrap_err();
            assert!(error.to_string().contains("auroc: a stored state is invalid"), "{bytes:?}");
        }
        assert!(
            RankedState::read(Ranked::<Auroc>::SPECIFICATION, &words(&[1, half, weight, 1]))
                .is_ok()
        );
    }

    #[test]
    fn memory_is_bounded_by_the_number_of_distinct_rows() {
        let mut state = Multiset::default();
        for i in 0..1_000_000_u64 {
            state.add(key(Probability::new((i % 1_000) as f64 / 1e3).unwrap(), i % 3 == 0));
        }
        assert!(state.heap_size() <= 2_000 * 16 + 2 * 2_000 * 8, "{}", state.heap_size());
        state.compact();
        assert_eq!(state.runs.len(), 2_000);
        assert_eq!(state.runs.iter().map(|run| run.1).sum::<u64>(), 1_000_000);
    }
}
