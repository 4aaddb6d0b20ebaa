use std::collections::BTreeMap;

use arrow::{array::BooleanArray, datatypes::DataType};
use datafusion_common::{Result, ScalarValue};
use scoring_rules::{Seed, TiedBlocks};
use trajectory_metrics::{Bootstrap, Error, Figure, NoInterval, Ranking, auroc};

use crate::{
    aggregate::{
        figure::{figure_record, figure_type, level},
        group_state::GroupState,
        ranked_state::{key, row_of},
        stored_state::{invalid, read_json, write_json},
    },
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers, Texts},
    specification::Specification,
};

/// The largest number of rows that are resampled.
const MOST_ROWS: u64 = (1 << 31) - 1;

/// The memory of a row and its number in a map, on average.
const ROW: usize = 32;

/// `auroc_interval(p, y, cluster)`. Memory: about 32 bytes per distinct row of a cluster, and 0.1 kB per
/// cluster; at the end 20 bytes per row.
#[derive(Clone, Debug, Default)]
pub(crate) struct AurocIntervalOfRows {
    /// The [keys](key) of the rows of each cluster, with their numbers.
    clusters: Clusters,
    heap: usize,
}

type Clusters = BTreeMap<String, BTreeMap<u64, u64>>;

impl AurocIntervalOfRows {
    fn add(&mut self, name: &str, key: u64, more: u64) {
        if !self.clusters.contains_key(name) {
            self.heap += size_of::<(String, BTreeMap<u64, u64>)>() + name.len();
            self.clusters.insert(name.to_owned(), BTreeMap::new());
        }
        if let Some(rows) = self.clusters.get_mut(name) {
            let before = rows.len();
            let count = rows.entry(key).or_default();
            *count = count.saturating_add(more);
            self.heap += ROW * (rows.len() - before);
        }
    }

    /// The library's figure, from all rows.
    fn figure(&self) -> std::result::Result<Figure, Error> {
        let (mut p, mut y, mut clusters) = (Vec::new(), Vec::new(), Vec::new());
        for (rows, cluster) in self.clusters.values().zip(0_u32..) {
            for (&key, &count) in rows {
                let Some((confidence, outcome)) = row_of(key) else { continue };
                let more = p.len() + count as usize;
                p.resize(more, confidence);
                y.resize(more, outcome);
                clusters.resize(more, cluster);
            }
        }
        let level = level()?;
        if self.clusters.len() < 2 {
            let value = auroc(&TiedBlocks::new(&p, &y, None)?)?;
            return Ok(Figure { interval: Err(NoInterval::too_few(1, level)), ..value.into() });
        }
        let ranking = Ranking::new(&p, &y)?;
        let resampled = Bootstrap::clusters(&clusters, Seed(0))?;
        Ok(resampled.auroc(&ranking, Bootstrap::RESAMPLES)?.figure(level))
    }
}

impl GroupState for AurocIntervalOfRows {
    type Columns<'a> = (Numbers<'a>, &'a BooleanArray, Texts<'a>);

    const SPECIFICATION: Specification = Specification {
        name: "auroc_interval",
        arguments: &[
            Argument::CONFIDENCE,
            Argument::OUTCOME,
            Argument::new("cluster", Kind::Label, "The cluster of each row, for example its task."),
        ],
        required: 3,
        description: "The area under the ROC curve of rows that are independent only between clusters, with \
                      its standard error and its 95 percent interval, from 1000 resamples of the clusters. \
                      The interval needs 6 clusters with each outcome. NULL unless both outcomes occur. \
                      Cost: 1000 times that of auroc.",
        example: "SELECT model, auroc_interval(p, y, task) FROM runs GROUP BY model",
    };

    fn output() -> DataType {
        figure_type("auroc")
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok((arguments.numbers(0)?, arguments.outcomes(1)?, arguments.texts(2)?))
    }

    fn update(&mut self, (p, y, names): &Self::Columns<'_>, row: usize) -> Result<()> {
        self.add(names.text(row), key(p.probability(row)?, y.value(row)), 1);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        for (name, rows) in &other.clusters {
            rows.iter().for_each(|(&key, &count)| self.add(name, key, count));
        }
        Ok(())
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        write_json(Self::SPECIFICATION, &self.clusters)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        let clusters: Clusters = read_json(Self::SPECIFICATION, bytes)?;
        if clusters.values().flatten().any(|(&key, &count)| count == 0 || row_of(key).is_none()) {
            return Err(invalid(Self::SPECIFICATION, "a row is out of range"));
        }
        let mut state = Self::default();
        state.merge(Self { clusters, heap: 0 })?;
        Ok(state)
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        let counts = self.clusters.values().flat_map(BTreeMap::values);
        let rows = counts.fold(0_u64, |sum, &count| sum.saturating_add(count));
        if rows > MOST_ROWS {
            let problem = format!("there are {rows} rows; at most {MOST_ROWS} can be resampled");
            return Err(Self::SPECIFICATION.failed(problem));
        }
        match self.figure() {
            Ok(figure) => figure_record("auroc", &figure, self.clusters.len()),
            Err(Error::OneClass { .. }) => ScalarValue::try_from(&Self::output()),
            Err(error) => Err(Self::SPECIFICATION.failed(error)),
        }
    }

    fn heap_size(&self) -> usize {
        self.heap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scoring_rules::Probability;

    #[test]
    fn a_state_that_was_written_is_read_as_it_was_and_other_bytes_are_refused() {
        let row = |p: f64| key(Probability::new(p).unwrap(), true);
        let mut state = AurocIntervalOfRows::default();
        for (name, p) in [("b", 0.5), ("a", 0.25), ("", 1.0), ("a", 0.25)] {
            state.add(name, row(p), 2);
        }
        let bytes = state.write().unwrap();
        let mut read = AurocIntervalOfRows::read(&bytes).unwrap();
        assert_eq!((read.write().unwrap(), read.heap_size()), (bytes.clone(), state.heap_size()));
        let above_one = format!(r#"{{"a":{{"{}":1}}}}"#, 1.5_f64.to_bits() << 1);
        for wrong in [&bytes[1..], b"", br#"{"a":{"0":0}}"#, above_one.as_bytes()] {
            let error = AurocIntervalOfRows::read(wrong).unwrap_err().to_string();
            assert!(error.contains("auroc_interval: a stored state is invalid"), "{error}");
        }
        // More rows than can be resampled do not fill the memory.
        state.add("c", row(0.5), u64::MAX);
        assert!(state.finish().unwrap_err().to_string().contains("can be resampled"));
    }
}
