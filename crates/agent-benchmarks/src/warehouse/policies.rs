use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use scoring_rules::Seed;

use crate::{
    play::conversation::PlayConversation,
    values::names::names,
    warehouse::{
        actions::Action,
        catalogue::{Freight, Retailer, STEPS, Sku},
        cents::Cents,
        demand::below,
        environment::Warehouse,
        game::Game,
        planning::{Rule, forecast},
    },
};

/// The policies that run the warehouse without a model. All of them know the average demand of retailers over all games, and
/// learn the demand of the current game from the past steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// Orders by ship up to the demand until goods arrive and four weeks beyond, and keeps 200,000 dollars in addition to the
    /// needs of open orders.
    BaseStock,
    /// Orders by air the missing goods of the next step, and looks no further.
    Myopic,
    /// Like base-stock, with at most one lot of a product per step, and keeps 250,000 dollars.
    Cautious,
    /// Simulates each of several order-up-to rules to the end, with the expected demand in each step, and takes the actions of
    /// the one that earns most.
    ///
    /// Reference: Bertsekas and Castanon (1999), Rollout algorithms for stochastic scheduling problems, Journal of Heuristics 5,
    /// doi:10.1023/A:1009634810396.
    Lookahead,
    /// Up to four actions at random.
    Random,
}

const BASE_STOCK: Rule = Rule {
    cover: 28,
    looks_ahead: true,
    by: Freight::Ocean,
    most_lots: 3,
    reserve: Cents::from_dollars(200_000),
    borrows: false,
};

names!(
    Policy,
    BaseStock "base-stock",
    Myopic "myopic",
    Cautious "cautious",
    Lookahead "lookahead",
    Random "random",
);

impl Policy {
    /// Creates a player with this policy, who writes the replies of a model. The seed is for random actions.
    ///
    /// Asked for the remaining cost, the player answers with the average cost of a step so far, times the number of remaining
    /// steps, from 0.8 to 1.25 times.
    ///
    /// ```
    /// use agent_benchmarks::{Error, Seed, play::{Play, play}};
    /// use agent_benchmarks::warehouse::{Policy, STEPS, Start, Warehouse};
    ///
    /// let warehouse = Warehouse::new(Start::Empty, Seed::new(1));
    /// let run = Play::new().with_most_turns(STEPS).conversation("1", warehouse)?;
    /// let record = play(run, Policy::BaseStock.player(Seed::new(1)))?;
    /// assert!(record.succeeded && record.reward() > 0.0);
    /// assert!(record.turns.iter().all(|turn| turn.spent[0] == 2.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn player(self, seed: Seed) -> impl FnMut(&PlayConversation<Warehouse>) -> String {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.get());
        move |run| {
            let game = run.environment().game();
            if run.is_asking() {
                let steps = game.steps();
                let left = (STEPS - steps) as f64 / steps.max(1) as f64;
                return run.answer_around(|_, spent| left * spent);
            }
            let actions = match self {
                Self::Random => (0..below(&mut rng, 5)).map(|_| random(&mut rng)).collect(),
                _ => self.actions(game),
            };
            let actions = Vec::from_iter(actions.iter().map(Action::to_string)).join("; ");
            format!("<answer>{}</answer>", if actions.is_empty() { "pass" } else { &actions })
        }
    }

    /// Returns the actions of a step by the rule that earns most.
    fn actions(self, game: &Game) -> Vec<Action> {
        let forecast = forecast(game);
        let rules = self.rules();
        let best = match &rules[..] {
            [one] => Some(one),
            several => several.iter().max_by_key(|rule| rule.expected_reward(game, &forecast)),
        };
        best.map(|rule| rule.actions(game, &forecast)).unwrap_or_default()
    }

    fn rules(self) -> Vec<Rule> {
        match self {
            Self::BaseStock => vec![BASE_STOCK],
            Self::Myopic => {
                vec![Rule { cover: 14, looks_ahead: false, by: Freight::Air, ..BASE_STOCK }]
            }
            Self::Cautious => {
                let reserve = Cents::from_dollars(250_000);
                vec![Rule { most_lots: 1, reserve, ..BASE_STOCK }]
            }
            Self::Random => Vec::new(),
            Self::Lookahead => {
                let reserve = Cents::from_dollars(50_000);
                let covers = [14, 28, 42].into_iter();
                let ways = covers.flat_map(|cover| Freight::ALL.map(|by| (cover, by)));
                let rules = ways.flat_map(|(cover, by)| {
                    [false, true].map(|borrows| Rule { cover, by, borrows, reserve, ..BASE_STOCK })
                });
                rules.chain([BASE_STOCK]).collect()
            }
        }
    }
}

fn random(rng: &mut ChaCha8Rng) -> Action {
    let mut below = |end| below(rng, end);
    let (sku, number) = (Sku::ALL[below(5) as usize], 1 + below(3) as i64);
    let amount = Cents::from_dollars(10_000 * number);
    match below(8) {
        0..=2 => Action::Produce { sku, lots: number, by: Freight::ALL[below(2) as usize] },
        3..=4 => {
            let retailer = Retailer::ALL[below(5) as usize];
            Action::Replenish { retailer, sku, trucks: number }
        }
        5 => Action::DrawCredit(amount),
        6 => Action::RepayCredit(amount),
        _ => Action::FactorReceivables(amount),
    }
}
