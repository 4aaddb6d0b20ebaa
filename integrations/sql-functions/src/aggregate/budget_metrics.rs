use arrow::{array::BooleanArray, datatypes::DataType};
use budget_estimation::{
    AnswerMode, Error, Estimate, Metrics, MetricsSummary, Rollouts, Sample, Weight, parse_answer,
};
use datafusion_common::{Result, ScalarValue};

use crate::{
    aggregate::{
        group_state::GroupState,
        record::{record, record_type},
        stored_state::{read_json, write_json},
    },
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Numbers, Texts},
    specification::Specification,
};

const PARTS: [(&str, DataType); 9] = [
    ("macro_f1", DataType::Float64),
    ("accuracy", DataType::Float64),
    ("format_rate", DataType::Float64),
    ("hit_rate", DataType::Float64),
    ("interval_reward", DataType::Float64),
    ("mre_p50", DataType::Float64),
    ("mre_p90", DataType::Float64),
    ("optimistic", DataType::Float64),
    ("conservative", DataType::Float64),
];

/// `budget_metrics(answer, remaining, feasible)`. Memory: 16 bytes per row that has an interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct BudgetMetricsOfRows {
    metrics: Metrics,
    /// The number of rows, each of which adds at most one relative error.
    rows: usize,
}

/// The estimate of an answer together with what was still spent.
fn sample(answer: &str, remaining: f64, feasible: bool) -> std::result::Result<Sample, Error> {
    let estimate = parse_answer(answer, AnswerMode::Lenient).unwrap_or(Estimate::NoAnswer);
    let mut rollouts = Rollouts::new(["resource"])?;
    let resource = rollouts.resource("resource")?;
    let run = rollouts.push(&[remaining], feasible)?;
    Sample::new(&rollouts.get(run)?, resource, 0, estimate)
}

impl GroupState for BudgetMetricsOfRows {
    type Columns<'a> = (Texts<'a>, Numbers<'a>, &'a BooleanArray);

    const SPECIFICATION: Specification = Specification {
        name: "budget_metrics",
        arguments: &[
            Argument::new(
                "answer",
                Kind::Text,
                "The answer of the model: <answer>[low, high]</answer> or <answer>impossible</answer>. \
                 Any other text counts as no answer.",
            ),
            Argument::new(
                "remaining",
                Kind::Number,
                "What the run still spent; finite and at least 0. A row with 0 does not count.",
            ),
            Argument::new(
                "feasible",
                Kind::Outcome,
                "Whether the run succeeded within its budget.",
            ),
        ],
        required: 3,
        description: "Metrics of estimates of what a run will still spend: macro F1 and accuracy of \
                      feasibility, share of readable answers, and over feasible rows hit rate, interval \
                      reward, quantiles of the relative error of midpoints, and numbers of misses that were \
                      too low (optimistic) and too high (conservative).",
        example: "SELECT budget_metrics(answer, remaining, feasible) FROM estimates",
    };

    fn output() -> DataType {
        record_type(&PARTS)
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok((arguments.texts(0)?, arguments.numbers(1)?, arguments.outcomes(2)?))
    }

    fn update(
        &mut self,
        (answer, remaining, feasible): &Self::Columns<'_>,
        row: usize,
    ) -> Result<()> {
        let sample = remaining.checked(row, "finite and at least 0", |remaining| {
            sample(answer.text(row), remaining, feasible.value(row))
        })?;
        self.rows += 1;
        self.metrics.update(&sample, Weight::ONE).map_err(|error| Self::SPECIFICATION.failed(error))
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.rows += other.rows;
        self.metrics.merge(&other.metrics).map_err(|error| Self::SPECIFICATION.failed(error))
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        write_json(Self::SPECIFICATION, &self.metrics)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        let metrics = read_json(Self::SPECIFICATION, bytes)?;
        // Each relative error takes at least four bytes of the text.
        Ok(Self { metrics, rows: bytes.len() / 4 })
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        let MetricsSummary { feasibility, intervals, .. } = match self.metrics.finish() {
            Ok(summary) => summary,
            // Nothing remained in any row.
            Err(Error::ScoringRules(scoring_rules::Error::Empty)) => {
                return ScalarValue::try_from(&Self::output());
            }
            Err(error) => return Err(Self::SPECIFICATION.failed(error)),
        };
        let of = intervals.as_ref();
        let values = [
            feasibility.macro_f1,
            Some(feasibility.accuracy),
            Some(feasibility.format_rate),
            of.map(|intervals| intervals.hit_rate),
            of.map(|intervals| intervals.interval_reward),
            of.and_then(|intervals| intervals.mre_p50),
            of.and_then(|intervals| intervals.mre_p90),
            of.map(|intervals| intervals.optimistic),
            of.map(|intervals| intervals.conservative),
        ];
        record(&PARTS, values.map(ScalarValue::Float64).into())
    }

    fn heap_size(&self) -> usize {
        16 * self.rows
    }
}
