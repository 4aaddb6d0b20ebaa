//! The options of `costbench`.

use std::path::PathBuf;

use crate::{
    costbench::{query_file, report::Block},
    output::form::Forms,
    values,
};

/// Compares the greedy policy with the cheapest plan over CostBench queries
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, query_file::FORMAT].concat())]
pub(crate) struct Options {
    /// The queries; without a file, 120 queries made up here
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Tasks have L + 3 steps; 0 to 10
    #[arg(long, value_name = "L", default_value = "2", value_parser = level)]
    pub(crate) refinement_level: usize,
    /// Seed of costs and events
    #[arg(long, value_name = "S", default_value = "42", value_parser = values::seed)]
    pub(crate) seed: u64,
    /// Noise of the costs of composite tools
    #[arg(long, value_name = "X", default_value = "0.1", value_parser = values::number)]
    pub(crate) noise_std: f64,
    /// Smallest cost of an atomic tool
    #[arg(long, value_name = "A", default_value = "15", value_parser = values::number)]
    pub(crate) min_cost: f64,
    /// Largest cost of an atomic tool
    #[arg(long, value_name = "B", default_value = "25", value_parser = values::number)]
    pub(crate) max_cost: f64,
    /// Events that change the world during a run: none, ban-tool, preference-change, cost-change,
    /// remove-tools or mixed; `blocked` compares both policies under them (default: none)
    #[arg(long, value_name = "KIND", value_parser = block)]
    pub(crate) block: Option<&'static str>,
    /// Number of events per run (default: 1)
    #[arg(long, value_name = "K", value_parser = whole_number)]
    pub(crate) blocks: Option<usize>,
    /// Rules on which the paper and its released code differ: paper or released; tools are removed, and runs
    /// left out of means, as in the released code with either, as in the published figures
    #[arg(long, value_name = "R", default_value = "paper", value_parser = rules)]
    pub(crate) rules: &'static str,
    /// List the plans of every query
    #[arg(long)]
    pub(crate) paths: bool,
    /// Tables over task lengths, noise, kinds and numbers of events, and seeds
    #[arg(long)]
    pub(crate) sweep: bool,
    /// Refinement levels of a sweep (default: 0,1,2,3,4,5)
    #[arg(long, value_name = "L,...", value_parser = |t: &str| list(t, level))]
    pub(crate) levels: Option<List<usize>>,
    /// Noise levels of a sweep (default: 0.1,0.5,1,5,10)
    #[arg(long, value_name = "X,...", value_parser = |t: &str| list(t, values::number))]
    pub(crate) noises: Option<List<f64>>,
    /// Largest number of events of a sweep, at level 4 (default: 3)
    #[arg(long, value_name = "K", value_parser = whole_number)]
    pub(crate) most_blocks: Option<usize>,
    /// Further seeds of a sweep (default: 1000,2000,3000)
    #[arg(long, value_name = "S,...", value_parser = |t: &str| list(t, values::seed))]
    pub(crate) seeds: Option<List<u64>>,
    /// Bootstrap replicates of a sweep, 0 for no intervals (default: 10000)
    #[arg(long, value_name = "N", value_parser = values::resamples)]
    pub(crate) resamples: Option<usize>,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard costbench --block ban-tool --blocks 2 --paths
";

/// Values between commas; a type of its own, as a bare vector would stand for an option given several times.
pub(crate) type List<T> = std::sync::Arc<[T]>;

fn list<T>(
    text: &str,
    value: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<List<T>, &'static str> {
    text.split(',').map(|part| value(part.trim())).collect()
}

impl Options {
    /// The first option that has another meaning, or none, with or without `--sweep`.
    pub(crate) fn misplaced(&self) -> Option<(&'static str, &'static str)> {
        let only = [
            ("--levels", self.levels.is_some()),
            ("--noises", self.noises.is_some()),
            ("--most-blocks", self.most_blocks.is_some()),
            ("--seeds", self.seeds.is_some()),
            ("--resamples", self.resamples.is_some()),
        ];
        let never = [
            ("--block", self.block.is_some()),
            ("--blocks", self.blocks.is_some()),
            ("--paths", self.paths),
        ];
        let (options, problem) = if self.sweep {
            (&never[..], "a sweep takes events of every kind; leave it out")
        } else {
            (&only[..], "only a sweep has it; give --sweep too")
        };
        options.iter().find(|(_, given)| *given).map(|&(option, _)| (option, problem))
    }
}

/// Every kind of block.
pub(crate) fn blocks() -> impl Iterator<Item = Block> {
    std::iter::once(Block::None).chain(Block::SOME)
}

fn block(name: &str) -> Result<&'static str, &'static str> {
    let known = blocks().map(Block::name).find(|&known| known == name);
    known.ok_or("give none, ban-tool, preference-change, cost-change, remove-tools or mixed")
}

fn rules(name: &str) -> Result<&'static str, &'static str> {
    let known = ["paper", "released"].into_iter().find(|&known| known == name);
    known.ok_or("there are paper and released")
}

fn whole_number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "give a whole number of at least 0")
}

/// A refinement level. The number of composite tools, and with it the time, grows fast with the level.
fn level(text: &str) -> Result<usize, &'static str> {
    whole_number(text).ok().filter(|level| *level <= 10).ok_or("give a whole number from 0 to 10")
}
