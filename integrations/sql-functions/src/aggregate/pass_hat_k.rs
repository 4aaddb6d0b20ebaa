use std::{collections::BTreeMap, mem::size_of};

use arrow::{array::BooleanArray, datatypes::DataType};
use datafusion_common::{Result, ScalarValue, exec_datafusion_err};
use serde::{Deserialize, Serialize};
use trajectory_metrics::{Error, ExactMean, estimates, tool_calls::pass_hat_k};

use crate::{
    aggregate::{
        figure::{figure_record, figure_type, level},
        group_state::GroupState,
        stored_state::{invalid, read_json, write_json},
    },
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, Integers, Texts},
    specification::Specification,
};

/// The largest k.
const LARGEST: usize = 1 << 53;

/// `pass_hat_k(success, task, k)`, or `pass_hat_k_interval` with the same arguments. Memory: about 60
/// bytes per task, and its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct PassHatKOfRows<const INTERVAL: bool> {
    tasks: Tasks,
    heap: usize,
}

/// The failures and the successes of each task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tasks {
    k: usize,
    counts: BTreeMap<String, [u64; 2]>,
}

impl<const INTERVAL: bool> PassHatKOfRows<INTERVAL> {
    fn add(&mut self, task: &str, more: [u64; 2]) {
        if let Some(counts) = self.tasks.counts.get_mut(task) {
            for (count, more) in counts.iter_mut().zip(more) {
                *count = count.saturating_add(more);
            }
        } else {
            self.heap += size_of::<(String, [u64; 2])>() + task.len();
            self.tasks.counts.insert(task.to_owned(), more);
        }
    }
}

impl<const INTERVAL: bool> GroupState for PassHatKOfRows<INTERVAL> {
    type Columns<'a> = (&'a BooleanArray, Texts<'a>, Integers<'a>);

    const SPECIFICATION: Specification = Specification {
        name: if INTERVAL { "pass_hat_k_interval" } else { "pass_hat_k" },
        arguments: &[
            Argument::new("success", Kind::Outcome, "Whether the trial succeeded."),
            Argument::new("task", Kind::Label, "The task of the trial."),
            Argument::new(
                "k",
                Kind::Integer,
                "The number of trials that must all succeed, the same in all rows of a group.",
            ),
        ],
        required: 3,
        description: if INTERVAL {
            "pass_hat_k with its standard error and its 95 percent interval over tasks, which needs 6 tasks."
        } else {
            "The probability that k trials of a task all succeed, estimated without bias for each \
             task and averaged over tasks. Higher is better, from 0 to 1. A task with fewer than k \
             trials is an error."
        },
        example: "SELECT pass_hat_k(success, task, 4) FROM trials",
    };

    fn output() -> DataType {
        if INTERVAL { figure_type("pass_hat_k") } else { DataType::Float64 }
    }

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        Ok((arguments.outcomes(0)?, arguments.texts(1)?, arguments.integers(2)?))
    }

    fn update(&mut self, (success, task, k): &Self::Columns<'_>, row: usize) -> Result<()> {
        let wanted = k.positive(row, LARGEST)?;
        if self.tasks.k == 0 {
            self.tasks.k = wanted;
        } else if self.tasks.k != wanted {
            let range = format!("the same in all rows; it was {}", self.tasks.k);
            return Err(k.place().refuse(wanted, &range));
        }
        let success = u64::from(success.value(row));
        self.add(task.text(row), [1 - success, success]);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.tasks.k != other.tasks.k {
            let problem = format!("k is {} and in another state {}", other.tasks.k, self.tasks.k);
            return Err(invalid(Self::SPECIFICATION, problem));
        }
        for (task, more) in other.tasks.counts {
            self.add(&task, more);
        }
        Ok(())
    }

    fn write(&mut self) -> Result<Vec<u8>> {
        write_json(Self::SPECIFICATION, &self.tasks)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        let tasks: Tasks = read_json(Self::SPECIFICATION, bytes)?;
        let countable = |counts: &[u64; 2]| {
            counts[0].checked_add(counts[1]).is_some_and(|trials| (1..=1 << 53).contains(&trials))
        };
        if !(1..=LARGEST).contains(&tasks.k) || !tasks.counts.values().all(countable) {
            return Err(invalid(Self::SPECIFICATION, "a count is out of range"));
        }
        let names: usize = tasks.counts.keys().map(String::len).sum();
        let heap = tasks.counts.len() * size_of::<(String, [u64; 2])>() + names;
        Ok(Self { tasks, heap })
    }

    fn finish(&mut self) -> Result<ScalarValue> {
        let failed = |error: Error| Self::SPECIFICATION.failed(error);
        let of_task = |(task, &[failures, successes]): (&String, &[u64; 2])| {
            let trials = failures.saturating_add(successes);
            pass_hat_k(trials, successes, self.tasks.k as u64).map_err(|error| {
                exec_datafusion_err!("{}: task '{task}': {error}", Self::SPECIFICATION.name)
            })
        };
        let values = self.tasks.counts.iter().map(of_task).collect::<Result<Vec<f64>>>()?;
        if !INTERVAL {
            let mean = values.into_iter().collect::<ExactMean>().finish();
            return Ok(ScalarValue::from(mean.map_err(|error| failed(error.into()))?));
        }
        let names: Vec<&String> = self.tasks.counts.keys().collect();
        let level = level().map_err(|error| failed(error.into()))?;
        let figure = estimates::mean(&values, None, &names, estimates::SHARE, level);
        figure_record("pass_hat_k", &figure.map_err(failed)?, names.len())
    }

    fn heap_size(&self) -> usize {
        self.heap
    }
}
