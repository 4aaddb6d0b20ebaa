use crate::{
    play::conversation::PlayConversation,
    warehouse::{
        actions::Action,
        catalogue::{
            Cents, DAYS, DELIVERY, Freight, MOST_TRUCKS, Retailer, STEPS, Sku, TRANSIT, TRUCK,
        },
        demand::Units,
        environment::Warehouse,
        game::Game,
    },
};

/// The number of days of demand to cover after the arrival of the goods.
const COVER: i64 = 28;
/// The means of transport of all orders.
const BY: Freight = Freight::Ocean;
/// The maximum number of lots in an order.
const MOST_LOTS: i64 = 3;
/// The money that is not spent on orders, in addition to the needs of open orders.
const RESERVE: Cents = Cents::from_dollars(200_000);

/// Creates a player that writes replies like a model. It orders goods by ship, enough for the demand that it expects
/// until four weeks after their arrival, as long as more than 200,000 dollars are free. It knows the average demand of
/// retailers over all games, and learns the demand of the current game from the past steps.
///
/// Asked for the remaining cost, the player answers with the average cost of a step so far, times the number of remaining
/// steps, from 0.8 to 1.25 times.
///
/// ```
/// use agent_benchmarks::{Error, Seed, play::{Play, play}};
/// use agent_benchmarks::warehouse::{STEPS, Start, Warehouse, base_stock};
///
/// let warehouse = Warehouse::new(Start::Empty, Seed(1));
/// let run = Play::new().with_most_turns(STEPS).conversation("1", warehouse)?;
/// let record = play(run, base_stock())?;
/// assert!(record.succeeded && record.reward() > 0.0);
/// assert!(record.turns.iter().all(|turn| turn.spent[0] == 2.0));
/// # Ok::<(), Error>(())
/// ```
pub fn base_stock() -> impl FnMut(&PlayConversation<Warehouse>) -> String {
    |run| {
        let game = run.environment().game();
        if run.is_asking() {
            let steps = game.steps();
            let left = (STEPS - steps) as f64 / steps.max(1) as f64;
            return run.answer_around(|_, spent| left * spent);
        }
        let mut plan = Plan { game: game.clone(), actions: Vec::new() };
        let forecast = forecast(game);
        plan.replenish(&forecast);
        plan.produce(&forecast);
        let actions = Vec::from_iter(plan.actions.iter().map(Action::to_string)).join("; ");
        format!("<answer>{}</answer>", if actions.is_empty() { "pass" } else { &actions })
    }
}

/// Returns the expected demand of a step: the mean of the steps so far and of the prior before the first step, which counts as
/// one step.
fn forecast(game: &Game) -> Units {
    let of = |retailer: Retailer, sku: Sku| {
        let seen = (0..game.steps()).filter_map(|step| game.demand(step, retailer, sku));
        let sum = game.start.prior(retailer) + seen.map(i64::from).sum::<i64>();
        sum / (game.steps() as i64 + 1)
    };
    Retailer::ALL.map(|retailer| Sku::ALL.map(|sku| of(retailer, sku)))
}

/// Actions that a copy of the game has carried out.
struct Plan {
    game: Game,
    actions: Vec<Action>,
}

impl Plan {
    /// Fills shelves up to the demand of two steps: the current step and the days until the next trucks arrive.
    fn replenish(&mut self, forecast: &Units) {
        for sku in Sku::ALL {
            // Retailers share scarce goods in proportion to their needs.
            let lacks = Retailer::ALL.map(|retailer| {
                let place = Some(retailer);
                let there = self.game.stock(place, sku) + self.game.in_transit(place, sku);
                (2 * forecast[retailer as usize][sku as usize] - there).max(0)
            });
            let stock = self.game.stock(None, sku);
            let all: i64 = lacks.iter().sum();
            for (retailer, lack) in Retailer::ALL.into_iter().zip(lacks) {
                let share = if all > stock { lack * stock / all } else { lack };
                let mut trucks = (share + TRUCK / 2) / TRUCK;
                while trucks > 0 {
                    let some = trucks.min(MOST_TRUCKS);
                    self.take(Action::Replenish { retailer, sku, trucks: some });
                    trucks -= some;
                }
            }
        }
    }

    /// Orders the missing goods in rounds of some lots per product, as long as there is money that open orders do not
    /// need.
    fn produce(&mut self, forecast: &Units) {
        let rest = (STEPS as i64 - self.game.steps() as i64) * i64::from(DAYS);
        let lack = |game: &Game, sku: Sku| {
            let product = sku.product();
            let arrival = i64::from(product.lead + TRANSIT[BY as usize][1] + DELIVERY[1]);
            let days = (arrival + COVER).min(rest);
            let asked: i64 = forecast.iter().map(|row| row[sku as usize]).sum();
            let there = game.complete(sku) + game.in_production(sku);
            let lack = asked * days / i64::from(DAYS) - there;
            // Goods that arrive after the last step cannot be sold.
            if arrival <= rest { (lack + product.lot / 2).max(0) / product.lot } else { 0 }
        };
        let mut waiting = Sku::ALL.to_vec();
        // The earliest sales pay for the rest.
        waiting.sort_by_key(|sku| sku.product().lead);
        while !waiting.is_empty() {
            waiting.retain(|&sku| {
                let lots = lack(&self.game, sku).min(MOST_LOTS);
                lots > 0
                    && self.free() > RESERVE
                    && self.take(Action::Produce { sku, lots, by: BY })
            });
        }
    }

    /// Adds an action if it is possible.
    fn take(&mut self, action: Action) -> bool {
        let done = self.game.act(action).is_ok();
        self.actions.extend(done.then_some(action));
        done
    }

    /// Returns the cash and receivables that open orders do not need.
    fn free(&self) -> Cents {
        let due: Cents = self.game.orders.iter().map(|order| order.due()).sum();
        self.game.cash() + self.game.receivables() - due
    }
}
