use crate::replay::prefix::Prefix;

/// The facts that a prompt needs to ask for an estimate: the usage of each turn, the total usage, and the caps. The
/// caller writes the text around them.
///
/// Its `Display` form has one line per turn, then the amounts used and the caps.
///
/// ```
/// use budget_estimation::{Context, Error, Rollouts};
///
/// let mut rollouts = Rollouts::new(["input_tokens", "output_tokens"])?;
/// rollouts.push(&[900.0, 50.0, 1000.0, 20.0, 1100.0, 80.0], true)?;
/// let output = rollouts.resource("output_tokens")?;
/// rollouts.set_cap(output, 200.0)?;
/// let prefix = rollouts.get(0)?.replay(output)?.nth(1).ok_or(scoring_rules::Error::Empty)?;
///
/// let context = Context::new(&prefix);
/// let [input, output] = &context.resources[..] else { panic!() };
/// let first = (input.costs[0].unwrap(), output.costs[0].unwrap());
/// let text = format!("Turn 1: input {} tokens, output {} tokens", first.0, first.1);
/// assert_eq!(text, "Turn 1: input 900 tokens, output 50 tokens");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Context {
    /// Number of completed turns.
    pub completed_turns: usize,
    /// The resources, in the order of the rollouts.
    pub resources: Vec<ResourceContext>,
}

/// The facts about one resource that a prompt needs.
///
/// ```
/// use budget_estimation::{BudgetMonitor, Context, Error, RecordedRun};
///
/// let mut run = RecordedRun::new(BudgetMonitor::new([("tokens", None), ("usd", None)])?)?;
/// let tokens = run.rollouts().resource("tokens")?;
/// run.push(&[Some(900.0), None])?;
/// let context = Context::new(&run.prefix(tokens)?);
/// let [tokens, usd] = &context.resources[..] else { panic!() };
/// assert_eq!((tokens.name.as_str(), tokens.used, tokens.cap), ("tokens", Some(900.0), None));
/// assert_eq!((&usd.costs[..], usd.used), (&[None][..], None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceContext {
    /// The name of the resource.
    pub name: String,
    /// The cost of each completed turn; `None` for an unknown cost.
    pub costs: Vec<Option<f64>>,
    /// The sum of the costs; `None` if one is unknown.
    pub used: Option<f64>,
    /// The most that the run may spend; `None` without a cap.
    pub cap: Option<f64>,
}

impl Context {
    /// Collects the facts that are known at a prefix.
    #[must_use]
    pub fn new(prefix: &Prefix<'_>) -> Self {
        let resources = prefix.resources().map(|(resource, name)| ResourceContext {
            name: name.to_owned(),
            costs: prefix.costs_of(resource),
            used: prefix.usage_of(resource).map(|usage| usage.total()),
            cap: prefix.cap_of(resource),
        });
        Self { completed_turns: prefix.turns(), resources: resources.collect() }
    }
}
