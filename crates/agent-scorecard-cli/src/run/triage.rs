//! The subcommand `run triage`.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    io::{self, ErrorKind},
    path::PathBuf,
    time::Duration,
};

use agent_benchmarks::{
    Api, Attempted, Checker as Answer, Conversation, Question, Request,
    client::ExpectedRequests,
    triage::{
        Alpha, Attempts, Framing, Instance, JudgeConversation, PlanReading, Prompts, Regime,
        SolveConversation, SolveRecord, Triage, TriageRecord,
    },
};
use agent_scorecard::{Position, live, options};
use knapsack_oracle::{InjectedPool, Item, Pool, ReSolve, Seed};
use serde_json::Value;
use trajectory_metrics::random::fnv1a;

use crate::{
    output::program,
    run::{
        asking::{Asking, Finished, Protocol, read},
        checker::Checker,
        common::Common,
    },
    triage::SCORES,
};

/// The model solves each question once, and then makes plans for pools of questions under budgets
#[derive(Debug, clap::Args)]
#[command(after_help = concat!(include_str!("../help/run_questions.txt"), include_str!("../help/run_triage.txt")))]
pub(crate) struct Options {
    /// File of questions (format: see below)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// Budget of a pool as a share of the cost of solving all its questions, above 0 and at most 1. May be given
    /// several times
    #[arg(long = "alpha", value_name = "A", default_value = "0.5", value_parser = options::alpha)]
    alphas: Vec<Alpha>,
    /// Role that the request for a plan gives to the model. May be given several times
    #[arg(long = "framing", value_name = "NAME", default_value = "neutral", value_parser = options::one_of(Framing::ALL.map(|it| (it.name(), it))))]
    framings: Vec<Framing>,
    /// What the prompt calls the questions, such as "geometry problems"
    #[arg(long, value_name = "TEXT", default_value = PROBLEMS)]
    domain: String,
    /// Send no JSON schema with the request, and ask for JSON in the prompt instead. Some servers refuse a schema
    #[arg(long)]
    no_schema: bool,
    /// Maximum number of tokens in a plan (default: the value of --max-output-tokens)
    #[arg(long, value_name = "N", value_parser = options::whole::<u64>(1, u64::MAX))]
    max_plan_tokens: Option<u64>,
    /// Number of questions in a pool
    #[arg(long, value_name = "N", default_value_t = POOL, value_parser = options::whole::<usize>(1, u64::MAX))]
    pool_size: usize,
    /// Let the model solve the problems that each plan selects. With enforced, an attempt is cut off at the tokens that
    /// the plan allocates; with advisory, it may use more. Without this option, plans are scored on the attempts that
    /// were made before the plans
    #[arg(long, value_name = "REGIME", value_parser = options::one_of([("advisory", Regime::Advisory), ("enforced", Regime::Enforced)]))]
    live: Option<Regime>,
    /// With --live, tell the model how many tokens the plan allocates to a problem
    #[arg(long, requires = "live")]
    announce: bool,
    /// Let the model solve the problems in its plans at alpha = 1 a second time. It is told the allocations, which do
    /// not limit the attempts
    #[arg(long)]
    re_solve: bool,
    /// File of unsolvable questions. They replace a share of the questions in each pool
    #[arg(long, value_name = "FILE")]
    unsolvable: Option<PathBuf>,
    /// Share of each pool that unsolvable questions replace, from 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.25, requires = "unsolvable", value_parser = options::share)]
    unsolvable_share: f64,
    /// Program, with its arguments, that judges the model's answers to questions with "checker": "outside" (see below)
    #[arg(long, value_name = "COMMAND", conflicts_with = "live", value_parser = Checker::new)]
    checker: Option<Checker>,
    /// Maximum time for a verdict of --checker, in seconds
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = options::whole::<u64>(1, 31_536_000))]
    checker_timeout: u64,
    /// Refuse a plan that names a problem twice, and drop an allocation that is not a number of tokens. Without this
    /// option, as in the paper, the first entry of a problem counts, and an allocation that is not a number counts as 0
    #[arg(long)]
    strict_plans: bool,
    /// In the advisory regime, also attempt problems to which the plan allocates 0 tokens. The paper does not attempt
    /// them
    #[arg(long)]
    attempt_zero: bool,
    /// Name of the model's mode, for example "think". It is written to scores.jsonl
    #[arg(long, value_name = "NAME", default_value = "")]
    mode: String,
    /// Name of the data set to write to scores.jsonl (default: the name of FILE)
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
}

/// The default name of problems.
const PROBLEMS: &str = "problems";

/// The default number of questions in a pool.
const POOL: usize = 30;

/// The seed that distributes unsolvable questions over pools. It is fixed, so that the same command asks for the same
/// plans.
const INJECTION: Seed = Seed(1);

impl Options {
    fn prompts(&self) -> Result<Prompts, Box<dyn Error>> {
        let texts = self.common.texts(Prompts::FILES)?;
        Ok(texts.map_or_else(|| Ok(Prompts::default()), |texts| Prompts::published(&texts))?)
    }

    fn protocol(&self, alpha: Alpha, framing: Framing, prompts: &Prompts) -> Triage {
        let attempts = self.live.map_or(Attempts::Recorded, |regime| Attempts::Live {
            regime,
            announced: self.announce,
        });
        Triage::new(alpha)
            .with_framing(framing)
            .with_subject(self.domain.as_str())
            .with_prompts(prompts.clone())
            .with_attempts(attempts)
            .with_sampling(self.common.sampling())
            .with_plan_tokens(self.max_plan_tokens)
            .with_strict_plans(self.strict_plans)
            .with_zero_allocations(self.attempt_zero)
            .with_schema(!self.no_schema)
    }

    /// Returns the questions of the files, solvable questions first. Questions that a pool would not accept are an
    /// error.
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
            return Err(
                "--checker needs --api openai-chat, because verdicts are kept only in its format"
                    .into(),
            );
        }
        if self.re_solve && !self.alphas.iter().any(|alpha| alpha.get() == 1.0) {
            return Err("--re-solve needs --alpha 1, because it uses the plans at alpha 1".into());
        }
        Ok(all)
    }

    /// Starts the attempt at a question.
    fn start<'a>(
        &self,
        (question, announced): &'a Try,
        prompts: &Prompts,
    ) -> SolveConversation<'a> {
        let sampling = self.common.sampling();
        match *announced {
            None => SolveConversation::new(question, sampling),
            Some(tokens) => {
                SolveConversation::with_announced_budget(question, sampling, prompts, tokens)
            }
        }
    }

    /// Returns the name of the verdict about an attempt, if the attempt waits for one.
    fn verdict(&self, name: &str, question: &Question, record: &SolveRecord) -> Option<String> {
        let checker = self.checker.as_ref()?;
        let is_waiting = question.checker == Answer::Outside && record.attempt.is_some();
        is_waiting.then(|| format!("check {name} by {checker}"))
    }

    /// Returns the record of an attempt, if it exists; otherwise, marks it as expected.
    fn known(
        &self,
        question: &Question,
        expected: &mut ExpectedRequests<'_>,
    ) -> Result<Option<SolveRecord>, agent_benchmarks::Error> {
        if let Some(recorded) = SolveRecord::of_recorded(question) {
            return Ok(Some(recorded));
        }
        let name = format!("solve {}", question.id);
        let start = SolveConversation::new(question, self.common.sampling());
        let Some(record) = expected.add(&name, start, [1; 2])? else { return Ok(None) };
        let Some(verdict) = self.verdict(&name, question, &record) else { return Ok(Some(record)) };
        let mut judging = JudgeConversation::new(&record);
        expected.resume(&verdict, &mut judging)?;
        Ok(judging.request().is_none().then(|| record.judged(judging.finish().ok())))
    }

    /// Returns the requested plans by name.
    fn plans(
        &self,
        pools: &[Vec<Question>],
        prompts: &Prompts,
        without: Option<&str>,
    ) -> Result<Vec<(String, Instance)>, agent_benchmarks::Error> {
        let mut plans = Vec::new();
        for &alpha in &self.alphas {
            for &framing in &self.framings {
                let protocol = self.protocol(alpha, framing, prompts);
                for (number, questions) in (1..).zip(pools) {
                    let name = self.plan_name(alpha, framing, number, without);
                    plans.push((name.clone(), protocol.instance(name, questions)?));
                }
            }
        }
        Ok(plans)
    }

    /// Returns the problems of a plan to solve again with their allocations announced, by name.
    fn again(&self, name: &str, instance: &Instance, record: &TriageRecord) -> Vec<(String, Try)> {
        let plan = record.reading.as_ref().and_then(PlanReading::plan);
        let plan = plan.filter(|_| self.re_solve && record.alpha.get() == 1.0);
        let steps = plan.iter().flat_map(|plan| plan.steps()).filter(|step| step.allocation > 0);
        let again = steps.map(|step| {
            let question = instance.questions()[step.position].clone();
            (format!("solve again {}, {name}", question.id), (question, Some(step.allocation)))
        });
        again.collect()
    }

    /// Returns the records of attempts, including earlier ones.
    fn solve(
        &self,
        asking: &Asking<'_>,
        what: &str,
        questions: Vec<(String, Try)>,
        prompts: &Prompts,
        notes: &mut Vec<String>,
    ) -> Result<Vec<SolveRecord>, Box<dyn Error>> {
        let recorded = |(_, (question, announced)): &(String, Try)| match announced {
            None => SolveRecord::of_recorded(question),
            Some(_) => None,
        };
        let known: Vec<Option<SolveRecord>> = questions.iter().map(recorded).collect();
        let open = questions.into_iter().zip(&known).filter(|(_, known)| known.is_none());
        let open: Vec<(String, Try)> = open.map(|(named, _)| named).collect();
        let mut solved = asking.run(what, &open, |it| self.start(it, prompts))?;
        if let Some(checker) = &self.checker {
            let records = solved.iter().zip(&open).enumerate();
            let waiting = records.filter_map(|(place, (record, (name, (question, _))))| {
                Some((self.verdict(name, question, record)?, (place, record.clone())))
            });
            let waiting: Vec<(String, (usize, SolveRecord))> = waiting.collect();
            let limit = Duration::from_secs(self.checker_timeout);
            let ask = |request: &Request| checker.ask(request, limit);
            let judges = Asking { ask: &ask, ..*asking };
            let verdicts = judges
                .run("triage: verdicts", &waiting, |(_, record)| JudgeConversation::new(record))?;
            let n = verdicts.len();
            let mut missing = verdicts.iter().filter_map(|verdict| verdict.as_ref().err());
            if let Some(first) = missing.next() {
                let without = 1 + missing.count();
                let said = format!(
                    "the checker {checker} gave no verdict on {without} of {n} answers: {first}"
                );
                if without == n {
                    return Err(said.into());
                }
                let again = "they are left out, and the same command checks them again";
                notes.push(format!("{said}; {again}"));
            }
            for ((_, (place, record)), verdict) in waiting.into_iter().zip(verdicts) {
                solved[place] = record.judged(verdict.ok());
            }
        }
        let mut solved = solved.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| solved.next())).collect())
    }

    /// Returns the pools of questions with their attempts. Each pool has the unsolvable questions with attempts; a note
    /// states their number if it is too small.
    fn pools_of(
        &self,
        questions: &[Question],
        unsolvable: &[Question],
    ) -> Result<Pools, Box<dyn Error>> {
        let whole = match self.pools(questions, unsolvable, self.unsolvable_share) {
            Ok(pools) => return Ok((pools, None)),
            Err(error) => error,
        };
        // Half a problem more makes no difference to how many a share is.
        let share = |problems: usize| (problems as f64 + 0.5) / self.pool_size as f64;
        let most = (self.unsolvable_share * self.pool_size as f64) as usize;
        for problems in (0..most).rev() {
            if let Ok(pools) = self.pools(questions, unsolvable, share(problems)) {
                let note = format!(
                    "{} unsolvable questions have an attempt, so at most {problems} of the {} problems of a pool are unsolvable",
                    unsolvable.len(),
                    self.pool_size
                );
                return Ok((pools, Some(note)));
            }
        }
        Err(whole)
    }

    /// Returns the pools with this share of unsolvable questions, if there are any.
    fn pools(
        &self,
        questions: &[Question],
        unsolvable: &[Question],
        share: f64,
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
        let injected = InjectedPool::inject(&plain, &items(unsolvable)?, share, INJECTION)?;
        let known: BTreeMap<&str, &Question> =
            questions.iter().chain(unsolvable).map(|it| (it.id.as_str(), it)).collect();
        let of_pool = |pool: &InjectedPool| {
            let ids = pool.pool.items().iter();
            ids.filter_map(|item| known.get(item.id()).copied().cloned()).collect()
        };
        Ok(injected.iter().map(of_pool).collect())
    }

    /// Returns the name of plans in the folder, which contains everything that distinguishes two requests for plans.
    fn plan_name(
        &self,
        alpha: Alpha,
        framing: Framing,
        pool: usize,
        without: Option<&str>,
    ) -> String {
        let name = format!("pool-{pool} of {}, alpha {alpha}, {framing}", self.pool_size);
        let without = without.map(|ids| format!("without {:016x}", fnv1a(ids.bytes())));
        joined([Some(name)].into_iter().chain(self.differing()).chain([without]))
    }

    /// Returns the settings that differ from their defaults and affect how plans are made and executed, except for the
    /// size of pools.
    fn differing(&self) -> impl Iterator<Item = Option<String>> {
        let word = |is_set: bool, word: &str| is_set.then(|| word.to_owned());
        let differing = [
            word(self.common.published.is_some(), "published texts"),
            (self.domain != PROBLEMS).then(|| self.domain.clone()),
            self.max_plan_tokens.map(|most| format!("plans of at most {most} tokens")),
            word(self.no_schema, "no schema"),
            self.unsolvable.as_ref().map(|_| format!("{} unsolvable", self.unsolvable_share)),
            self.live.map(|regime| format!("live {regime:?}").to_lowercase()),
            word(self.announce, "announced"),
            word(self.strict_plans, "strict plans"),
            word(self.attempt_zero, "zero allocations attempted"),
        ];
        differing.into_iter()
    }

    /// Returns the mode of the model, and the settings of making and executing plans that differ from the defaults.
    fn mode(&self) -> String {
        let mode = (!self.mode.is_empty()).then(|| self.mode.clone());
        let pools = (self.pool_size != POOL).then(|| format!("pools of {}", self.pool_size));
        joined([mode, pools].into_iter().chain(self.differing()))
    }

    /// Writes the efficiencies for [`triage_variants`](crate::triage::triage_variants). Efficiencies of earlier calls with
    /// other settings are kept.
    fn write_scores(&self, plans: &[TriageRecord]) -> Result<(), Box<dyn Error>> {
        let path = self.common.out.join(SCORES);
        let stem = self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let dataset = self.dataset.clone().or(stem).unwrap_or_default();
        let scores = live::triage_scores(plans, &self.common.model, &self.mode(), &dataset)?;
        let scores = scores.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        let of = |line: &Value| {
            ["model", "mode", "dataset", "variant", "alpha"].map(|key| line[key].to_string())
        };
        let new: BTreeSet<_> = scores.iter().map(of).collect();
        let named = |error: &dyn Error| format!("{}: {error}", path.display());
        let earlier = match run_logs::open_file(&path).and_then(io::read_to_string) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            earlier => earlier.map_err(|error| named(&error))?,
        };
        let earlier = earlier.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
        let earlier = earlier.map_err(|error| named(&error))?;
        let kept = earlier.iter().filter(|line| !new.contains(&of(line)));
        let text: String = kept.chain(&scores).map(|it| format!("{it}\n")).collect();
        Ok(program::write_file(&path, text.as_bytes())?)
    }
}

/// Joins the words that are present, with commas.
fn joined(words: impl Iterator<Item = Option<String>>) -> String {
    words.flatten().collect::<Vec<_>>().join(", ")
}

/// Pools of questions, and a note on them.
type Pools = (Vec<Vec<Question>>, Option<String>);

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
        // The names of plans contain their settings, so that a folder can hold plans of several calls over the same
        // attempts.
        format!("each question alone, {PROBLEMS} in pools")
    }

    fn expect(&self, expected: &mut ExpectedRequests<'_>) -> Result<(), Box<dyn Error>> {
        let (prompts, [questions, unsolvable]) = (self.prompts()?, self.questions()?);
        // Whether there are enough unsolvable questions is known now.
        self.pools(&questions, &unsolvable, self.unsolvable_share)?;
        // While attempts are missing, plans are not known.
        let mut is_open = false;
        let mut attempted = |questions: &[Question]| {
            let mut attempted = Vec::new();
            for question in questions {
                let record = self.known(question, expected)?;
                is_open |= record.is_none();
                let open = Some(Attempted { output_tokens: 1, solved: false });
                let attempt = record.map_or(open, |record| record.attempt);
                attempted.extend(attempt.map(|it| question.clone().with_recorded(it)));
            }
            Ok::<_, agent_benchmarks::Error>(attempted)
        };
        let (pools, _) = self.pools_of(&attempted(&questions)?, &attempted(&unsolvable)?)?;
        for (name, instance) in self.plans(&pools, &prompts, None)? {
            let conversation = instance.conversation();
            let record = match (is_open, conversation.request()) {
                (true, Some(first)) => {
                    expected.add_conversations(first, [1; 2], 1);
                    None
                }
                _ => expected.add(&name, conversation, [1; 2])?,
            };
            let is_re_solved = self.re_solve && instance.settings().alpha().get() == 1.0;
            let Some(record) = record else {
                // Of a plan that is not there yet, each problem may be solved.
                let times = usize::from(self.live.is_some()) + usize::from(is_re_solved);
                for question in instance.questions() {
                    let again = (question.clone(), Some(1));
                    let start = self.start(&again, &prompts);
                    start
                        .request()
                        .into_iter()
                        .for_each(|it| expected.add_requests(it, [0, 1], times));
                }
                continue;
            };
            for (name, again) in self.again(&name, &instance, &record) {
                expected.add(&name, self.start(&again, &prompts), [1; 2])?;
            }
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let (prompts, [questions, unsolvable]) = (self.prompts()?, self.questions()?);
        let mut notes = Vec::new();
        let all = || questions.iter().chain(&unsolvable);
        let named = all().map(|it| (format!("solve {}", it.id), (it.clone(), None)));
        let solved =
            self.solve(asking, "triage: questions", named.collect(), &prompts, &mut notes)?;
        // Questions without an attempt are in no pool.
        let attempted = all().zip(&solved);
        let attempted =
            attempted.filter_map(|(it, record)| Some(it.clone().with_recorded(record.attempt?)));
        let solvable: BTreeSet<&str> = questions.iter().map(|it| it.id.as_str()).collect();
        let (questions_left, unsolvable_left): (Vec<_>, Vec<_>) =
            attempted.partition(|it| solvable.contains(it.id.as_str()));
        let (pools, note) = self.pools_of(&questions_left, &unsolvable_left)?;
        // Once the missing verdicts are there, pools are others.
        let open = all().zip(&solved).filter(|(_, record)| record.attempt.is_none());
        let open = open.map(|(it, _)| format!("{}\n", it.id)).collect::<String>();
        let without = (!notes.is_empty()).then_some(open.as_str());
        let plans = self.plans(&pools, &prompts, without)?;
        let planned = asking.run("triage: plans", &plans, |it| it.conversation())?;
        let again = plans.iter().zip(&planned).flat_map(|((name, instance), record)| {
            let again = self.again(name, instance, record).into_iter();
            again.map(|named| (record.framing, named))
        });
        let again: Vec<_> = again.collect();
        let tries = again.iter().map(|(_, named)| named.clone()).collect();
        let solved_again = self.solve(asking, "triage: again", tries, &prompts, &mut notes)?;
        let re_solved = again.iter().zip(&solved_again).map(|((framing, (_, tried)), record)| {
            let (question, allocation) = tried;
            let before = question.recorded.zip(*allocation).zip(record.attempt);
            let attempts = before.map(|((before, allocation), after)| ReSolve {
                allocation,
                cost: after.output_tokens,
                solved_before: before.solved,
                solved_after: after.solved,
            });
            live::ReSolved { framing: *framing, problem: question.id.clone(), attempts }
        });
        let re_solved: Vec<_> = re_solved.collect();
        let options = self.common.live();
        let mut report = live::triage(&solved, &planned, &re_solved, &options)?;
        report.together.say(Position::Note, notes.into_iter().chain(note));
        self.write_scores(&planned)?;
        let asked = solved.into_iter().chain(solved_again).filter(|it| !it.is_recorded());
        let records = asked.map(|it| it.record).chain(planned.into_iter().map(|it| it.record));
        Ok((records.collect(), report))
    }
}
