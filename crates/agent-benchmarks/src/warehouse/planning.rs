//! Actions by an order-up-to rule, and the expected earnings of a rule.

use crate::warehouse::{
    actions::Action,
    catalogue::{DAYS, DELIVERY, Freight, MOST_TRUCKS, Retailer, STEPS, Sku, TRANSIT, TRUCK},
    cents::Cents,
    demand::{Demand, Units},
    game::Game,
};

/// An order-up-to rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    /// Days of demand to cover beyond the arrival of the goods.
    pub(super) cover: i64,
    /// Whether days until goods arrive count.
    pub(super) looks_ahead: bool,
    /// The means of transport.
    pub(super) by: Freight,
    /// The maximum number of lots in an order; if it is 1, a product has at most one order per step.
    pub(super) most_lots: i64,
    /// The money that orders leave untouched.
    pub(super) reserve: Cents,
    /// Whether all credit is drawn and all receivables are sold.
    pub(super) borrows: bool,
}

/// Returns the expected demand of a step: the mean of the steps so far and of the prior before the first step, which counts as
/// one step.
pub(super) fn forecast(game: &Game) -> Units {
    let of = |retailer: Retailer, sku: Sku| {
        let seen = (0..game.steps()).filter_map(|step| game.demand(step, retailer, sku));
        let sum = game.start.prior(retailer) + seen.map(i64::from).sum::<i64>();
        sum / (game.steps() as i64 + 1)
    };
    Retailer::ALL.map(|retailer| Sku::ALL.map(|sku| of(retailer, sku)))
}

impl Rule {
    /// Returns the actions of a step, which the game can carry out.
    pub(super) fn actions(&self, game: &Game, forecast: &Units) -> Vec<Action> {
        let mut plan = Plan { game: game.clone(), actions: Vec::new() };
        if self.borrows {
            plan.take(Action::DrawCredit(game.credit_left()));
            plan.take(Action::FactorReceivables(game.receivables()));
        }
        self.replenish(&mut plan, forecast);
        self.produce(&mut plan, forecast);
        plan.actions
    }

    /// Fills shelves up to the demand of two steps: the current step and the days until the next trucks arrive.
    fn replenish(&self, plan: &mut Plan, forecast: &Units) {
        for sku in Sku::ALL {
            // Retailers share scarce goods in proportion to their needs.
            let lacks = Retailer::ALL.map(|retailer| {
                let place = Some(retailer);
                let there = plan.game.stock(place, sku) + plan.game.in_transit(place, sku);
                (2 * forecast[retailer as usize][sku as usize] - there).max(0)
            });
            let stock = plan.game.stock(None, sku);
            let all: i64 = lacks.iter().sum();
            for (retailer, lack) in Retailer::ALL.into_iter().zip(lacks) {
                let share = if all > stock { lack * stock / all } else { lack };
                let mut trucks = (share + TRUCK / 2) / TRUCK;
                while trucks > 0 {
                    let some = trucks.min(MOST_TRUCKS);
                    plan.take(Action::Replenish { retailer, sku, trucks: some });
                    trucks -= some;
                }
            }
        }
    }

    /// Orders the missing goods, some lots of each product in turn, as long as there is money that no order needs.
    fn produce(&self, plan: &mut Plan, forecast: &Units) {
        let rest = (STEPS as i64 - plan.game.steps() as i64) * i64::from(DAYS);
        let lack = |game: &Game, sku: Sku| {
            let product = sku.product();
            let arrival = i64::from(product.lead + TRANSIT[self.by as usize][1] + DELIVERY[1]);
            let ahead = if self.looks_ahead { arrival } else { 0 };
            let days = (ahead + self.cover).min(rest);
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
                let lots = lack(&plan.game, sku).min(self.most_lots);
                let action = Action::Produce { sku, lots, by: self.by };
                let has_money = plan.free() > self.reserve;
                lots > 0 && has_money && plan.take(action) && self.most_lots > 1
            });
        }
    }

    /// Returns the expected earnings of this rule until the end, if the demand equals its forecast.
    pub(super) fn expected_reward(&self, game: &Game, forecast: &Units) -> Cents {
        let step = forecast.map(|row| row.map(|units| u32::try_from(units).unwrap_or(0)));
        let mut game = game.imagined(Demand::new([step; STEPS]));
        let mut reward = Cents::ZERO;
        while !game.has_ended() {
            for action in self.actions(&game, forecast) {
                // A plan has been carried out once.
                let _ = game.act(action);
            }
            reward += game.advance().reward();
        }
        reward
    }
}

/// Actions that a copy of the game has carried out.
struct Plan {
    game: Game,
    actions: Vec<Action>,
}

impl Plan {
    /// Adds an action if it is possible.
    fn take(&mut self, action: Action) -> bool {
        let done = self.game.act(action).is_ok();
        self.actions.extend(done.then_some(action));
        done
    }

    /// Cash and receivables that open orders do not need.
    fn free(&self) -> Cents {
        let due: Cents = self.game.orders.iter().map(|order| order.due()).sum();
        self.game.cash() + self.game.receivables() - due
    }
}
