use serde::Deserialize;

use crate::options;

/// The treatment of runs without a grade, such as runs that an error ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UngradedAs {
    /// Runs without a grade may have succeeded or failed. Statements on all runs must hold for every grade that these
    /// runs may have.
    #[default]
    Unknown,
    /// Runs without a grade are excluded. The figures cover only the runs with a grade.
    LeftOut,
    /// Runs without a grade count as failures.
    Failed,
}

options::named! {
    UngradedAs: "unknown" = Self::Unknown, "leave-out" = Self::LeftOut, "failed" = Self::Failed;
}

/// The options for comparing runs. The defaults are those of the command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct CompareOptions {
    /// How runs without a grade count. With unknown, a conclusion must hold for every possible grade of these runs.
    /// With leave-out, the runs are excluded. With failed, they are failures
    #[cfg_attr(feature = "clap", arg(long, default_value = "unknown", value_parser = options::names::<UngradedAs>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub ungraded: UngradedAs,
    /// Compare two columns only on tasks that both of them have. By default, all tasks count, and tasks that both have
    /// make the difference more certain
    #[cfg_attr(feature = "clap", arg(long))]
    pub shared: bool,
    /// Report how many tasks are needed to find a difference of POINTS percentage points with a probability of 80 %.
    /// The points are those of the success rate, or of the mean score times 100
    #[cfg_attr(feature = "clap", arg(long, value_name = "POINTS", value_parser = options::points))]
    #[serde(deserialize_with = "options::read::points")]
    pub detect: Option<f64>,
}
