//! `run triage`.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    path::PathBuf,
    time::Duration,
};

use agent_benchmarks::{
    Api, Attempted, Checker as Answer, Conversation, Question, Request,
    triage::{
        Alpha, Attempts, Framing, PlanReading, Regime, SolveConversation, SolveRecord, Triage,
        TriageRecord,
    },
};
use agent_scorecard::live;
use clap::builder::TypedValueParser;
use knapsack_oracle::{BudgetAware, InjectedPool, Item, Pool, ReSolve, Seed};

use crate::{
    output::program,
    run::{
        asking::{Asking, Finished, Protocol, QUESTIONS, read},
        checker::{Checker, Judging},
        common::Common,
        expected::Expected,
    },
    triage_variants::SCORES,
    values::{self, whole},
};

/// Each question is solved once; then the model plans for pools under budgets
#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub(crate) struct Options {
    /// A file of questions
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// The share of the costs that is the budget, above 0 and at most 1; may be given several times
    #[arg(long = "alpha", value_name = "A", default_value = "0.5", value_parser = values::alpha)]
    alphas: Vec<Alpha>,
    /// The opening of the prompt; may be given several times
    #[arg(long = "framing", value_name = "NAME", default_value = "neutral", value_parser = framings())]
    framings: Vec<Framing>,
    /// What the problems are called in the prompt, as in "geometry problems"
    #[arg(long, value_name = "TEXT", default_value = "problems")]
    domain: String,
    /// Ask for JSON in words alone, for servers that refuse a JSON schema
    #[arg(long)]
    no_schema: bool,
    /// The most tokens of a plan (default: those of a reply)
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1, u64::MAX))]
    max_plan_tokens: Option<u64>,
    /// Questions of a pool
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<usize>(1, u64::MAX))]
    pool_size: usize,
    /// Solve the problems of each plan under its limits, in this regime, instead of taking what they came to alone
    #[arg(long, value_name = "REGIME", value_parser = regimes())]
    live: Option<Regime>,
    /// Tell the model the allocation of each problem that it solves under limits
    #[arg(long, requires = "live")]
    announce: bool,
    /// Solve the problems of the plans with alpha 1 again without a limit, with their allocations announced
    #[arg(long)]
    re_solve: bool,
    /// A file of unsolvable questions, which replace a share of each pool
    #[arg(long, value_name = "FILE")]
    unsolvable: Option<PathBuf>,
    /// The share of each pool that the unsolvable questions replace
    #[arg(long, value_name = "X", default_value_t = 0.25, requires = "unsolvable", value_parser = values::share)]
    unsolvable_share: f64,
    /// A program, with arguments, that judges the answers to questions without an answer in the file
    #[arg(long, value_name = "COMMAND", conflicts_with = "live", value_parser = Checker::new)]
    checker: Option<Checker>,
    /// Seconds for a verdict
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = whole::<u64>(1, 31_536_000))]
    checker_timeout: u64,
    /// Refuse plans that have a problem twice, and drop allocations that are no numbers of tokens; the paper keeps
    /// the first and takes 0
    #[arg(long)]
    strict_plans: bool,
    /// Attempt problems with an allocation of 0 in the advisory regime, too; the paper's planned set leaves them out
    #[arg(long)]
    attempt_zero: bool,
    /// The mode of the model in scores.jsonl, as in think
    #[arg(long, value_name = "NAME", default_value = "")]
    mode: String,
    /// The name of the data set in scores.jsonl (default: that of FILE)
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
}

fn help() -> String {
    format!(
        "{QUESTIONS}\
A question with \"output_tokens\" and \"solved\" was attempted before and is not asked again; it needs no answer. One\n\
with \"answer\": null is unsolvable. One with \"checker\": \"outside\" is judged by --checker: for each answer the program\n\
is started without a shell, reads {{\"id\", \"answer\", \"reply\"}} as one line, and writes {{\"solved\": true}} or false.\n\
An answer without a verdict is left out and counted.\n\n\
DIR/scores.jsonl has the efficiencies for agent-scorecard triage-variants, which takes several such folders.\n"
    )
}

fn framings() -> impl TypedValueParser<Value = Framing> {
    values::one_of(Framing::ALL.map(|framing| (framing.name(), framing)))
}

fn regimes() -> impl TypedValueParser<Value = Regime> {
    values::one_of([("advisory", Regime::Advisory), ("enforced", Regime::Enforced)])
}

/// Unsolvable questions are dealt to pools with this seed, so that the same command asks for the same plans.
const INJECTION: Seed = Seed::new(1);

impl Options {
    fn protocol(&self, alpha: Alpha, framing: Framing) -> Triage {
        let attempts = self.live.map_or(Attempts::Recorded, |regime| Attempts::Live {
            regime,
            announced: self.announce,
        });
        Triage::new(alpha)
            .with_framing(framing)
            .with_subject(self.domain.as_str())
            .with_attempts(attempts)
            .with_sampling(self.common.sampling())
            .with_plan_tokens(self.max_plan_tokens)
            .with_strict_plans(self.strict_plans)
            .with_zero_allocations(self.attempt_zero)
            .with_schema(!self.no_schema)
    }

    /// The questions of the files, those that are solvable first. What a pool would refuse is refused here.
    fn questions(&self) -> Result<[Vec<Question>; 2], Box<dyn Error>> {
        let mut all = [read(&self.file)?, Vec::new()];
        if let Some(path) = &self.unsolvable {
            let unsolvable = read(path)?;
            if let Some(other) = unsolvable.iter().find(|it| !it.is_unsolvable()) {
                let (path, id) = (path.display(), &other.id);
                return Err(format!(
                    "{path}: question {id:?} has an answer; give \"answer\": null"
                )
                .into());
            }
            all[1] = unsolvable;
        }
        let items = all.iter().flatten().map(|it| Item::new(&it.id, it.value, 1, false));
        Pool::new(items.collect::<Result<_, _>>()?)?;
        // A recorded attempt needs no verdict unless the question is asked again.
        let is_asked =
            |it: &Question| it.recorded.is_none() || self.live.is_some() || self.re_solve;
        let is_judged = |it: &Question| self.checker.is_some() || it.checker != Answer::Outside;
        if let Some(it) = all.iter().flatten().find(|it| is_asked(it) && !is_judged(it)) {
            let (path, id) = (self.file.display(), &it.id);
            return Err(format!("{path}: question {id:?} has no answer; give --checker").into());
        }
        if self.checker.is_some() && self.common.api != Api::OpenAiChat {
            return Err("--checker keeps verdicts in the format of --api openai-chat alone".into());
        }
        if self.re_solve && !self.alphas.iter().any(|alpha| alpha.get() == 1.0) {
            return Err("--re-solve needs --alpha 1, whose plans it takes".into());
        }
        Ok(all)
    }

    /// The records of attempts, those that were made before among them.
    fn solve(
        &self,
        asking: &Asking<'_>,
        what: &str,
        questions: Vec<(String, Try)>,
    ) -> Result<Vec<SolveRecord>, agent_benchmarks::Error> {
        let known = questions.iter().map(|(_, (question, announced))| match announced {
            None => SolveRecord::of_recorded(question),
            Some(_) => None,
        });
        let known: Vec<Option<SolveRecord>> = known.collect();
        let open = questions.into_iter().zip(&known).filter(|(_, known)| known.is_none());
        let open: Vec<(String, Try)> = open.map(|(named, _)| named).collect();
        let mut solved = asking.run(what, &open, |(question, announced)| {
            let sampling = self.common.sampling();
            match *announced {
                None => SolveConversation::new(question, sampling),
                Some(tokens) => {
                    SolveConversation::with_announced_budget(question, sampling, tokens)
                }
            }
        })?;
        if let Some(checker) = &self.checker {
            let records = solved.iter().zip(&open).enumerate();
            let waiting = records.filter(|(_, (record, (_, (question, _))))| {
                question.checker == Answer::Outside && record.attempt.is_some()
            });
            let waiting: Vec<(String, (usize, SolveRecord))> = waiting
                .map(|(place, (record, (name, _)))| {
                    (format!("check {name} by {checker}"), (place, record.clone()))
                })
                .collect();
            let limit = Duration::from_secs(self.checker_timeout);
            let ask = |request: &Request| checker.ask(request, limit);
            let judges = Asking { ask: &ask, ..*asking };
            let verdicts =
                judges.run("triage: verdicts", &waiting, |(_, record)| Judging::new(record))?;
            for ((_, (place, record)), verdict) in waiting.into_iter().zip(verdicts) {
                solved[place] = record.judged(verdict);
            }
        }
        let mut solved = solved.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| solved.next())).collect())
    }

    /// The pools of questions with their attempts, with unsolvable ones in them if there are any.
    fn pools(
        &self,
        questions: &[Question],
        unsolvable: &[Question],
    ) -> Result<Vec<Vec<Question>>, Box<dyn Error>> {
        let pools: Vec<Vec<Question>> =
            questions.chunks(self.pool_size).map(<[_]>::to_vec).collect();
        if self.unsolvable.is_none() {
            return Ok(pools);
        }
        let items = |questions: &[Question]| {
            let item = |it: &Question| {
                let attempt = it.recorded.unwrap_or(Attempted { output_tokens: 1, solved: false });
                Item::new(&it.id, it.value, attempt.output_tokens, attempt.solved)
            };
            questions.iter().map(item).collect::<Result<Vec<_>, _>>()
        };
        let plain = pools.iter().map(|pool| Pool::new(items(pool)?));
        let plain = plain.collect::<Result<Vec<_>, _>>()?;
        let injected =
            InjectedPool::inject(&plain, &items(unsolvable)?, self.unsolvable_share, INJECTION)?;
        let known: BTreeMap<&str, &Question> =
            questions.iter().chain(unsolvable).map(|it| (it.id.as_str(), it)).collect();
        let of_pool = |pool: &InjectedPool| {
            let ids = pool.pool().items().iter();
            ids.filter_map(|item| known.get(item.id()).copied().cloned()).collect()
        };
        Ok(injected.iter().map(of_pool).collect())
    }

    /// What plans are called in the folder: everything that tells two requests of a folder apart.
    fn plan_name(&self, alpha: Alpha, framing: Framing, pool: usize) -> String {
        let live = match (self.live, self.announce) {
            (None, _) => String::new(),
            (Some(regime), announced) => format!(", live {regime:?} {announced}").to_lowercase(),
        };
        let share = self
            .unsolvable
            .as_ref()
            .map_or(String::new(), |_| format!(", {} unsolvable", self.unsolvable_share));
        format!("pool-{pool} of {}, alpha {alpha}, {framing}{share}{live}", self.pool_size)
    }
}

/// A question, and the budget that is announced while it is solved.
type Try = (Question, Option<u64>);

impl Protocol for Options {
    const NAME: &'static str = "triage";
    const FORM: &'static str =
        "one JSON object with a plan, or a solution that ends with <answer>...</answer>";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        // Budgets, framings and pools are in the names of the plans, so that a folder has those of several calls
        // over the same attempts.
        format!("each question alone, {} in pools", self.domain)
    }

    fn expect(&self, expected: &mut Expected<'_>) -> Result<(), Box<dyn Error>> {
        let [questions, unsolvable] = self.questions()?;
        let all = || questions.iter().chain(&unsolvable);
        for question in all().filter(|it| it.recorded.is_none()) {
            let conversation = SolveConversation::new(question, self.common.sampling());
            expected.add([1; 2], conversation.request());
        }
        // Whether there are enough unsolvable questions is known now.
        let pools = self.pools(&questions, &unsolvable)?.len();
        let each = self.alphas.len() * self.framings.len();
        // The prompt of a plan repeats the questions of its pool.
        let texts: usize = questions.iter().map(|question| question.text.len()).sum();
        expected.conversations += pools * each;
        expected.requests += pools * each;
        expected.characters.iter_mut().for_each(|characters| *characters += texts * each);
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let [questions, unsolvable] = self.questions()?;
        let all = || questions.iter().chain(&unsolvable);
        let named = all().map(|it| (format!("solve {}", it.id), (it.clone(), None)));
        let solved = self.solve(asking, "triage: questions", named.collect())?;
        // What has no attempt is in no pool.
        let attempted = all().zip(&solved);
        let attempted =
            attempted.filter_map(|(it, record)| Some(it.clone().with_recorded(record.attempt?)));
        let solvable: BTreeSet<&str> = questions.iter().map(|it| it.id.as_str()).collect();
        let (questions_left, unsolvable_left): (Vec<_>, Vec<_>) =
            attempted.partition(|it| solvable.contains(it.id.as_str()));
        let pools = self.pools(&questions_left, &unsolvable_left)?;
        let mut plans = Vec::new();
        for &alpha in &self.alphas {
            for &framing in &self.framings {
                let protocol = self.protocol(alpha, framing);
                for (number, questions) in (1..).zip(&pools) {
                    let name = self.plan_name(alpha, framing, number);
                    plans.push((name.clone(), protocol.instance(name, questions)?));
                }
            }
        }
        let planned = asking.run("triage: plans", &plans, |it| it.conversation())?;
        let mut again = Vec::new();
        for ((name, instance), record) in plans.iter().zip(&planned) {
            let is_asked = self.re_solve && record.alpha.get() == 1.0;
            let plan = record.reading.as_ref().and_then(PlanReading::plan);
            for step in plan.filter(|_| is_asked).iter().flat_map(|plan| plan.steps()) {
                if step.allocation > 0 {
                    let question = instance.questions()[step.position].clone();
                    let name = format!("solve again {}, {name}", question.id);
                    again.push((record.framing, (name, (question, Some(step.allocation)))));
                }
            }
        }
        let tries = again.iter().map(|(_, named)| named.clone()).collect();
        let solved_again = self.solve(asking, "triage: again", tries)?;
        let mut re_solved: BTreeMap<Framing, BudgetAware> = BTreeMap::new();
        for ((framing, (_, (question, allocation))), record) in again.iter().zip(&solved_again) {
            let before = question.recorded.zip(*allocation);
            let Some(((before, allocation), after)) = before.zip(record.attempt) else { continue };
            re_solved.entry(*framing).or_default().update(ReSolve {
                allocation,
                cost: after.output_tokens,
                solved_before: before.solved,
                solved_after: after.solved,
            })?;
        }
        let re_solved: Vec<_> = re_solved.into_iter().collect();
        let options = self.common.live();
        let report = live::triage(&solved, &planned, &re_solved, &options)?;
        self.write_scores(&planned)?;
        let asked = solved.into_iter().chain(solved_again).filter(|it| !it.is_recorded());
        let records = asked.map(|it| it.record).chain(planned.into_iter().map(|it| it.record));
        Ok((records.collect(), report))
    }
}

impl Options {
    /// Writes the efficiencies for `triage-variants`.
    fn write_scores(&self, plans: &[TriageRecord]) -> Result<(), Box<dyn Error>> {
        let stem = self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let dataset = self.dataset.clone().or(stem).unwrap_or_default();
        let mut text = String::new();
        for score in live::triage_scores(plans, &self.common.model, &self.mode, &dataset)? {
            text += &serde_json::to_string(&score)?;
            text.push('\n');
        }
        Ok(program::write_file(&self.common.out.join(SCORES), text.as_bytes())?)
    }
}
