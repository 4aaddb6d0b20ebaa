//! Each option of an evaluation is one field, which a command line and serde read in the same way.

use std::{collections::BTreeSet, fmt::Debug};

use agent_scorecard::{
    budget,
    compare::CompareOptions,
    costbench::{CostbenchOptions, WorldOptions},
    cut_off::CutOffOptions,
    paths::PathOptions,
    traces::TraceOptions,
    triage::TriageOptions,
};
use clap::{Args, Command};
use serde::de::DeserializeOwned;

/// The names of options that Python calls otherwise.
const OTHER_NAMES: [&str; 2] = ["n_resamples", "random_state"];

fn from_line<T: Args>(line: &[&str]) -> Result<T, clap::Error> {
    let command = T::augment_args(Command::new("it"));
    T::from_arg_matches(&command.try_get_matches_from([&["it"], line].concat())?)
}

fn of_line<T: Args>() -> BTreeSet<String> {
    let command = T::augment_args(Command::new("it"));
    command.get_arguments().map(|it| it.get_long().unwrap().replace('-', "_")).collect()
}

fn of_serde<T: DeserializeOwned + Debug>() -> BTreeSet<String> {
    let refused = serde_json::from_str::<T>(r#"{"nothing": 1}"#).unwrap_err().to_string();
    let names = refused.split('`').skip(1).step_by(2).map(str::to_owned);
    names.filter(|name| name != "nothing" && !OTHER_NAMES.contains(&name.as_str())).collect()
}

/// Both have these options with these defaults; of those in `inner`, serde has an object of its own.
fn check<T: Args + DeserializeOwned + Debug + Default>(inner: &BTreeSet<String>) {
    let names = of_line::<T>();
    assert_eq!(names.difference(inner).cloned().collect::<BTreeSet<_>>(), of_serde::<T>());
    let default = format!("{:?}", T::default());
    assert_eq!(format!("{:?}", from_line::<T>(&[]).unwrap()), default);
    assert_eq!(format!("{:?}", serde_json::from_str::<T>("{}").unwrap()), default);
}

#[test]
fn a_command_line_and_serde_have_the_same_options_and_defaults() {
    let none = BTreeSet::new();
    check::<CompareOptions>(&none);
    check::<TraceOptions>(&none);
    check::<CutOffOptions>(&none);
    check::<PathOptions>(&none);
    check::<WorldOptions>(&none);
    check::<CostbenchOptions>(&of_line::<WorldOptions>());
    check::<TriageOptions>(&none);
    check::<budget::Options>(&none);
    check::<budget::CapOptions>(&none);
}

#[test]
fn a_value_is_read_and_refused_alike() {
    let both = |option: &str, value: &str| {
        let line = from_line::<TraceOptions>(&[&format!("--{option}={value}")]);
        let value: serde_json::Value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        let read = serde_json::from_value(serde_json::json!({option.replace('-', "_"): value}));
        (line.map_err(|it| it.to_string()), read.map_err(|it: serde_json::Error| it.to_string()))
    };
    for (option, value) in [
        ("schedule", "uniform"),
        ("summary", "minimum"),
        ("calibrate", "platt"),
        ("resamples", "7"),
        ("seed", "18446744073709551615"),
        ("cluster-by", "task-only"),
        ("missing", "carry-forward-from=0.25"),
    ] {
        let (line, read) = both(option, value);
        assert_eq!(line.unwrap(), read.unwrap(), "{option}");
    }
    for (option, value) in [
        ("schedule", "steep"),
        ("summary", "longest"),
        ("calibrate", "spline"),
        ("resamples", "-1"),
        ("seed", "1.5"),
        ("resamples", "10000000"),
        ("cluster-by", "model"),
        ("missing", "carry-forward-from=2"),
    ] {
        let (line, read) = both(option, value);
        assert!(line.unwrap_err().contains(value), "{option}");
        assert!(read.unwrap_err().contains(value), "{option}");
    }
}
