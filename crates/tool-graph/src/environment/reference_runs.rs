use crate::environment::episode::Episode;
use crate::environment::transcript::Transcript;
use crate::error::Error;
use crate::events::scenario::Scenario;
use crate::plans::greedy::{Greedy, GreedyRule};

/// The runs that an agent's run is compared with.
impl Scenario {
    /// The run of an agent that always follows the optimal plan, knows of no event to come, and
    /// plans anew after each: the ground truth of a world that changes. Its path has the calls that
    /// failed by a ban.
    ///
    /// It ends at the goal, or where there is no way to it. The limit of calls does not hold for
    /// it. Takes [`TieRule::optimal_plan`] at the start, at the goal and for each event, each time
    /// once or twice: exponential at worst.
    ///
    /// Reference: CostBench, appendix B.2, equations 12 and 13.
    ///
    /// # Errors
    ///
    /// As [`Self::optimal_plan`].
    pub fn optimal_run(&self) -> Result<Transcript, Error> {
        let world = self.clone().with_call_limit(usize::MAX);
        let mut episode = Episode::new(&world)?;
        while let Some(plan) = {
            let problem = self.problem().with_initial(episode.state().clone())?;
            self.tie_rule().optimal_plan(episode.graph(), &problem)?
        } {
            if plan.tools().is_empty() {
                break;
            }
            for &tool in plan.tools() {
                if episode.call_tool(tool)?.event.is_some() {
                    break;
                }
            }
        }
        Ok(episode.finish(true))
    }

    /// The run of the greedy policy ([`ToolGraph::greedy_plan`]), which starts anew after each
    /// event. It ends at the goal or where the policy is stuck, which under events it may be
    /// although there is a way. The limit of calls does not hold for it. When an event comes
    /// follows from an optimal plan, so that with events it takes [`TieRule::optimal_plan`] at the
    /// start and once or twice for each: exponential at worst.
    ///
    /// Reference: CostBench, appendix B.2, equations 10 and 11.
    ///
    /// # Errors
    ///
    /// As [`Self::optimal_plan`].
    pub fn greedy_run(&self, rule: GreedyRule) -> Result<Transcript, Error> {
        let world = self.clone().with_call_limit(usize::MAX);
        let mut episode = Episode::new(&world)?;
        let Some(greedy) = Greedy::new(self.graph(), self.problem())? else {
            return Ok(episode.finish(true));
        };
        let mut previous = None;
        while !episode.goal_reached() {
            let choice = greedy.choice(episode.graph(), episode.state(), previous, rule);
            let Some(tool) = choice else { break };
            let event = episode.call_tool(tool)?.event;
            previous = if event.is_none() { Some(tool) } else { None };
        }
        Ok(episode.finish(true))
    }
}
