use crate::warehouse::{
    catalogue::{Cents, ROOM, ROOMS, Retailer, Sku},
    flows::Flows,
    game::Game,
};

impl Game {
    /// Returns the state in the form of the released texts.
    ///
    /// ```
    /// use agent_benchmarks::{Seed, warehouse::{Demand, Game, Start}};
    ///
    /// let game = Game::new(Start::Empty, Demand::draw(Start::Empty, Seed(1)), Seed(1));
    /// assert!(game.observation().starts_with(
    ///     "=== Step 0 (Day 0) ===\nCash: $500,000 | AR Outstanding: $0\nCredit: $0 used / $200,000 available\n"
    /// ));
    /// ```
    #[must_use]
    pub fn observation(&self) -> String {
        let (step, day, cash, owed) = (self.steps(), self.day(), self.cash(), self.receivables());
        let (used, left) = (self.credit(), self.credit_left());
        let own = Sku::ALL.map(|sku| {
            let (name, stock) = (sku.product().name, self.stock(None, sku));
            let (coming, making) = (self.in_transit(None, sku), self.in_production(sku));
            format!(
                "  {sku} ({name}): {stock} in stock, {coming} in-transit, {making} in production\n"
            )
        });
        let latest = step.checked_sub(1);
        let retailers = Retailer::ALL.map(|retailer| {
            let place = Some(retailer);
            let shelves = Sku::ALL.map(|sku| {
                let demand = latest.and_then(|step| self.demand(step, retailer, sku));
                let demand =
                    demand.map_or("last demand 0".to_owned(), |it| format!("demand [{it}]"));
                let (stock, coming) = (self.stock(place, sku), self.in_transit(place, sku));
                format!("    {sku}: {stock} stock, {coming} in-transit, {demand}\n")
            });
            let (shelved, room) = (self.stocks(place), ROOMS[retailer as usize]);
            format!("  {retailer} (inv {shelved}/{room}):\n{}", shelves.concat())
        });
        let (own, retailers) = (own.concat(), retailers.concat());
        format!(
            "=== Step {step} (Day {day}) ===\nCash: {cash} | AR Outstanding: {owed}\nCredit: {used} used / {left} available\n\nAcme Warehouse (cap {ROOM}):\n{own}\nRetailers:\n{retailers}"
        )
    }
}

impl Flows {
    /// Describes the flows of a step in the form of the released texts: `before` and `after` are the cash. Names of flows that
    /// the released step does not have are this crate's own.
    pub(super) fn report(&self, before: Cents, after: Cents) -> String {
        let moved = [
            ("AR collected", '+', self.collected),
            ("AR factored", '+', self.factored),
            ("Factoring fee", '-', self.factoring_fee),
            ("Credit drawn", '+', self.drawn),
            ("Credit repaid", '-', self.repaid),
            ("Credit interest", '-', self.interest),
            ("Manufacturing", '-', self.manufacturing),
            ("Freight", '-', self.freight),
            ("Holding costs", '-', self.holding),
            ("Fixed opex", '-', self.opex),
        ];
        let moved = moved.into_iter().filter(|(_, _, amount)| *amount > Cents::ZERO);
        let moved = moved.map(|(name, sign, amount)| format!("  {name}: {sign}{amount}\n"));
        let (moved, Self { revenue, holding, stockout, overstock, .. }) =
            (moved.collect::<String>(), self);
        format!(
            "\nCash flow: {before} → {after}\n{moved}Period P&L: revenue {revenue}, holding {holding}, stockout penalty {stockout}, overstock penalty {overstock}\n"
        )
    }
}
