use tool_graph::{
    Event, PathCoverage, Scenario, Transcript,
    costbench::{EventKind, QuerySeed},
};

use crate::costbench::{
    preferences::Preferences,
    query::{Query, ReleasedQuery},
    settings::CostBench,
    world::World,
};

/// A query of CostBench with its world: tools, costs and events. Made by [`CostBench::instance`].
///
/// ```
/// use agent_benchmarks::Conversation;
/// use agent_benchmarks::costbench::{CostBench, Split, queries};
///
/// let instance = CostBench::new(2)?.instance(&queries(Split::Test, 42)[0]);
/// assert_eq!(instance.reference().total_cost(), instance.scenario().optimal_plan().cost);
///
/// let conversation = instance.conversation();
/// let request = conversation.request().expect("the model speaks first");
/// assert_eq!((request.messages.len(), request.tools.len()), (2, 14));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    pub(super) settings: CostBench,
    pub(super) query: Query,
    pub(super) scenario: Scenario,
    pub(super) seed: QuerySeed,
    reference: Transcript,
    pub(super) kinds: Vec<EventKind>,
    /// The new preferences after each event that changes them, and the released query with these preferences.
    changes: Vec<Option<(Preferences, Option<ReleasedQuery>)>>,
}

impl CostBench {
    /// Creates the world of one query, and computes its optimal run.
    #[must_use]
    pub fn instance(&self, query: &Query) -> Instance {
        let kinds = self.kinds(&query.id);
        let seed = QuerySeed::new(self.global_seed, &query.id);
        let scenario = self
            .cost_model
            .scenario(&self.library, self.global_seed, &query.id, query.task(), &kinds)
            .with_rules(self.rules)
            .with_call_limit(self.call_limit);
        let reference = scenario.optimal_run();
        let mut taken = vec![query.preferences];
        let split = query.preferences.split();
        let changes = scenario.events().iter().enumerate().map(|(place, event)| {
            matches!(event, Event::PreferenceChange).then(|| {
                if let Some(released) = &query.released {
                    let changed = released.changed(seed, place);
                    return (changed.entry().preferences, Some(changed));
                }
                let seed = seed.event(place as u32);
                let preferences = Preferences::another(query.task(), split, &taken, seed);
                taken.push(preferences);
                (preferences, None)
            })
        });
        let changes = changes.collect();
        let (settings, query) = (self.clone(), query.clone());
        Instance { settings, query, scenario, seed, reference, kinds, changes }
    }
}

impl Instance {
    /// Returns the query.
    #[must_use]
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// Returns the benchmark settings.
    #[must_use]
    pub const fn settings(&self) -> &CostBench {
        &self.settings
    }

    /// Returns the tools, costs and events.
    #[must_use]
    pub const fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the optimal run, to which other runs are compared.
    #[must_use]
    pub const fn reference(&self) -> &Transcript {
        &self.reference
    }

    /// Returns the preferences after the event at this position in [`Scenario::events`]; `None` if the event does not
    /// change them. For a released query, they are the preferences of another released query. Otherwise, they differ
    /// from all earlier preferences of the query.
    #[must_use]
    pub fn preferences_after(&self, event: usize) -> Option<Preferences> {
        self.change(event).map(|(preferences, _)| *preferences)
    }

    /// Returns the share of all plans that these paths cover.
    pub(super) fn coverage(&self, paths: &[Vec<String>]) -> PathCoverage {
        match self.scenario.graph().path_coverage(self.scenario.problem(), paths) {
            Ok(coverage) => coverage,
            Err(error) => unreachable!("the tasks of CostBench are chains: {error}"),
        }
    }

    pub(super) fn change(&self, event: usize) -> Option<&(Preferences, Option<ReleasedQuery>)> {
        self.changes.get(event)?.as_ref()
    }

    /// Returns the initial world.
    pub(super) fn world(&self) -> World {
        let given = self.query.released.as_ref().map(|released| released.entry().given);
        World::new(self.seed.0, self.query.task(), given)
    }
}
