use scoring_rules::checks::setting;
use trajectory_metrics::random::PythonRandom;

use crate::{
    costbench::{
        cents::round_to_cents,
        library::Library,
        numpy_random::NumpyRandom,
        seeds::{QuerySeed, hash_seed},
        task::Task,
    },
    error::Error,
};

/// The largest bound of a cost and the largest noise, because larger amounts have no exact cents.
const MAX_SETTING: f64 = 1e9;

/// A rule that derives the random tool costs of a query from seeds.
///
/// ```
/// use tool_graph::costbench::{CostModel, CostRule, Library};
///
/// let library = Library::new(2)?;
/// let released = CostModel::default();
/// let paper = released.with_rule(CostRule::PaperText);
/// let first = |model: CostModel| model.costs(&library, 42, "<Query00001>")[0];
/// assert_eq!(first(released), 23.23);
/// assert_ne!(first(paper), 23.23);
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CostRule {
    /// The rule of the released benchmark, which produced all published tables.
    #[default]
    Released,
    /// The rule of the paper's text: each tool, including atomic tools, has its own seed
    /// `h(global_seed, query_id, name)`.
    ///
    /// The text only states that `h` uses SHA-256. Here `h` is the hash of `"{global_seed}:{query_id}:{name}"` converted as
    /// in [`QuerySeed::new`]. The random streams are the same as in the released benchmark, and atomic costs are rounded to
    /// cents like all costs shown to agents.
    PaperText,
}

scoring_rules::checked! {
    /// The distribution from which CostBench draws costs: the bounds of the costs of atomic tools, the noise of
    /// composite costs, and the rule by which seeds determine costs.
    ///
    /// With bounds `lo` and `hi`, noise `s` and query seed `q`, the released rule is:
    ///
    /// - An atomic tool costs `round(uniform(lo, hi), 2)`. All atomic costs are drawn in library order from one stream,
    ///   CPython's `random.Random(q)`.
    /// - A composite tool with k components costs `round(max(1, sum of their costs + normal(0, s sqrt(k))), 2)`. The noise
    ///   comes from a separate stream for each tool, NumPy's `default_rng` seeded with the hash of `"{q}:{name}"`.
    ///
    /// The defaults are the values of the published tables: 15, 25 and 0.1.
    ///
    /// Reference: CostBench, appendix B.6.1, equations 1 to 3.
    ///
    /// ```
    /// use tool_graph::costbench::{CostModel, Library};
    ///
    /// // Without noise, a composite tool costs as much as its components together.
    /// let exact = CostModel::new(15.0, 25.0, 0.0)?;
    /// let library = Library::new(2)?;
    /// let tools = library.tools(&exact.costs(&library, 42, "<Query00001>"))?;
    /// let cost = |name: &str| tools.iter().find(|tool| tool.name == name).map(|tool| tool.cost);
    /// let [first, second] = ["Search_Dining_Candidates", "Dining_Refinement_Step1"].map(cost);
    /// let sum = first.zip(second).map(|(first, second)| (100.0 * (first + second)).round() / 100.0);
    /// assert_eq!(cost("Dining_Search_to_Step1"), sum);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CostModel {
        min: f64,
        max: f64,
        noise_std: f64,
        rule: CostRule,
    }
    check: CostModel::check
}

#[cfg(feature = "serde")]
impl CostModel {
    fn check(&self) -> Result<(), Error> {
        Self::new(self.min, self.max, self.noise_std).map(|_| ())
    }
}

impl Default for CostModel {
    fn default() -> Self {
        Self { min: 15.0, max: 25.0, noise_std: 0.1, rule: CostRule::Released }
    }
}

impl CostModel {
    /// Creates a model under [`CostRule::Released`]. Costs of atomic tools lie from `min` to `max`, and the noise of a
    /// composite tool has a standard deviation of `noise_std` per component.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless `0 <= min <= max <= 1e9` and `0 <= noise_std <= 1e9`.
    ///
    /// ```
    /// use tool_graph::{Error, costbench::CostModel};
    ///
    /// assert_eq!(CostModel::new(15.0, 25.0, 0.1)?, CostModel::default());
    /// assert!(matches!(CostModel::new(25.0, 15.0, 0.1), Err(Error::ScoringRules(scoring_rules::Error::Setting { value: 15.0, .. }))));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn new(min: f64, max: f64, noise_std: f64) -> Result<Self, Error> {
        let is_low = (0.0..=MAX_SETTING).contains(&min);
        setting("lowest atomic cost", min, is_low, "a number from 0 to 1e9")?;
        let is_high = (min..=MAX_SETTING).contains(&max);
        let range = "a number from the lowest atomic cost to 1e9";
        setting("highest atomic cost", max, is_high, range)?;
        let is_noise = (0.0..=MAX_SETTING).contains(&noise_std);
        setting("noise", noise_std, is_noise, "a number from 0 to 1e9")?;
        Ok(Self { min, max, noise_std, rule: CostRule::Released })
    }

    /// Replaces the rule by which seeds determine costs.
    #[must_use]
    pub const fn with_rule(self, rule: CostRule) -> Self {
        Self { rule, ..self }
    }

    /// Returns the costs of all tools for one query, in library order.
    ///
    /// # Complexity
    ///
    /// One hash and one draw per tool.
    ///
    /// ```
    /// use tool_graph::costbench::{CostModel, Library};
    ///
    /// let costs = CostModel::default().costs(&Library::new(5)?, 42, "<Query00001>");
    /// assert_eq!((costs.len(), costs[0]), (210, 23.23));
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    #[must_use]
    pub fn costs(&self, library: &Library, global_seed: u64, query_id: &str) -> Vec<f64> {
        match self.rule {
            CostRule::Released => self.released(library, QuerySeed::new(global_seed, query_id).0),
            CostRule::PaperText => self.paper_text(library, global_seed, query_id),
        }
    }

    /// Returns the costs of all tools for one query after its costs have changed. The change is event number `event`
    /// of the query, counted from 0.
    ///
    /// The costs are drawn again from [`QuerySeed::changed`], which replaces the query's seed under
    /// [`CostRule::Released`] and the global seed under [`CostRule::PaperText`].
    ///
    /// Reference: CostBench, appendix B.6.2.
    pub(super) fn changed_costs(
        &self,
        library: &Library,
        global_seed: u64,
        query_id: &str,
        event: u32,
    ) -> Vec<f64> {
        let seed = QuerySeed::new(global_seed, query_id).changed(event);
        match self.rule {
            CostRule::Released => self.released(library, seed),
            CostRule::PaperText => self.paper_text(library, seed.into(), query_id),
        }
    }

    fn released(&self, library: &Library, query_seed: u32) -> Vec<f64> {
        let mut stream = PythonRandom::new(query_seed.into());
        self.draw(library, &format!("{query_seed}:"), |_| stream.uniform(self.min, self.max))
    }

    fn paper_text(&self, library: &Library, global_seed: u64, query_id: &str) -> Vec<f64> {
        self.draw(library, &format!("{global_seed}:{query_id}:"), |seeded_name| {
            PythonRandom::new(hash_seed(seeded_name).into()).uniform(self.min, self.max)
        })
    }

    /// Draws all costs in library order. The seed text of a tool is `prefix` followed by its name;
    /// `atomic` draws the cost of an atomic tool from its seed text.
    fn draw(
        &self,
        library: &Library,
        prefix: &str,
        mut atomic: impl FnMut(&[u8]) -> f64,
    ) -> Vec<f64> {
        let mut costs = Vec::with_capacity(library.entries().len());
        let length = library.task_length();
        let mut steps = vec![0.0; Task::ALL.len() * length];
        let mut text = Vec::from(prefix);
        for (tool, name) in library.entries().iter().zip(library.names()) {
            text.truncate(prefix.len());
            text.extend_from_slice(name.as_bytes());
            let start = tool.task as usize * length;
            costs.push(if tool.is_atomic() {
                let cost = round_to_cents(atomic(&text));
                steps[start + tool.first] = cost;
                cost
            } else {
                let components = &steps[start + tool.first..=start + tool.last];
                let sum: f64 = components.iter().sum();
                let noise = NumpyRandom::new(hash_seed(&text).into())
                    .normal(self.noise_std * (components.len() as f64).sqrt());
                round_to_cents((sum + noise).max(1.0))
            });
        }
        costs
    }
}
