//! Predictors of success from conversations and their continuations.

use censoring::Continuations;
use run_logs::{Reply, Run};
use scoring_rules::{
    Probability,
    checks::{same_length, setting},
};

use crate::{
    confidence::outcome::ConfidenceRecord,
    engines::continuation::count_continuations,
    error::Error,
    values::checker::{element, plain},
};

/// Returns the share of answers that are in the largest cluster of equivalent answers; `None` without an answer.
///
/// An answer joins the first cluster whose first answer is the `same`. For example, `same` is an exact match, or tests whether
/// each of two answers entails the other.
///
/// Reference: Wang et al. (2023), Self-consistency improves chain of thought reasoning in language models,
/// arXiv:2203.11171.
///
/// ```
/// use agent_benchmarks::confidence::agreement;
///
/// let answers = ["Bern", "Basel", "bern"].map(str::to_owned);
/// let share = agreement(&answers, |a, b| a.eq_ignore_ascii_case(b));
/// assert_eq!(share.map(|it| it.get()), Some(2.0 / 3.0));
/// ```
pub fn agreement(answers: &[String], same: impl Fn(&str, &str) -> bool) -> Option<Probability> {
    let largest = clusters(answers, same).into_iter().map(|(_, size)| size).max()?;
    Probability::new(largest as f64 / answers.len() as f64).ok()
}

/// Returns the semantic confidence `1 - H / ln n`, where H is the entropy over clusters of equivalent answers and n is the number
/// of answers; `None` with fewer than two answers. For clusters see [`agreement`].
///
/// Reference: Kuhn, Gal and Farquhar (2023), Semantic uncertainty, arXiv:2302.09664, with each sample of equal weight.
///
/// ```
/// use agent_benchmarks::confidence::semantic_confidence;
///
/// let confidence = |answers: [&str; 4]| {
///     semantic_confidence(&answers.map(str::to_owned), |a, b| a == b).map(|it| it.get())
/// };
/// assert_eq!(confidence(["a", "a", "a", "a"]), Some(1.0));
/// assert_eq!(confidence(["a", "b", "a", "b"]), Some(0.5));
/// assert_eq!(confidence(["a", "b", "c", "d"]), Some(0.0));
/// ```
pub fn semantic_confidence(
    answers: &[String],
    same: impl Fn(&str, &str) -> bool,
) -> Option<Probability> {
    if answers.len() < 2 {
        return None;
    }
    let share = entropy(answers, same) / (answers.len() as f64).ln();
    Probability::new((1.0 - share).clamp(0.0, 1.0)).ok()
}

/// Returns the confidence `exp(-U_t)` after each step t, where U_t is the weighted root mean square of the
/// uncertainties so far: `U_t = sqrt(mean over s <= t of (W_s u_s)^2)`.
///
/// An uncertainty is at least 0, for example the mean of `-ln p` over the tokens of a step. Weights express the importance of a
/// step in its situation; by default, each weight is 1. The source learns them from distances between texts.
///
/// Reference: Zhao et al. (2024), SAUP: Situation awareness uncertainty propagation on LLM agent, arXiv:2412.01033, equation 1;
/// the exponential turns the uncertainty into a probability.
///
/// # Errors
///
/// [`scoring_rules::Error::Length`] unless there is a weight for each step, and [`scoring_rules::Error::Setting`] for a negative
/// or non-finite value.
///
/// ```
/// use agent_benchmarks::confidence::saup;
///
/// let stream = saup(&[0.5, 0.5, 0.0], None)?;
/// let rms = (0.5_f64 / 3.0).sqrt();
/// assert_eq!(stream[1].get(), (-0.5_f64).exp());
/// assert!((stream[2].get() - (-rms).exp()).abs() < 1e-15);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
pub fn saup(uncertainties: &[f64], weights: Option<&[f64]>) -> Result<Vec<Probability>, Error> {
    if let Some(weights) = weights {
        same_length("weights", uncertainties.len(), weights.len())?;
    }
    let mut squares = 0.0;
    let steps = uncertainties.iter().enumerate().map(|(step, &uncertainty)| {
        let weight = weights.map_or(1.0, |weights| weights[step]);
        for (name, value) in [("uncertainty", uncertainty), ("weight", weight)] {
            setting(name, value, value >= 0.0 && value.is_finite(), "finite and at least 0")?;
        }
        squares += (weight * uncertainty).powi(2);
        Ok(Probability::new((-(squares / (step + 1) as f64).sqrt()).exp())?)
    });
    steps.collect()
}

/// Returns the confidence `exp(-U_t)` after each step t. U_t is the mean over the steps s <= t of two terms: the
/// entropy H_s of the decisions in `sampled`, and the uncertainty inherited from the decisions in `made` before s,
/// which is the sum of `-ln p_r` over r < s.
///
/// `sampled` has, for each step, decisions that were drawn in the same state, and `made` has the decision of the run. `H_s` is
/// the entropy over clusters of the sampled decisions. `p_r` is the share of the made decision among the sampled decisions and
/// itself. The term is a pointwise mutual information, because improbable decisions say little about the usual continuation. For
/// clusters see [`agreement`].
///
/// Reference: Duan et al. (2025), UProp: Investigating the uncertainty propagation of LLMs in multi-step agentic decision-making,
/// arXiv:2506.17419, with clusters instead of a kernel of distances, and a mean over steps instead of equation 9's normalisation,
/// which is undefined for a certain step after an uncertain one.
///
/// # Errors
///
/// [`scoring_rules::Error::Length`] unless there are sampled decisions for each step, and
/// [`scoring_rules::Error::Empty`] for a step without one.
///
/// ```
/// use agent_benchmarks::confidence::uprop;
///
/// let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
/// let sampled = [texts(&["left", "right", "left"]), texts(&["stop", "stop", "stop"])];
/// let usual = uprop(&sampled, &texts(&["left", "stop"]), |a, b| a == b)?;
/// let rare = uprop(&sampled, &texts(&["right", "stop"]), |a, b| a == b)?;
/// // The second step is certain, and inherits what was uncertain about the first.
/// assert_eq!(usual[0], rare[0]);
/// assert!(usual[1] > rare[1]);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
pub fn uprop(
    sampled: &[Vec<String>],
    made: &[String],
    same: impl Fn(&str, &str) -> bool,
) -> Result<Vec<Probability>, Error> {
    same_length("sampled decisions", made.len(), sampled.len())?;
    let (mut inherited, mut total) = (0.0, 0.0);
    let steps = (1..).zip(sampled.iter().zip(made)).map(|(step, (sampled, made))| {
        if sampled.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        total += entropy(sampled, &same) + inherited;
        let alike = sampled.iter().filter(|other| same(made, other)).count() + 1;
        inherited -= (alike as f64 / (sampled.len() + 1) as f64).ln();
        Ok(Probability::new((-total / f64::from(step)).exp())?)
    });
    steps.collect()
}

/// Returns the first text and the size of each cluster.
fn clusters(texts: &[String], same: impl Fn(&str, &str) -> bool) -> Vec<(&str, usize)> {
    let mut clusters: Vec<(&str, usize)> = Vec::new();
    for text in texts {
        match clusters.iter_mut().find(|(first, _)| same(first, text)) {
            Some((_, size)) => *size += 1,
            None => clusters.push((text, 1)),
        }
    }
    clusters
}

/// Returns the entropy over clusters, in nats.
fn entropy(texts: &[String], same: impl Fn(&str, &str) -> bool) -> f64 {
    let shares =
        clusters(texts, same).into_iter().map(|(_, size)| size as f64 / texts.len() as f64);
    shares.map(|share| -share * share.ln()).sum()
}

/// The name of a stream, with its forecasts or the reason why a run lacks it.
pub(super) type Derived = (&'static str, Result<Vec<Probability>, &'static str>);

/// Derives the streams of a run from its tokens and from its continuations from the state before each step. Two answers or
/// actions are equal if they differ only in white space and case.
pub(super) fn derived(record: &ConfidenceRecord, continued: &[Continued]) -> [Derived; 4] {
    let same = |a: &str, b: &str| plain(a) == plain(b);
    let replies = || record.record.run.agent_turns().filter_map(|turn| turn.reply.as_ref());
    let before =
        |step: usize| continued.iter().find(|it| it.step == step).ok_or("no_continuations");
    let each = |value: &dyn Fn(&Continued) -> Option<Probability>| {
        let steps = replies().enumerate();
        let values = steps.map(|(step, _)| {
            // A small number of finished answers would agree by chance.
            let enough = |it: &&Continued| it.answers.len() as u64 >= Continued::MIN_VALID;
            Some(before(step)?).filter(enough).and_then(value).ok_or("too_few_answers")
        });
        values.collect::<Result<Vec<_>, _>>()
    };
    let propagated = || {
        let sampled = replies().enumerate().map(|(step, _)| Ok(before(step)?.actions.clone()));
        let sampled = sampled.collect::<Result<Vec<_>, &str>>()?;
        let action = |reply: &Reply| element(&reply.text, "action").unwrap_or_default().to_owned();
        let made = replies().map(action);
        uprop(&sampled, &made.collect::<Vec<_>>(), same).map_err(|_| "too_few_answers")
    };
    let surprise = || {
        let steps = replies().map(|reply| {
            let logprobs = reply.tokens.as_ref().map(run_logs::Tokens::logprobs);
            let logprobs = logprobs.filter(|it| !it.is_empty()).ok_or("no_logprobs")?;
            Ok(-logprobs.iter().sum::<f64>() / logprobs.len() as f64)
        });
        saup(&steps.collect::<Result<Vec<_>, &str>>()?, None).map_err(|_| "invalid_logprobs")
    };
    [
        ("agreement", each(&|it| agreement(&it.answers, same))),
        ("semantic_entropy", each(&|it| semantic_confidence(&it.answers, same))),
        ("saup", surprise()),
        ("uprop", propagated()),
    ]
}

/// The results of follow-up questions about a run after its end, as input for
/// [`ConfidenceFigures::of`](super::ConfidenceFigures::of).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FollowUp {
    /// The probability that a cut-off run would have succeeded, if it is known from a source other than continuations.
    /// It must not be learned from a stream that is scored.
    pub success: Option<Probability>,
    /// The continuations of the run, from the point where it stopped or from other steps. For a cut-off run,
    /// continuations from its stop give the probability that it would have succeeded. Continuations from a step give
    /// the reference probability to which the forecast of that step is compared. If each step has continuations from
    /// the state before it, the [`Predictor::Derived`](super::Predictor::Derived) streams over continuations are
    /// scored, too.
    pub continued: Vec<Continued>,
    /// Further streams, each with its name: a forecast for each step, or the name of the reason why the run has none.
    /// Examples are answers to [`Instance::probe`](super::Instance::probe), or clusters of answers that a function of
    /// the caller makes.
    pub streams: Vec<(String, Result<Vec<Probability>, String>)>,
}

/// The continuations of a run from one of its steps, made by [`Instance::after`](super::Instance::after) and
/// [`Branch`](crate::Branch).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Continued {
    /// The number of steps that the run had taken before the continuations: 0 for its beginning, and all its steps for
    /// a cut-off run.
    pub step: usize,
    /// The numbers of continuations with each outcome.
    pub counts: Continuations,
    /// The answers of all continuations that gave an answer.
    pub answers: Vec<String>,
    /// The first action of each continuation, as the model wrote it.
    pub actions: Vec<String>,
}

impl Continued {
    /// The minimum number of outcomes from which a probability of success is estimated, as in the paper's appendix
    /// H.2.
    pub const MIN_VALID: u64 = 5;

    /// Summarizes the continuations of a run that start after `step` steps.
    #[must_use]
    pub fn new(step: usize, branches: &[ConfidenceRecord]) -> Self {
        let first_action = |run: &Run| {
            let reply = run.agent_turns().nth(step)?.reply.as_ref()?;
            element(&reply.text, "action").ok().map(str::to_owned)
        };
        let runs = || branches.iter().map(|branch| &branch.record.run);
        Self {
            step,
            counts: count_continuations(runs()),
            answers: branches.iter().filter_map(|branch| branch.answer.clone()).collect(),
            actions: runs().filter_map(first_action).collect(),
        }
    }

    /// Returns the estimated probability of success after the step; `None` with fewer than [`Self::MIN_VALID`]
    /// outcomes.
    #[must_use]
    pub fn success(&self) -> Option<Probability> {
        let estimate = self.counts.estimate().ok()?;
        (self.counts.valid() >= Self::MIN_VALID).then_some(estimate.probability)
    }

    /// Returns an estimate of the squared distance from a forecast F to the true probability of success:
    /// `(F - q)^2 - q (1 - q) / (M - 1)`, where q is the share of successes among M outcomes. The second term corrects
    /// for the sampling error of q, so that the estimate is unbiased, although it can be negative. `None` with fewer
    /// than [`Self::MIN_VALID`] outcomes.
    ///
    /// ```
    /// use agent_benchmarks::{Continuations, Error, Probability, confidence::Continued};
    ///
    /// let counts = Continuations { successes: 4, failures: 1, unresolved: 3, invalid: 1 };
    /// let continued = Continued { counts, ..Continued::default() };
    /// assert_eq!(continued.success().map(|chance| chance.get()), Some(0.8));
    /// let distance = continued.squared_distance(Probability::HALF);
    /// assert!((distance.unwrap() - (0.09 - 0.16 / 4.0)).abs() < 1e-15);
    ///
    /// let few = Continued { counts: Continuations { failures: 0, ..counts }, ..Continued::default() };
    /// assert_eq!(few.success(), None);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn squared_distance(&self, forecast: Probability) -> Option<f64> {
        let (share, outcomes) = (self.success()?.get(), self.counts.valid() as f64);
        Some((forecast.get() - share).powi(2) - share * (1.0 - share) / (outcomes - 1.0))
    }
}
