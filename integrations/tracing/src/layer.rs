use std::{fmt, sync::Arc};

use budget_estimation::{Budget, BudgetMonitor, Error};
use tracing::{Event, Metadata, Subscriber, span};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use crate::{
    attributes::{Fact, Kind},
    count::{Count, Counted},
    model_call::ModelCall,
    monitor::Monitor,
    span_facts::{SpanFacts, amounts, is_amount, is_read},
    watched::Watched,
};

type Price = Box<dyn Fn(&ModelCall) -> Option<f64> + Send + Sync>;

/// A layer that reads the `gen_ai` spans of agents, and counts what they state against a budget.
///
/// A span counts when it closes. The layer only observes: the loop asks a [`Monitor`] whether to go on.
///
/// - A count that the span of a model call does not state is unknown, not 0. It counts as reserved, if
///   [`Monitor::hold`] gave the span a reservation, or else as [`with_assumed`](Self::with_assumed). Otherwise, the budget is
///   stopped if it has a cap on the resource. A loop that knows that a failed call cost nothing can record 0 on its span.
/// - What the span of an agent states counts as far as it exceeds what the spans below it have used, and so does what the span of a
///   call states around another span of the same call.
/// - A model call that repeats a reply id of an agent under way without a different count, and a tool call of an agent that
///   repeats an id, name and stated arguments, are not counted again. A blank id is none.
///
/// Spans are read in any order and by any number of threads. Memory grows with the turns and tool calls of agents, until
/// [`Monitor::take_ended`] takes those that have ended.
///
/// ```
/// use agent_tracing::{Count, GenAiLayer};
/// use budget_estimation::{Advice, Budget, Error};
/// use tracing_subscriber::layer::SubscriberExt;
///
/// let budget = Budget::new([("tokens", Some(4000.0))])?;
/// let layer = GenAiLayer::new(budget, [("tokens", Count::TotalTokens)])?;
/// let monitor = layer.monitor();
/// tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
///     let span = tracing::info_span!(
///         "chat",
///         gen_ai.operation.name = "chat",
///         gen_ai.usage.input_tokens = 1000,
///         gen_ai.usage.output_tokens = tracing::field::Empty,
///     );
///     // The reply of the model has come.
///     span.record("gen_ai.usage.output_tokens", 40);
/// });
/// assert_eq!(monitor.advice(), Advice::Continue);
/// assert_eq!(monitor.left().next(), Some(Some(2960.0)));
/// # Ok::<(), Error>(())
/// ```
pub struct GenAiLayer {
    counts: Vec<Counted>,
    price: Option<Price>,
    watched: Arc<Watched>,
}

impl GenAiLayer {
    /// Creates a layer that counts against a budget. Each count has the name of its resource. Resources without a count, such as
    /// time, are left to the loop.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] for a name that is not in the budget; [`Error::ResourceName`] for a repeated one.
    pub fn new<N: Into<String>>(
        budget: Budget,
        counts: impl IntoIterator<Item = (N, Count)>,
    ) -> Result<Self, Error> {
        let mut all: Vec<Counted> = Vec::new();
        for (name, count) in counts {
            let name = name.into();
            // The budget knows its names.
            budget.spend(&[(&name, 0.0)])?;
            for other in &all {
                drop(Budget::new([(other.resource.as_str(), None), (&name, None)])?);
            }
            all.push(Counted { resource: name, count, assumed: None });
        }
        Ok(Self { counts: all, price: None, watched: Arc::new(Watched::new(budget)) })
    }

    /// Sets what a model call counts of a resource if its span does not state it, such as the largest amount that a call can
    /// use.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] for a resource without a count; [`Error::Amount`] for an amount that is not from 0 to 1e100.
    pub fn with_assumed(mut self, resource: &str, amount: f64) -> Result<Self, Error> {
        let names = self.counts.iter().map(|counted| (counted.resource.as_str(), None));
        Budget::new(names)?.spend(&[(resource, amount)])?;
        let counted = self.counts.iter_mut().filter(|counted| counted.resource == resource);
        counted.for_each(|counted| counted.assumed = Some(amount));
        Ok(self)
    }

    /// Sets the function that returns the cost in US dollars of a call whose span states none. Without it, and where it returns
    /// `None`, the cost is unknown.
    #[must_use]
    pub fn with_price(
        mut self,
        price: impl Fn(&ModelCall) -> Option<f64> + Send + Sync + 'static,
    ) -> Self {
        self.price = Some(Box::new(price));
        self
    }

    /// Makes monitors warn once a share of a cap is spent, such as 0.8. With 1, the default, there is no warning.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] unless the share is from 0 to 1.
    pub fn with_warning_at(self, share: f64) -> Result<Self, Error> {
        let names = self.watched.budget.resources().map(|it| (it.name, None));
        drop(BudgetMonitor::new(names)?.with_warning_at(share)?);
        self.watched.lock().warn_at = Some(share);
        Ok(self)
    }

    /// Returns a handle of the observations of the layer.
    #[must_use]
    pub fn monitor(&self) -> Monitor {
        Monitor { watched: self.watched.clone() }
    }
}

fn reads(metadata: &Metadata<'_>) -> bool {
    metadata.fields().iter().any(|field| is_read(field.name()))
}

// What is recorded is written down before the lock is taken, because formatting it runs the code of the caller.
impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for GenAiLayer {
    fn on_new_span(&self, new: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        if reads(new.metadata()) {
            let mut facts = SpanFacts::default();
            new.record(&mut facts);
            let scope = context.span(id).into_iter().flat_map(|span| span.scope().skip(1));
            let above = scope.map(|span| span.id().into_u64()).collect();
            self.watched.lock().open(id.into_u64(), facts, above);
        }
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        let mut facts = SpanFacts::default();
        values.record(&mut facts);
        if !facts.is_empty() {
            let mut state = self.watched.lock();
            let span = state.open.get_mut(&id.into_u64());
            span.into_iter().for_each(|span| span.facts.add(&facts));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if !reads(event.metadata()) {
            return;
        }
        let mut facts = SpanFacts::default();
        event.record(&mut facts);
        if let Some(confidence) = facts.real(Fact::Confidence) {
            let scope = context.event_scope(event).into_iter().flatten();
            let within: Vec<u64> = scope.map(|span| span.id().into_u64()).collect();
            self.watched.lock().confide(&within, confidence);
        }
    }

    fn on_close(&self, id: span::Id, _: Context<'_, S>) {
        let (span, mut held) = {
            let (mut state, id) = (self.watched.lock(), id.into_u64());
            (state.open.remove(&id), state.held.remove(&id))
        };
        let Some(span) = span else { return };
        let is_call = span.facts.kind() == Some(Kind::ModelCall);
        let mut call = span.facts.model_call();
        let is_innermost = !span.has_call && span.below.iter().all(|below| *below == 0.0);
        let tokens = [call.input_tokens, call.output_tokens, call.total_tokens];
        let has_usage = is_call || tokens.iter().any(Option::is_some);
        if let (Some(price), None, true, true) =
            (&self.price, call.cost_usd, is_innermost, has_usage)
        {
            call.cost_usd = price(&call).filter(|cost| is_amount(*cost));
        }
        if !is_call && amounts(&call).iter().all(Option::is_none) {
            held.take().into_iter().for_each(|held| self.watched.settle(held, &[]));
        }
        self.watched.close(&span, &call, held, &self.counts);
    }
}

impl fmt::Debug for GenAiLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_price = self.price.is_some();
        let fields = (&self.counts, has_price, &self.watched);
        f.debug_tuple("GenAiLayer").field(&fields).finish()
    }
}
