use std::collections::BTreeMap;

use knapsack_oracle::{Alpha, PlanReading, Repair};

/// Who plans.
#[derive(Clone, Debug, PartialEq)]
pub enum Planner {
    /// Everything in the order of the problems, an equal share of the budget each.
    AllInOrder,
    /// The cheapest first, by true cost.
    CheapestFirst,
    /// Everything in random order, an equal share of the budget each.
    Random,
    /// The best plan there is.
    Oracle,
    /// A model.
    Model {
        /// Names the model, or the file of its answers.
        name: String,
        /// What it wrote.
        answers: Answers,
    },
}

impl Planner {
    /// The planners that need no answers.
    const NAMED: [Self; 4] = [Self::AllInOrder, Self::CheapestFirst, Self::Random, Self::Oracle];

    /// The planner of this name, unless it is a model.
    ///
    /// ```
    /// use agent_scorecard::triage::Planner;
    ///
    /// assert_eq!(Planner::named("oracle"), Some(Planner::Oracle));
    /// assert_eq!(Planner::named("some-model"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|planner| planner.name() == name)
    }

    /// The name in options and reports.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::AllInOrder => "all-in-order",
            Self::CheapestFirst => "cheapest-first",
            Self::Random => "random",
            Self::Oracle => "oracle",
            Self::Model { name, .. } => name,
        }
    }

    /// Whether the planner sees true costs or outcomes, so that it is a reference and not a contestant.
    #[must_use]
    pub const fn is_informed(&self) -> bool {
        matches!(self, Self::CheapestFirst | Self::Oracle)
    }
}

/// What a model wrote when it was asked for plans.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// One text, which is read for each pool with each budget.
    One(String),
    /// Texts by pool, by the bits of the ratio of unsolvable problems, and by the bits of alpha; `None` for
    /// any alpha.
    Each(BTreeMap<(usize, u64, Option<u64>), String>),
}

impl Answers {
    /// Adds the text for a pool, counted from 0, a ratio of unsolvable problems, 0 for none, and a budget,
    /// `None` for any. False if there is one already, which stays.
    ///
    /// ```
    /// use agent_scorecard::triage::Answers;
    ///
    /// let mut answers = Answers::Each(Default::default());
    /// assert!(answers.insert(0, 0.0, None, "[]".to_owned()));
    /// assert!(!answers.insert(0, 0.0, None, "{}".to_owned()));
    /// ```
    pub fn insert(&mut self, pool: usize, ratio: f64, alpha: Option<Alpha>, text: String) -> bool {
        let Self::Each(texts) = self else { return false };
        // Adding 0 turns -0 into 0.
        let ratio = (ratio + 0.0).to_bits();
        let alpha = alpha.map(|alpha| alpha.get().to_bits());
        let (any, last) = ((pool, ratio, None), (pool, ratio, Some(u64::MAX)));
        let is_taken = match alpha {
            None => texts.range(any..=last).next().is_some(),
            Some(_) => texts.contains_key(&any) || texts.contains_key(&(pool, ratio, alpha)),
        };
        if !is_taken {
            texts.insert((pool, ratio, alpha), text);
        }
        !is_taken
    }

    /// The text for a pool, a ratio of unsolvable problems and a budget, if there is one.
    #[must_use]
    pub fn get(&self, pool: usize, ratio: f64, alpha: Alpha) -> Option<&str> {
        let texts = match self {
            Self::One(text) => return Some(text),
            Self::Each(texts) => texts,
        };
        let alphas = [None, Some(alpha.get().to_bits())].into_iter();
        let mut found = alphas.filter_map(|alpha| texts.get(&(pool, ratio.to_bits(), alpha)));
        found.next().map(String::as_str)
    }
}

/// How a text was read.
pub(super) const fn name_of_reading(reading: Option<&PlanReading>) -> &'static str {
    match reading {
        None => "missing",
        Some(PlanReading::Plan { repairs, .. }) if repairs.is_empty() => "as_asked",
        Some(PlanReading::Plan { .. }) => "repaired",
        Some(PlanReading::OverBudget { .. }) => "over_budget",
        Some(PlanReading::DuplicateId { .. }) => "duplicate_id",
        Some(_) => "unparseable",
    }
}

/// What was repaired.
pub(super) const fn name_of_repair(repair: &Repair) -> &'static str {
    match repair {
        Repair::TextStripped { .. } => "text_stripped",
        Repair::SeveralPlans { .. } => "several_plans",
        Repair::CutOff { .. } => "cut_off",
        Repair::TrailingCommas { .. } => "trailing_commas",
        Repair::SingleQuotes { .. } => "single_quotes",
        Repair::PaddedId { .. } => "padded_id",
        Repair::OtherName { .. } => "other_name",
        Repair::EntryDropped { .. } => "entry_dropped",
        Repair::UnknownId { .. } => "unknown_id",
        Repair::ExtraFields { .. } => "extra_fields",
        Repair::Allocation { .. } => "allocation",
        Repair::RepeatedId { .. } => "repeated_id",
        _ => "other",
    }
}
