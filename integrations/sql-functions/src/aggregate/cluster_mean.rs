use std::{cmp::Ordering, collections::BTreeMap, mem::size_of};

use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use scoring_rules::{ExactSum, Weight};
use serde::{Deserialize, Serialize};
use trajectory_metrics::{Error, Figure, estimates};

use crate::{
    aggregate::{
        figure::{figure_record, figure_type, level},
        group_state::GroupState,
        stored_state::{invalid, read_json, write_json},
    },
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers, Texts},
    specification::Specification,
};

/// The largest size of a value, as in the library.
const LARGEST: f64 = 1e100;

/// The rows of a cluster.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cluster {
    total: ExactSum,
    rows: u64,
    /// The number of rows at the largest value.
    highest: u64,
}

/// The rows by cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Clusters {
    /// The bits of the least and of the largest value; they may be infinite.
    range: [u64; 2],
    /// Whether a value is neither the least nor the largest one. Without a range, these are 0 and 1.
    has_others: bool,
    named: BTreeMap<String, Cluster>,
}

impl Default for Clusters {
    fn default() -> Self {
        let range = estimates::ANY.map(f64::to_bits);
        Self { range, has_others: false, named: BTreeMap::new() }
    }
}

/// `cluster_mean(x, cluster [, low, high])`. Memory: about 0.6 kB per cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterMeanOfRows {
    clusters: Clusters,
    heap: usize,
}

impl ClusterMeanOfRows {
    fn change(&mut self, name: &str, change: impl FnOnce(&mut Cluster)) {
        if let Some(cluster) = self.clusters.named.get_mut(name) {
            change(cluster);
            return;
        }
        self.heap += size_of::<(String, Cluster)>() + name.len();
        let mut cluster = Cluster::default();
        change(&mut cluster);
        self.clusters.named.insert(name.to_owned(), cluster);
    }

    fn range(&self) -> [f64; 2] {
        self.clusters.range.map(f64::from_bits)
    }

    /// The values that are outcomes if there are no others.
    fn ends(&self) -> [f64; 2] {
        if self.range() == estimates::ANY { estimates::SHARE } else { self.range() }
    }

    /// The library's estimate. If all values are outcomes, each cluster has the rows of its failures and
    /// of its successes; otherwise it has one row, its mean. The weights are the numbers of rows.
    fn figure(&self) -> std::result::Result<Figure, Error> {
        let [low, high] = self.ends();
        let are_outcomes = !self.clusters.has_others && high.is_finite() && low.is_finite();
        let range = if are_outcomes { [low, high] } else { self.range() };
        let (mut values, mut weights, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (name, it) in &self.clusters.named {
            let rows = if are_outcomes {
                // A row that stands for several would pass for an independent outcome.
                let [failures, successes] = [it.rows.saturating_sub(it.highest), it.highest];
                let [one, two] = [failures.min(1), successes.min(1)];
                [(low, one), (low, failures - one), (high, two), (high, successes - two)]
            } else {
                // Rounding must not take a mean out of the range.
                let mean = (it.total.value() / it.rows as f64).clamp(range[0], range[1]);
                [(mean, it.rows), (0.0, 0), (0.0, 0), (0.0, 0)]
            };
            for (value, rows) in rows.into_iter().filter(|row| row.1 > 0) {
                values.push(value);
                weights.push(Weight::new(rows as f64)?);
                names.push(name);
            }
        }
        estimates::mean(&values, Some(&weights), &names, range, level()?)
    }
}

impl GroupState for ClusterMeanOfRows {
    type Columns<'a> = (Numbers<'a>, Texts<'a>, Option<[Numbers<'a>; 2]>);

    const SPECIFICATION: Specification = Specification {
        name: "cluster_mean",
        arguments: &[
            Argument::new("x", Kind::Amount, "The values, from -1e100 to 1e100."),
            Argument::new(
                "cluster",
                Kind::Label,
                "The cluster of each value, for example its task.",
            ),
            Argument::new("low", Kind::Number, "The least possible value, or minus infinity."),
            Argument::new("high", Kind::Number, "The largest possible value, or infinity."),
        ],
        required: 2,
        description: "The mean of rows that are independent only between clusters, with its standard error \
                      and its 95 percent interval, which stays between low and high. Without these, values \
                      that are all 0 or 1 are outcomes, and other values have the interval of Student's t. \
                      Fewer than 6 clusters have no interval.",
        example: "SELECT cluster_mean(score, task) FROM runs",
    };

    fn output() -> DataType {
        figure_type("mean")
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        let range = match arguments.len() {
            2 => None,
            4 => Some([arguments.numbers(2)?, arguments.numbers(3)?]),
            _ => return Err(Self::SPECIFICATION.failed("give both low and high, or none of them")),
        };
        Ok((arguments.numbers(0)?, arguments.texts(1)?, range))
    }

    fn update(&mut self, (x, names, range): &Self::Columns<'_>, row: usize) -> Result<()> {
        if let Some([least, largest]) = range {
            let range = [least.number(row)?, largest.number(row)?];
            if range[0] >= range[1] {
                return Err(largest.place().refuse(range[1], &format!("above low, {}", range[0])));
            }
            if self.clusters.named.is_empty() {
                self.clusters.range = range.map(f64::to_bits);
            } else if self.range() != range {
                let [low, high] = self.range();
                let same = format!("the same in all rows; low and high were {low} and {high}");
                return Err(largest.place().refuse(range[1], &same));
            }
        }
        let (value, [low, high]) = (x.finite(row)?, self.range());
        if !(low.max(-LARGEST)..=high.min(LARGEST)).contains(&value) {
            let [low, high] = [low.max(-LARGEST), high.min(LARGEST)];
            return Err(x.place().refuse(value, &format!("from {low:?} to {high:?}")));
        }
        let [low, high] = self.ends();
        self.clusters.has_others |= value != low && value != high;
        self.change(names.text(row), |cluster| {
            cluster.total.add(value);
            cluster.rows += 1;
            cluster.highest += u64::from(value == high);
        });
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.range() != other.range() {
            return Err(invalid(Self::SPECIFICATION, "low and high are not the same in all rows"));
        }
        self.clusters.has_others |= other.clusters.has_others;
        for (name, more) in other.clusters.named {
            self.change(&name, |cluster| {
                cluster.total.merge(&more.total);
                cluster.rows = cluster.rows.saturating_add(more.rows);
                cluster.highest = cluster.highest.saturating_add(more.highest);
            });
        }
        Ok(())
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        write_json(Self::SPECIFICATION, &self.clusters)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        let clusters: Clusters = read_json(Self::SPECIFICATION, bytes)?;
        let [low, high] = clusters.range.map(f64::from_bits);
        let countable = |it: &Cluster| it.rows > 0 && it.highest <= it.rows;
        if low.partial_cmp(&high) != Some(Ordering::Less) || !clusters.named.values().all(countable)
        {
            return Err(invalid(Self::SPECIFICATION, "a number is out of range"));
        }
        let names: usize = clusters.named.keys().map(String::len).sum();
        let heap = clusters.named.len() * size_of::<(String, Cluster)>() + names;
        Ok(Self { clusters, heap })
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        let figure = self.figure().map_err(|error| Self::SPECIFICATION.failed(error))?;
        figure_record("mean", &figure, self.clusters.named.len())
    }

    fn heap_size(&self) -> usize {
        self.heap
    }
}
