//! The subcommand `run budget`.

use std::{collections::BTreeSet, error::Error, path::PathBuf};

use agent_benchmarks::{
    Conversation,
    budget::{
        Budget, BudgetRecord, FactRules, Instance, Prompts, ResourceKind, Rollouts, Shown, Task,
        rollouts_of_runs,
    },
    client::ExpectedRequests,
};
use agent_scorecard::{Position, live, options};
use budget_estimation::{Seed, bagen::ProbeMethod};
use run_logs::{
    Format, ReadOptions, Reply, RolloutFile,
    bagen::{
        Kind, TokenDialogue, WarehouseDialogue, count_runs, token_dialogues, warehouse_dialogues,
    },
    json_lines::RunCounts,
    open_file, read_path,
};
use serde_json::json;

use crate::{
    files::bundled,
    games::{asked, capped, write_runs},
    run::{
        asking::{Asking, Finished, Protocol},
        common::Common,
    },
};

/// The model estimates the remaining cost of each run after each of its turns
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/run_budget.txt"))]
pub(crate) struct Options {
    /// Log, folder of logs, or file of rollouts with the texts of their turns, such as `play` and `run` write. With
    /// --dialogues, a file of BAGEN's released runs
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// Resource whose remaining cost the model estimates, optionally with its cap, such as total_tokens=2500. Give this
    /// option several times to ask for several resources in one request
    #[arg(long = "resource", value_name = "NAME[=CAP]", value_parser = options::capped)]
    resources: Vec<(String, Option<f64>)>,
    /// Cap on the cost of each run, in units of the first resource
    #[arg(long, value_name = "N", value_parser = options::cap)]
    cap: Option<f64>,
    /// Set a cap for each resource that has none: the median spending of all runs by the same model. With --dialogues
    /// swebench, these caps are always used, as in the paper
    #[arg(long)]
    median_caps: bool,
    /// Also show the model the results of the calls in the last turn. The agent had not seen these results when it made
    /// the calls
    #[arg(long)]
    show_results: bool,
    /// Read FILE as the runs that BAGEN released for this benchmark. The benchmark sets the resources and their caps
    #[arg(long, value_name = "TASK", value_parser = tasks())]
    dialogues: Option<Task>,
    /// Seed of the targets and budgets that are drawn for released warehouse runs. Half of the runs meet them
    #[arg(long, value_name = "SEED", default_value_t = 42, requires = "dialogues")]
    probes: u64,
    /// Benchmark whose published prompts are sent (default: the benchmark of --dialogues)
    #[arg(long, value_name = "TASK", value_parser = tasks())]
    task: Option<Task>,
    /// Limit in tokens that our own prompt sets for the model's thoughts; 0 asks for the answer only
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = options::whole::<u32>(0, 100_000))]
    think_tokens: u32,
    /// Ask for a single number instead of an interval
    #[arg(long)]
    points: bool,
}

fn tasks() -> impl clap::builder::TypedValueParser<Value = Task> {
    options::one_of(Task::ALL.map(|task| (task.name(), task)))
}

/// The runs that the model is asked about.
struct Runs {
    rollouts: Rollouts,
    counts: RunCounts,
    /// The number of runs left out, in words.
    left_out: Option<String>,
}

/// Returns the cap on tokens in table 2 of the paper; the cap of software is the median of a family.
const fn released_cap(task: Task) -> Option<f64> {
    match task {
        Task::Sokoban => Some(2_500.0),
        Task::SearchR1 => Some(3_500.0),
        _ => None,
    }
}

impl Options {
    /// Returns the resources to ask for, in the order of the options.
    fn resources(&self) -> Vec<(String, Option<f64>)> {
        let usual = match self.dialogues {
            Some(Task::Warehouse) => Kind::Warehouse.resources(),
            Some(_) => &["total_tokens"],
            None => &["output_tokens"],
        };
        capped(&self.resources, usual, self.cap.or(self.dialogues.and_then(released_cap)))
    }

    fn has_median_caps(&self) -> bool {
        self.median_caps || self.dialogues == Some(Task::SweBench)
    }

    fn runs(&self) -> Result<Runs, Box<dyn Error>> {
        let mut runs = match self.dialogues {
            Some(task) => self.released(task)?,
            None => self.logged()?,
        };
        let rollouts = &mut runs.rollouts;
        for (name, cap) in self.resources() {
            let resource = rollouts.resource(&name)?;
            if let Some(cap) = cap {
                rollouts.set_cap(resource, cap)?;
            } else if self.has_median_caps() {
                let family = |run: &budget_estimation::Rollout<'_>| {
                    run.key(MODEL).unwrap_or_default().to_owned()
                };
                let caps = rollouts.median_caps(resource, family)?;
                for run in 0..rollouts.len() {
                    let cap = caps.get(&family(&rollouts.get(run)?)).copied().unwrap_or(0.0);
                    rollouts.set_cap_of(run, resource, cap)?;
                }
            }
        }
        Ok(runs)
    }

    /// Returns the runs of a log, or of a file of rollouts with their observations and replies.
    fn logged(&self) -> Result<Runs, Box<dyn Error>> {
        let read_options = ReadOptions { requests: true, ..ReadOptions::default() };
        let runs = read_path(&self.file, Format::Auto, &read_options)
            .and_then(|runs| runs.collect::<Result<Vec<_>, _>>());
        let runs = match runs {
            Err(error @ run_logs::Error::UnknownFormat { .. }) => {
                return self.rollouts().map_err(|other| {
                    let file = self.file.display();
                    format!("{file} is neither a log ({error}) nor a rollout file ({other})").into()
                });
            }
            runs => runs?,
        };
        let shown = if self.show_results { Shown::AfterActing } else { Shown::WhenActing };
        let rollouts = rollouts_of_runs(&runs, &FactRules::default(), shown)?;
        self.of_all(
            runs.len(),
            rollouts,
            "turns with token counts and an outcome",
            "without turns or without a known outcome",
        )
    }

    fn rollouts(&self) -> Result<Runs, Box<dyn Error>> {
        let source = open_file(&self.file)?;
        let mut rollouts = Rollouts::new(self.resources().into_iter().map(|(name, _)| name))?;
        let file = RolloutFile::read(&self.file.display().to_string(), source)?;
        file.append_to(&mut rollouts)?;
        let has_all = |run: &budget_estimation::Rollout<'_>| {
            let has_texts = run.content(1).is_some() && run.observation(1).is_some();
            has_texts && rollouts.resources().all(|(resource, _)| run.usage(resource).is_ok())
        };
        self.of_all(
            rollouts.len(),
            rollouts.filter(has_all),
            "content and observation of its turns, and the spending of each --resource in them",
            "without the texts or the spending of their turns",
        )
    }

    /// Returns the runs of a file with this number of runs, and counts the runs that lack required data.
    fn of_all(
        &self,
        all: usize,
        rollouts: Rollouts,
        needs: &str,
        lack: &str,
    ) -> Result<Runs, Box<dyn Error>> {
        let left_out = all - rollouts.len();
        if rollouts.is_empty() {
            let path = self.file.display();
            let problem = format!("{left_out} runs, none of them usable: a run needs {needs}");
            return Err(format!("{path}: {problem}").into());
        }
        let mut counts = RunCounts::default();
        rollouts.iter().for_each(|run| counts.add(Some(run.succeeded()), None));
        (0..left_out).for_each(|_| counts.add(None, None));
        let note = format!("runs {lack}, left out: {left_out}");
        Ok(Runs { rollouts, counts, left_out: (left_out > 0).then_some(note) })
    }

    /// Returns the runs of a file of the released evaluation.
    fn released(&self, task: Task) -> Result<Runs, Box<dyn Error>> {
        let at = |error: String| format!("{}: {error}", self.file.display());
        let file = bundled::bytes(&self.file)?;
        let wrong = |error: run_logs::Error| at(error.to_string());
        let rollouts = if task == Task::Warehouse {
            let dialogues = warehouse_dialogues(&file[..]).map_err(wrong)?;
            let rollouts = WarehouseDialogue::rollouts(&dialogues)?;
            let achieved: Vec<f64> = dialogues.iter().map(|it| it.final_cash).collect();
            let handles: Vec<_> = rollouts.resources().map(|(resource, _)| resource).collect();
            let (time, spent) = handles.split_first().ok_or("there is no resource")?;
            let (method, seed) = (ProbeMethod::Released, Seed(self.probes));
            let (mut probed, probes) = rollouts.probed(&achieved, *time, spent, method, seed)?;
            for (run, probe) in probes.iter().enumerate() {
                probed.set_key(run, "target_cash_usd", format!("{:.0}", probe.target))?;
            }
            probed
        } else {
            let cap = self.resources()[0].1.map(|cap| cap as i64);
            TokenDialogue::rollouts(&token_dialogues(&file[..], cap).map_err(wrong)?, cap)?
        };
        let all = count_runs(&file[..]).map_err(wrong)?;
        let (needs, lack) = match task {
            Task::Warehouse => (
                "two turns with a text of its agent, and finances at its end",
                "of fewer than two turns or without finances at the end",
            ),
            _ => (
                "a text of its agent before a truncated turn",
                "without a text of their agent before a truncated turn",
            ),
        };
        self.of_all(all, rollouts, needs, lack)
    }

    fn protocol(&self) -> Result<Budget, Box<dyn Error>> {
        let kind = |name: &str| match name {
            _ if name.contains("token") => ResourceKind::Tokens,
            _ if name.contains("usd") => ResourceKind::Money,
            _ if name.contains("item") => ResourceKind::Space,
            _ => ResourceKind::Time,
        };
        let resources = self.resources();
        let resources = resources.iter().map(|(name, _)| (name.as_str(), kind(name)));
        let think = Some(self.think_tokens).filter(|tokens| *tokens > 0);
        let mut budget =
            Budget::new(resources)?.with_sampling(self.common.sampling()).with_think_tokens(think);
        if self.points {
            budget = budget.with_points();
        }
        if self.dialogues == Some(Task::Warehouse) {
            budget = budget.with_cash("cash_usd", "target_cash_usd").with_system_of_run(false);
        }
        let task = self.task.or(self.dialogues);
        let files = task.map(Task::files);
        if let Some(texts) = self.common.texts(files.as_ref().map_or(&[], |files| files))? {
            let task =
                task.ok_or("--published: give --task, which selects the prompts that are sent")?;
            let prompts = Prompts::published(task, &texts);
            budget = budget.with_prompts(prompts.map_err(|error| format!("--published: {error}"))?);
        }
        Ok(budget)
    }

    /// Returns the questions about each run, by position and id.
    fn instances<'a>(
        setting: &Budget,
        rollouts: &'a Rollouts,
    ) -> Result<Vec<(String, Instance<'a>)>, Box<dyn Error>> {
        let instances = (0..rollouts.len()).map(|at| {
            let instance = setting.instance(rollouts, at)?;
            let id = instance.rollout().id().unwrap_or_default();
            Ok((format!("{at} {id}"), instance))
        });
        instances.collect()
    }

    /// Writes the runs and the answers, as a file of runs and a file of estimates by run id. If ids are missing or
    /// repeated, the positions of the runs become their prefixes.
    fn write_files(
        &self,
        rollouts: &Rollouts,
        records: &[BudgetRecord],
    ) -> Result<(), Box<dyn Error>> {
        let mut rollouts = rollouts.clone();
        let ids = rollouts.iter().map(|run| run.id().unwrap_or_default().to_owned());
        let ids: Vec<String> = ids.collect();
        if ids.iter().filter(|id| !id.is_empty()).collect::<BTreeSet<_>>().len() < ids.len() {
            for (run, id) in ids.iter().enumerate() {
                rollouts.set_id(run, format!("{run} {id}").trim_end())?;
            }
        }
        let answers = records.iter().flat_map(|record| {
            let replies = record.record.run.turns.iter().filter_map(|turn| turn.reply.as_ref());
            record.samples(0).iter().zip(replies).map(|(sample, reply)| {
                let id = rollouts.get(sample.rollout()).ok().and_then(|run| run.id());
                json!({"id": id, "turn": sample.turn(), "answer": reply.text})
            })
        });
        write_runs(&self.common.out, &rollouts, answers)
    }
}

/// The key of the model of a run's agent.
const MODEL: &str = "model";

impl Protocol for Options {
    const NAME: &'static str = "budget";
    const FORM: &'static str = "a line <answer>...</answer> in the form that the question shows, or <answer>impossible</answer>";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        let mut setting = asked(&self.resources());
        let task = self.task.or(self.dialogues).map_or("", |task| task.name());
        setting +=
            &format!(", {} {task}, think {}", self.common.name_of_texts(), self.think_tokens);
        for (is, what) in [
            (self.has_median_caps(), ", median caps"),
            (self.show_results, ", results shown"),
            (self.points, ", points"),
        ] {
            setting += if is { what } else { "" };
        }
        if self.dialogues.is_some() {
            setting += &format!(", probes {}", self.probes);
        }
        setting
    }

    fn expect(&self, expected: &mut ExpectedRequests<'_>) -> Result<(), Box<dyn Error>> {
        let setting = self.protocol()?;
        let Runs { rollouts, .. } = self.runs()?;
        for (name, instance) in Self::instances(&setting, &rollouts)? {
            let mut conversation = instance.conversation();
            expected.resume(&name, &mut conversation)?;
            expected.conversations += usize::from(conversation.request().is_some());
            // No request depends on the replies before it.
            while let Some(request) = conversation.request() {
                expected.add_requests(request, [1; 2], 1);
                conversation.reply(Reply::default())?;
            }
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let setting = self.protocol()?;
        let Runs { rollouts, counts, left_out } = self.runs()?;
        let instances = Self::instances(&setting, &rollouts)?;
        let records = asking.run(Self::NAME, &instances, |it| it.conversation())?;
        self.write_files(&rollouts, &records)?;
        let live = self.common.live();
        let mut report = live::budget(&records, &rollouts, &counts, &live)?;
        report.together.say_first(Position::Note, left_out);
        Ok((records.into_iter().map(|record| record.record).collect(), report))
    }
}
