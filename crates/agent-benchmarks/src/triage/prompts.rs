use std::collections::BTreeMap;

use crate::{
    error::Error,
    values::{macros::names, question::Question, template::Template},
};

/// The wording of the request for a plan under each framing, and of the banner that tells a solver its budget. By
/// default, the words are this crate's own.
///
/// The placeholders of a plan's text are the `{domain}`, the budget `{B}` and the `{problems}`. The placeholder of the
/// banner's text is the number of tokens `{a_i}`. The request to solve a problem, which follows the banner, is always
/// in words of our own, because the paper does not print it.
///
/// ```
/// use std::collections::BTreeMap;
/// use agent_benchmarks::triage::{Alpha, Prompts, Triage};
///
/// let [neutral, agent, exam, banner] = ["{problems}", "Agent: {problems}", "Exam: {problems}", "At most {a_i}."];
/// let texts = Prompts::FILES.iter().copied().zip([neutral, agent, exam, banner].map(str::to_owned));
/// let mut texts: BTreeMap<_, _> = texts.collect();
/// let setting = Triage::new(Alpha::new(0.5)?).with_prompts(Prompts::published(&texts)?);
///
/// texts.insert(Prompts::FILES[0], "Plan.".to_owned());
/// let error = Prompts::published(&texts).unwrap_err();
/// assert_eq!(error.to_string(), "planner_neutral.txt lacks the place {problems}");
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
///
/// Reference: TRIAGE, appendices B, C.1 and C.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    /// The request for a plan under each framing.
    plans: [Template; 3],
    pub(super) banner: Template,
    pub(super) is_published: bool,
}

/// The names of the placeholders in the request for a plan.
const OF_PLANS: [&str; 3] = ["domain", "B", "problems"];

impl Default for Prompts {
    fn default() -> Self {
        let openings = [
            include_str!("prompts/neutral.txt"),
            include_str!("prompts/agent.txt"),
            include_str!("prompts/exam.txt"),
        ];
        let rules = include_str!("prompts/rules.txt").trim_end();
        let text = |opening: &str| format!("{}\n\n{rules}", opening.trim_end());
        let banner = include_str!("prompts/banner.txt").trim_end();
        Self {
            plans: openings.map(|it| Template::new(text(it), &OF_PLANS).unwrap_or_default()),
            banner: Template::new(banner, &["a_i"]).unwrap_or_default(),
            is_published: false,
        }
    }
}

impl Prompts {
    /// The names of the files with the published wording. This crate does not contain the files; they must be made from
    /// the paper. Three have the planner prompt of appendix B with the opening paragraph of variant A, B or C in
    /// appendix C.2; the last has the banner of appendix C.1. The names in braces must be left as they are printed.
    pub const FILES: &'static [&'static str] =
        &["planner_neutral.txt", "planner_agent.txt", "planner_exam.txt", "banner.txt"];

    /// Creates the published prompts from a map of file names to texts. Requests for a plan then have no JSON schema,
    /// because these texts ask for a different form.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a place that is never filled in and without the problems of a plan
    /// or the tokens of the banner, and [`scoring_rules::Error::Empty`] without the text of one of [`Self::FILES`].
    pub fn published(texts: &BTreeMap<&'static str, String>) -> Result<Self, Error> {
        let text = |file: usize, places: &[&str], needed: &'static str| {
            let file = Self::FILES[file];
            let text = texts.get(file).ok_or(scoring_rules::Error::Empty)?;
            if !text.contains(&format!("{{{needed}}}")) {
                return Err(Error::invalid(format!("{file} lacks the place {{{needed}}}")));
            }
            Template::new(text.as_str(), places)
        };
        let plan = |file| text(file, &OF_PLANS, "problems");
        let (plans, banner) = ([plan(0)?, plan(1)?, plan(2)?], text(3, &["a_i"], "a_i")?);
        Ok(Self { plans, banner, is_published: true })
    }

    pub(super) const fn plan(&self, framing: Framing) -> &Template {
        &self.plans[framing as usize]
    }
}

/// The way in which the request for a plan begins. All framings have the same rules, problems, budget and form.
///
/// Reference: TRIAGE, appendix C.2, in other words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Framing {
    /// The neutral framing: a set of problems and a limit.
    #[default]
    Neutral,
    /// The agent framing: an independent agent that distributes its compute over assignments.
    Agent,
    /// The exam framing: an examination with limited time.
    Exam,
}

names!(Framing, Neutral "neutral", Agent "agent", Exam "exam");

/// Returns the request to solve a problem, with or without an announced budget.
pub(super) fn solving(question: &Question, announced: Option<(&Prompts, u64)>) -> String {
    let banner = announced.map_or(String::new(), |(prompts, tokens)| {
        prompts.banner.fill(|_| tokens.to_string().into()) + "\n\n"
    });
    let prompt = question.prompt();
    format!(
        "{banner}{prompt}\n\nSolve the problem and end with your answer between tags: <answer>…</answer>"
    )
}
