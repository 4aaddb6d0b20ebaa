//! The subcommand `run confidence`.

use std::{error::Error, num::ParseIntError, ops::RangeInclusive, path::PathBuf};

use agent_benchmarks::{
    Branch, Continuations, Conversation, Run, Sampling, StopReason,
    client::ExpectedRequests,
    confidence::{
        Confidence, ConfidenceConversation, ConfidenceRecord, Continued, Corpus, Dataset, FollowUp,
        Instance, Prompts, TruthProbe,
    },
};
use agent_scorecard::{Position, live, options};

use crate::{
    files::bundled::text,
    output::program,
    run::{
        asking::{Asking, Finished, Protocol, questions},
        common::Common,
    },
};

/// The model answers each question in steps and states its confidence after each step. The report scores the stated
/// confidence and, if replies have log-probabilities, the confidence computed from these
#[derive(Debug, clap::Args)]
#[command(after_help = concat!(include_str!("../help/run_confidence.txt"), include_str!("../help/run_questions.txt")))]
pub(crate) struct Options {
    /// File of questions (format: see below)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// Use the limits of the paper for this data set, and seed 42: strategyqa (16 steps, 3 pages per search) or
    /// hotpotqa (7 steps, 5 pages per search)
    #[arg(long, value_name = "NAME", value_parser = options::one_of([("strategyqa", Dataset::StrategyQa), ("hotpotqa", Dataset::HotpotQa)]))]
    preset: Option<Dataset>,
    /// Maximum number of steps of a run (default: 7, or the value of --preset)
    #[arg(long, value_name = "N", value_parser = options::whole::<usize>(1, 1_000))]
    steps: Option<usize>,
    /// File of pages that the model can search, with the actions Search, Lookup, Click and Finish
    #[arg(long, value_name = "PAGES")]
    corpus: Option<PathBuf>,
    /// Require an <explanation> in each reply. If it is missing, the model is asked again, as for a missing confidence
    #[arg(long)]
    explanation: bool,
    /// What to do about a stated confidence outside [0, 1]: clip replaces it by the nearer of 0 and 1, as in the paper;
    /// ask-again asks the model again, as for a missing confidence
    #[arg(long, value_name = "RULE", action = clap::ArgAction::Set, default_value = "clip", value_parser = options::one_of([("clip", true), ("ask-again", false)]))]
    out_of_range: bool,
    /// Number of continuations, with different seeds, of each run that was cut off at the maximum number of steps. The
    /// numbers of successes and failures are written to continuations.jsonl in the --out folder. A run counts only if
    /// at least 5 of its continuations have an outcome
    #[arg(long = "continue", value_name = "M", value_parser = options::whole::<usize>(2, 1_000))]
    branches: Option<usize>,
    /// Further steps from which --continue continues every run: all, or numbers such as 0,2 (0 is the beginning). With
    /// stops, the default, there are no further steps. The numbers of successes and failures are written to steps.jsonl
    /// in the folder. With all, the report also has rows for agreement, semantic entropy and propagated uncertainty
    #[arg(long, value_name = "STEPS", default_value = "stops", requires = "branches", value_parser = at)]
    // With its path it is one value for clap.
    at: std::vec::Vec<RangeInclusive<usize>>,
    /// After each step, ask the model in a separate request whether the step is right. The probability of the letter
    /// that means true is scored as a further confidence
    #[arg(long)]
    p_true: bool,
    /// Maximum number of steps that a continuation adds to a cut-off run (default: the value of --steps)
    #[arg(long, value_name = "N", requires = "branches", value_parser = options::whole::<usize>(1, 1_000))]
    more_steps: Option<usize>,
}

/// Parses the steps after which runs are continued, in addition to the cut-off.
fn at(text: &str) -> Result<Vec<RangeInclusive<usize>>, &'static str> {
    let number = |text: &str| text.trim().parse().map(|step| step..=step);
    match text {
        "stops" => Ok(Vec::new()),
        "all" => Ok(vec![0..=usize::MAX]),
        numbers => numbers.split(',').map(number).collect::<Result<_, _>>(),
    }
    .map_err(|_: ParseIntError| "give stops, all, or numbers as in 0,2")
}

/// The number of points to continue from before their results are counted and their runs are dropped.
const POINTS: usize = 50;

impl Options {
    /// Returns whether runs are continued from a step that is not their last.
    fn goes_on_at(&self, step: usize) -> bool {
        self.at.iter().any(|steps| steps.contains(&step))
    }

    fn more_steps(&self) -> usize {
        self.more_steps.unwrap_or_else(|| self.steps())
    }

    /// Returns the steps after which a run is continued.
    fn points(&self, ConfidenceRecord { record, .. }: &ConfidenceRecord) -> Vec<usize> {
        if self.branches.is_none() {
            return Vec::new();
        }
        let taken = record.run.agent_turns().count();
        let is_cut_off = record.run.stop == Some(StopReason::MaxSteps);
        let wanted = |step: &usize| match *step == taken {
            true => is_cut_off,
            false => self.goes_on_at(*step),
        };
        (0..=taken).filter(wanted).collect()
    }

    /// Returns the continuations of a run after a step, by name; none if it cannot be continued there.
    fn branch<'a>(
        &self,
        id: &str,
        instance: &'a Instance,
        run: &Run,
        step: usize,
    ) -> Result<Vec<(String, Branch<ConfidenceConversation<'a>>)>, agent_benchmarks::Error> {
        let past = instance.after(run, step, self.more_steps())?;
        let name = format!("{id}, after step {step}");
        let branches = self.branches.unwrap_or(0);
        Ok(past.map_or_else(Vec::new, |past| Branch::several(&name, &past, branches)))
    }

    /// Returns the questions whether a run is right, by name.
    fn probes(
        id: &str,
        instance: &Instance,
        run: &Run,
    ) -> Result<Vec<(String, TruthProbe)>, agent_benchmarks::Error> {
        let probe = |step| {
            let name = format!("{id}, is it right at step {step}");
            Ok((name, instance.probe(run, step)?))
        };
        (1..=run.agent_turns().count()).map(probe).collect()
    }

    /// Continues the runs, and adds the results to their follow-ups.
    fn go_on(
        &self,
        branches: usize,
        asking: &Asking<'_>,
        instances: &[(String, Instance)],
        records: &[ConfidenceRecord],
        follow_ups: &mut [FollowUp],
    ) -> Result<(), Box<dyn Error>> {
        let points = records.iter().enumerate();
        let points = points
            .flat_map(|(at, record)| self.points(record).into_iter().map(move |step| (at, step)));
        let points: Vec<(usize, usize)> = points.collect();
        for points in points.chunks(POINTS) {
            let (mut kept, mut conversations) = (Vec::new(), Vec::new());
            for &(at, step) in points {
                let (id, instance) = &instances[at];
                let of_point = self.branch(id, instance, &records[at].record.run, step)?;
                if !of_point.is_empty() {
                    kept.push((at, step));
                    conversations.extend(of_point);
                }
            }
            let ended = asking.run("confidence: continuations", &conversations, Clone::clone)?;
            for (&(at, step), ended) in kept.iter().zip(ended.chunks(branches)) {
                follow_ups[at].continued.push(Continued::new(step, ended));
            }
        }
        Ok(self.write_continuations(instances, records, follow_ups)?)
    }

    /// Asks after each step of the runs whether they are right, and adds the stream `p_true` to their follow-ups.
    fn probe(
        asking: &Asking<'_>,
        instances: &[(String, Instance)],
        records: &[ConfidenceRecord],
        follow_ups: &mut [FollowUp],
    ) -> Result<(), Box<dyn Error>> {
        let runs = records.iter().map(|record| &record.record.run);
        let mut probes = Vec::new();
        for ((id, instance), run) in instances.iter().zip(runs.clone()) {
            probes.extend(Self::probes(id, instance, run)?);
        }
        let answers = asking.run("confidence: is it right", &probes, Clone::clone)?;
        let mut answers = answers.into_iter();
        for (run, follow_up) in runs.zip(follow_ups) {
            let of_run: Vec<_> = answers.by_ref().take(run.agent_turns().count()).collect();
            let stream: Option<Vec<_>> = of_run.into_iter().collect();
            let stream = stream.ok_or_else(|| "no_logprobs".to_owned());
            follow_up.streams.push(("p_true".to_owned(), stream));
        }
        Ok(())
    }

    /// Writes the counts at the stops of runs, as `cut-off --continuations` reads them, and those at other steps.
    fn write_continuations(
        &self,
        instances: &[(String, Instance)],
        records: &[ConfidenceRecord],
        follow_ups: &[FollowUp],
    ) -> Result<(), String> {
        #[derive(serde::Serialize)]
        struct Line<'a> {
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            step: Option<usize>,
            #[serde(flatten)]
            counts: Continuations,
        }
        let mut files = [String::new(), String::new()];
        for ((id, _), (record, follow_up)) in instances.iter().zip(records.iter().zip(follow_ups)) {
            let taken = record.record.run.agent_turns().count();
            for &Continued { step, counts, .. } in &follow_up.continued {
                let step = (step < taken).then_some(step);
                let line = serde_json::to_string(&Line { id, step, counts });
                let line = line.map_err(|error| error.to_string())?;
                files[usize::from(step.is_some())] += &format!("{line}\n");
            }
        }
        for (name, content) in ["continuations.jsonl", "steps.jsonl"].into_iter().zip(&files) {
            program::write_file(&self.common.out.join(name), content.as_bytes())?;
        }
        Ok(())
    }

    fn steps(&self) -> usize {
        let preset = self.preset.map(|preset| Confidence::published(preset).step_limit());
        self.steps.or(preset).unwrap_or(7)
    }

    /// Returns the sampling of the paper's table 15, with the requested length of replies.
    fn sampling(&self) -> Sampling {
        let published = Confidence::published(Dataset::HotpotQa).sampling().clone();
        let temperature = self.common.temperature(published.temperature.unwrap_or(0.0));
        Sampling {
            temperature,
            // A model that takes no temperature takes no other setting of sampling.
            top_p: temperature.and(published.top_p),
            seed: self.preset.and(published.seed),
            ..self.common.sampling()
        }
    }

    fn protocol(&self) -> Result<Confidence, Box<dyn Error>> {
        let mut setting = Confidence::published(self.preset.unwrap_or(Dataset::HotpotQa))
            .with_step_limit(self.steps())?
            .with_sampling(self.sampling())
            .with_explanation(self.explanation)
            .with_clipping(self.out_of_range);
        if let Some(texts) = self.common.texts(Prompts::FILES)? {
            if self.corpus.is_none() {
                return Err(
                    "--published: the published actions search pages; give --corpus, too".into()
                );
            }
            setting = setting.with_prompts(Prompts::published(&texts)?);
        }
        if let Some(path) = &self.corpus {
            let at = |problem: String| format!("--corpus: {}: {problem}", path.display());
            let text = text(path).map_err(|error| format!("--corpus: {error}"))?;
            let corpus = Corpus::read(&text).map_err(|error| at(error.to_string()))?;
            if corpus.is_empty() {
                return Err(at("holds no page".to_owned()).into());
            }
            setting = setting.with_corpus(corpus);
        }
        Ok(setting)
    }

    fn instances(&self) -> Result<Vec<(String, Instance)>, Box<dyn Error>> {
        let setting = self.protocol()?;
        let questions = questions(&self.file)?;
        Ok(questions.into_iter().map(|it| (it.id.clone(), setting.instance(&it))).collect())
    }
}

impl Protocol for Options {
    const NAME: &'static str = "confidence";
    const FORM: &'static str = "<thought>...</thought>, an <action>...</action> of those in the instructions, and <confidence>p</confidence> with p from 0 to 1";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        let actions = if self.corpus.is_some() { "pages" } else { "no pages" };
        let explanation = if self.explanation { ", explanations" } else { "" };
        let texts = self.common.name_of_texts();
        let asked =
            if self.out_of_range { "" } else { ", confidence outside [0, 1] asked for again" };
        format!("at most {} steps, {actions}{explanation}{asked}, {texts}", self.steps())
    }

    fn expect(&self, expected: &mut ExpectedRequests<'_>) -> Result<(), Box<dyn Error>> {
        if self.p_true {
            self.common.check_logprobs("--p-true")?;
        }
        // Each step may be asked for again twice.
        let most = self.steps().saturating_mul(3);
        let more = self.more_steps().saturating_mul(3);
        for (id, instance) in self.instances()? {
            let ended = expected.add(&id, instance.conversation(), [1, most])?;
            let Some(record) = ended else {
                let start = instance.conversation();
                let Some(first) = start.request() else { continue };
                // Of a run that is not there yet, only the beginning is certain, and any may be cut off.
                let steps = (0..self.steps()).filter(|step| self.goes_on_at(*step));
                let points = steps.map(|step| [usize::from(step == 0), most - 3 * step]);
                for range in points.chain([[0, more]]) {
                    expected.add_conversations(first, range, self.branches.unwrap_or(0));
                }
                expected.add_conversations(first, [1, self.steps()], usize::from(self.p_true));
                continue;
            };
            let run = &record.record.run;
            for step in self.points(&record) {
                let left = if step < self.steps() { most - 3 * step } else { more };
                for (name, branch) in self.branch(&id, &instance, run, step)? {
                    expected.add(&name, branch, [1, left])?;
                }
            }
            if self.p_true {
                for (name, probe) in Self::probes(&id, &instance, run)? {
                    expected.add(&name, probe, [1; 2])?;
                }
            }
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let instances = self.instances()?;
        let records = asking.run(Self::NAME, &instances, |it| it.conversation())?;
        let mut follow_ups = vec![FollowUp::default(); records.len()];
        if let Some(branches) = self.branches {
            self.go_on(branches, asking, &instances, &records, &mut follow_ups)?;
        }
        if self.p_true {
            Self::probe(asking, &instances, &records, &mut follow_ups)?;
        }
        let mut report = live::confidence(&records, &follow_ups, &self.common.live())?;
        if self.branches.is_some() && self.sampling().temperature == Some(0.0) {
            report.together.say(Position::Note, [SAMPLED.to_owned()]);
        }
        Ok((records.into_iter().map(|record| record.record).collect(), report))
    }
}

/// The note on continuations that are sampled at temperature 0.
const SAMPLED: &str = "continuations at temperature 0 are alike and say nothing about chances of success, unless the server still draws at random";
