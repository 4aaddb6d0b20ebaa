use std::collections::BTreeMap;

use crate::{error::Error, triage::framing::Framing, values::template::Template};

const NEUTRAL: &str = "Below are {domain}. You will attempt some of them with at most {B} output tokens in \
     total. Leaving problems out is allowed: choose which ones to attempt, and their order.";

const AGENT: &str = "You work on your own and have compute for {B} output tokens. Your assignments are {domain}, \
     more than the compute is likely to cover, and some may be beyond your means; tokens spent on those are lost. \
     Choose which assignments to run, and their order, so that your total reward is as large as possible.";

const EXAM: &str = "This is an examination with a time limit: your answers may take {B} output tokens altogether. The \
     paper in front of you has {domain}. Some questions may be too hard for the time or have no answer you can find, \
     and none is compulsory. Choose which to attempt, and their order, so that your total score is as large as possible.";

/// What follows each opening.
const RULES: &str = "\n\nRules:\n\
     - A right answer earns the points of its problem. A wrong one, or none, earns nothing.\n\
     - Problems are attempted in the order of your plan until the budget does not allow the next one. Nothing is \
     attempted after that.\n\
     - Each entry allots output tokens to one problem. Everything that you write for it counts, drafts and reasoning \
     included.\n\
     - Do not solve anything now. Only the plan is wanted.\n\nProblems:\n\n{problems}\n\n\
     Budget: {B} output tokens. The allocations of your plan together must not exceed it.\n\n\
     Reply with one JSON object and nothing else, first problem first:\n\
     {\"plan\": [{\"id\": \"<id of a problem>\", \"allocation\": <tokens>}]}";

const BANNER: &str = "Budget: {a_i} output tokens for this problem, and not one more. All that you write counts, \
     reasoning, drafts and notes included. Plan a solution that fits, be brief and leave out explanations that nobody \
     needs, and commit to your final answer before the budget is used up.";

/// The wording of the request for a plan under each framing, and of the banner that announces a budget to a solver;
/// the default is in words of our own.
///
/// Places of a plan's text are the `{domain}`, the budget `{B}` and the `{problems}`, and of the banner's the tokens
/// `{a_i}`. The request to solve a problem, in front of which the banner stands, is in words of our own in any case:
/// the paper does not print it.
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
    /// By framing.
    plans: [Template; 3],
    pub(super) banner: Template,
    pub(super) is_published: bool,
}

/// The places of a plan's text.
const OF_PLANS: [&str; 3] = ["domain", "B", "problems"];

impl Default for Prompts {
    fn default() -> Self {
        let own = |opening| Template::new(format!("{opening}{RULES}"), &OF_PLANS);
        Self {
            plans: [NEUTRAL, AGENT, EXAM].map(|opening| own(opening).unwrap_or_default()),
            banner: Template::new(BANNER, &["a_i"]).unwrap_or_default(),
            is_published: false,
        }
    }
}

impl Prompts {
    /// The files of the published wording, which are made from the paper: the planner prompt of appendix B three times,
    /// with the opening paragraph of variant A, B and C of appendix C.2, and the banner of appendix C.1. The names in
    /// braces are left as they are printed.
    pub const FILES: &'static [&'static str] =
        &["planner_neutral.txt", "planner_agent.txt", "planner_exam.txt", "banner.txt"];

    /// The published wording, by the names of its files. Requests for a plan have no JSON schema then, because the texts
    /// have a form of their own.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPlace`] for a place that is never filled in, [`Error::MissingPlace`] without the problems of a plan
    /// or the tokens of the banner, and [`scoring_rules::Error::Empty`] without the text of one of [`Self::FILES`].
    pub fn published(texts: &BTreeMap<&'static str, String>) -> Result<Self, Error> {
        let text = |file: usize, places: &[&str], needed: &'static str| {
            let file = Self::FILES[file];
            let text = texts.get(file).ok_or(scoring_rules::Error::Empty)?;
            if !text.contains(&format!("{{{needed}}}")) {
                return Err(Error::MissingPlace { text: file, name: needed });
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
