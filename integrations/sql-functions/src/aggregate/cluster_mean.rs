use std::{collections::BTreeMap, mem::size_of};

use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use scoring_rules::{ExactSum, Level, Weight};
use serde::{Deserialize, Serialize};
use trajectory_metrics::{ClusterEstimate, Error};

use crate::{
    aggregate::{
        group_state::GroupState,
        record::{record, record_type},
        stored_state::{invalid, read_json, write_json},
    },
    columns::{Arguments, Numbers, Texts},
    specification::{Argument, Kind, Specification},
};

/// The coverage of the interval.
const COVERAGE: f64 = 0.95;

const PARTS: [(&str, DataType); 5] = [
    ("mean", DataType::Float64),
    ("standard_error", DataType::Float64),
    ("low", DataType::Float64),
    ("high", DataType::Float64),
    ("clusters", DataType::Int64),
];

/// The rows of a cluster.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cluster {
    total: ExactSum,
    rows: u64,
}

/// `cluster_mean(x, cluster)`. Memory: about 0.6 kB per cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterMeanOfRows {
    clusters: BTreeMap<String, Cluster>,
    heap: usize,
}

impl ClusterMeanOfRows {
    fn change(&mut self, name: &str, change: impl FnOnce(&mut Cluster)) {
        if let Some(cluster) = self.clusters.get_mut(name) {
            change(cluster);
            return;
        }
        self.heap += size_of::<(String, Cluster)>() + name.len();
        let mut cluster = Cluster::default();
        change(&mut cluster);
        self.clusters.insert(name.to_owned(), cluster);
    }

    /// The library's estimate from one row per cluster: its mean, with the number of its rows as weight.
    fn estimate(&self) -> std::result::Result<ClusterEstimate, Error> {
        let names: Vec<&str> = self.clusters.keys().map(String::as_str).collect();
        let mean = |it: &Cluster| it.total.value() / it.rows as f64;
        let means: Vec<f64> = self.clusters.values().map(mean).collect();
        let weights: Vec<Weight> = self
            .clusters
            .values()
            .map(|it| Weight::new(it.rows as f64))
            .collect::<std::result::Result<_, _>>()?;
        ClusterEstimate::mean(&means, Some(&weights), &names)
    }
}

impl GroupState for ClusterMeanOfRows {
    type Columns<'a> = (Numbers<'a>, Texts<'a>);

    const SPECIFICATION: Specification = Specification {
        name: "cluster_mean",
        arguments: &[
            Argument::new("x", Kind::Number, "The values; finite."),
            Argument::new(
                "cluster",
                Kind::Label,
                "The cluster of each value, for example its task.",
            ),
        ],
        required: 2,
        description: "The mean of rows that are independent only between clusters, with its standard error \
                      and its 95 percent interval (Student's t). NULL with fewer than two clusters.",
        example: "SELECT cluster_mean(score, task) FROM runs",
    };

    fn output() -> DataType {
        record_type(&PARTS)
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok((arguments.numbers(0)?, arguments.texts(1)?))
    }

    fn update(&mut self, (x, names): &Self::Columns<'_>, row: usize) -> Result<()> {
        let value = x.finite(row)?;
        self.change(names.text(row), |cluster| {
            cluster.total.add(value);
            cluster.rows += 1;
        });
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        for (name, more) in other.clusters {
            self.change(&name, |cluster| {
                cluster.total.merge(&more.total);
                cluster.rows = cluster.rows.saturating_add(more.rows);
            });
        }
        Ok(())
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        write_json(Self::SPECIFICATION, &self.clusters)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        let clusters: BTreeMap<String, Cluster> = read_json(Self::SPECIFICATION, bytes)?;
        if clusters.values().any(|cluster| cluster.rows == 0) {
            return Err(invalid(Self::SPECIFICATION, "a cluster has no rows"));
        }
        let names: usize = clusters.keys().map(String::len).sum();
        let heap = clusters.len() * size_of::<(String, Cluster)>() + names;
        Ok(Self { clusters, heap })
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        if self.clusters.len() < 2 {
            return ScalarValue::try_from(&Self::output());
        }
        let failed = |error: Error| Self::SPECIFICATION.failed(error);
        let estimate = self.estimate().map_err(failed)?;
        let level = Level::new(COVERAGE).map_err(|error| failed(error.into()))?;
        let ends = match estimate.interval(level) {
            Ok(interval) => [Some(interval.low()), Some(interval.high())],
            Err(Error::NoInterval(_)) => [None; 2],
            Err(error) => return Err(failed(error)),
        };
        let numbers = [Some(estimate.estimate), Some(estimate.standard_error), ends[0], ends[1]];
        let mut values: Vec<ScalarValue> = numbers.map(ScalarValue::from).into();
        values.push(ScalarValue::from(estimate.clusters as i64));
        record(&PARTS, values)
    }

    fn heap_size(&self) -> usize {
        self.heap
    }
}
