//! The subcommand `run costbench`.

use std::error::Error;

use agent_benchmarks::{
    client::ExpectedRequests,
    costbench::{
        CostBench, CostBenchRecord, CostModel, EnvironmentRules, EventKind, Instance, Objective,
        Prompts, Query, ReplyRules, RuleVersion, Split, queries, read_queries,
    },
};
use agent_scorecard::{convert, costbench::Blocking, live, options};
use run_logs::{ConfidenceStream, FactRules, ForecastPolicy, RunTable, StreamOptions};

use crate::{
    costbench::QUERIES,
    output::program,
    plain,
    run::{
        asking::{Asking, Finished, Protocol},
        common::Common,
    },
};

/// The model answers travel requests by calling tools, and is asked to do so at the lowest cost
#[derive(Debug, clap::Args)]
#[command(
    after_help = include_str!("../help/run_costbench.txt"),
    mut_arg("max_output_tokens", |it| it.default_value("16384"))
)]
pub(crate) struct Options {
    #[command(flatten)]
    common: Common,
    /// Refinement level of the tasks, from 0 to 5. Tasks of level L have L + 3 steps
    #[arg(long, value_name = "L", default_value_t = 2, value_parser = options::whole::<usize>(0, 5))]
    level: usize,
    /// Kinds of events that change the tools during a run, in order, separated by commas; mixed draws the kinds at
    /// random for each query
    #[arg(long, value_name = "KINDS", default_value = "none", value_delimiter = ',', value_parser = options::names::<Blocking>())]
    block: Vec<Blocking>,
    /// Number of times that the events of --block occur in a run
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = options::whole::<usize>(1, 10))]
    blocks: usize,
    /// Number of test queries to use, from 1 to 381. They are spread evenly over the tasks
    #[arg(long, value_name = "N", default_value_t = 381, value_parser = options::whole::<usize>(1, 381))]
    queries: usize,
    /// Seed of costs and events and, without --published, of the wishes in the requests
    #[arg(long, value_name = "S", default_value_t = 42, value_parser = options::seed)]
    global_seed: u64,
    /// Standard deviation of the noise in the costs of composite tools
    #[arg(long, value_name = "X", default_value_t = 0.1, value_parser = options::number)]
    noise_std: f64,
    /// Rules to follow where the paper and its released code differ: released (code) or paper
    #[arg(long, value_name = "R", default_value = "released", value_parser = options::one_of([("released", RuleVersion::Released), ("paper", RuleVersion::PaperText)]))]
    rules: RuleVersion,
    /// Which replies to accept: released accepts what the released code accepts; strict accepts only replies that
    /// follow the instructions, and answers other replies with a reminder
    #[arg(long, value_name = "R", default_value = "released", value_parser = options::one_of([("released", ReplyRules::RELEASED), ("strict", ReplyRules::STRICT)]))]
    replies: ReplyRules,
    /// Ask for a confidence in each reply: completed asks how likely the model is to reach the right answer, optimal
    /// how likely the model is to do so at the lowest cost. The confidence is scored and written to NAME.jsonl in the
    /// folder, which the subcommand `traces` can read
    #[arg(long, value_name = "IN", value_parser = options::one_of(Objective::ALL.map(|it| (it.name(), it))))]
    confidence: Option<Objective>,
    /// Ask the server for log-probabilities, with N alternatives for each token (0 to 20)
    #[arg(long, value_name = "N", value_parser = options::whole::<u8>(0, 20))]
    logprobs: Option<u8>,
}

impl Options {
    fn bench(&self) -> Result<CostBench, Box<dyn Error>> {
        let rules = match self.rules {
            RuleVersion::Released => EnvironmentRules::RELEASED,
            RuleVersion::PaperText => EnvironmentRules::PAPER_TEXT,
        };
        let kinds = self.block.iter().filter_map(|block| match block {
            Blocking::Kind(kind) => Some(*kind),
            Blocking::None | Blocking::Mixed => None,
        });
        let kinds: Vec<EventKind> = kinds.collect();
        let bench = CostBench::new(self.level)?
            .with_cost_model(
                CostModel::new(15.0, 25.0, self.noise_std)
                    .map_err(|error| format!("--noise-std: {error}"))?,
            )
            .with_global_seed(self.global_seed)
            .with_rules(rules)
            .with_reply_rules(self.replies)
            .with_sampling(self.common.sampling())
            .with_top_logprobs(self.logprobs);
        let bench = match self.confidence {
            Some(objective) => bench.with_confidence(objective),
            None => bench,
        };
        let bench = match (&self.block[..], kinds.len() == self.block.len()) {
            ([Blocking::Mixed], _) => bench.with_mixed_events(self.blocks),
            ([Blocking::None], _) | (_, true) => bench.with_events(kinds.repeat(self.blocks)),
            _ => {
                return Err(
                    "--block: none and mixed cannot be combined; give no other kind with them"
                        .into(),
                );
            }
        };
        Ok(match self.common.texts(Prompts::FILES)? {
            None => bench,
            Some(texts) => bench.with_prompts(Prompts::published(&texts)?)?,
        })
    }

    fn all_queries(&self) -> Result<Vec<Query>, Box<dyn Error>> {
        Ok(match self.common.texts(&[QUERIES])? {
            None => queries(Split::Test, self.global_seed),
            Some(texts) => read_queries(&texts[QUERIES], self.global_seed)
                .map_err(|error| format!("--published: {QUERIES}: {error}"))?,
        })
    }

    /// Writes each stream that a run has as a file of traces.
    fn write_streams(&self, records: &[CostBenchRecord]) -> Result<(), Box<dyn Error>> {
        let judged = |it: &CostBenchRecord| it.objective.map(|by| Ok(it.judged_by(by).run));
        let runs = records.iter().filter_map(judged);
        let policy = FactRules::default();
        let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
        for stream in ConfidenceStream::ALL {
            let lines = convert::traces(&table, stream, ForecastPolicy::LeaveOut)?;
            if lines.iter().any(|line| line.get("forecasts").is_some()) {
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                let path = self.common.out.join(format!("{stream}.jsonl"));
                program::write_file(&path, plain::json(text).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns the requested number of queries, spread evenly over all.
    fn instances(&self) -> Result<Vec<(String, Instance)>, Box<dyn Error>> {
        let (bench, all) = (self.bench()?, self.all_queries()?);
        let wanted = self.queries.min(all.len());
        let chosen = (0..wanted).map(|i| &all[i * all.len() / wanted]);
        Ok(chosen.map(|query| (query.id.clone(), bench.instance(query))).collect())
    }
}

impl Protocol for Options {
    const NAME: &'static str = "costbench";
    const FORM: &'static str = "a call of a tool, or <answer>...</answer>";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        let Self { level, block, blocks, global_seed, noise_std, rules, .. } = self;
        let events: Vec<&str> = block.iter().map(|block| block.name()).collect();
        let events = events.join(",");
        let replies = if self.replies == ReplyRules::STRICT { "strict" } else { "released" };
        let texts = self.common.name_of_texts();
        format!(
            "level {level}, events {events} times {blocks}, seed {global_seed}, noise {noise_std}, rules {rules:?}, \
             replies {replies}, logprobs {:?}, {texts}{}",
            self.logprobs,
            self.confidence.map_or(String::new(), |it| format!(", confidence {}", it.name())),
        )
    }

    fn expect(&self, expected: &mut ExpectedRequests<'_>) -> Result<(), Box<dyn Error>> {
        if self.logprobs.is_some() {
            self.common.check_logprobs("--logprobs")?;
        }
        for (name, instance) in self.instances()? {
            // As many calls as on the optimal path, and the answer.
            let requests = instance.reference().calls.len() + 1;
            expected.add(&name, instance.conversation(), [requests; 2])?;
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let instances = self.instances()?;
        let records = asking.run(Self::NAME, &instances, |it| it.conversation())?;
        self.write_streams(&records)?;
        let report = live::costbench(&records, &self.common.live())?;
        Ok((records.into_iter().map(|record| record.record).collect(), report))
    }
}
