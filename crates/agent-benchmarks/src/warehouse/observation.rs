use std::fmt::Write;

use crate::warehouse::{
    catalogue::{ROOM, Retailer, Sku},
    flows::Flows,
    game::Game,
};

impl Game {
    /// The state as the released texts write it.
    ///
    /// ```
    /// use agent_benchmarks::{Seed, warehouse::{Demand, Game, Start}};
    ///
    /// let game = Game::new(Start::Empty, Demand::draw(Start::Empty, Seed::new(1)), Seed::new(1));
    /// assert!(game.observation().starts_with(
    ///     "=== Step 0 (Day 0) ===\nCash: $500,000 | AR Outstanding: $0\nCredit: $0 used / $200,000 available\n"
    /// ));
    /// ```
    #[must_use]
    pub fn observation(&self) -> String {
        let (cash, owed) = (self.cash(), self.receivables());
        let mut text = format!(
            "=== Step {} (Day {}) ===\nCash: {cash} | AR Outstanding: {owed}\nCredit: {} used / {} available\n\nAcme Warehouse (cap {ROOM}):\n",
            self.steps(),
            self.day(),
            self.credit(),
            self.credit_left(),
        );
        for sku in Sku::ALL {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "  {sku} ({}): {} in stock, {} in-transit, {} in production",
                sku.product().name,
                self.stock(None, sku),
                self.in_transit(None, sku),
                self.in_production(sku),
            );
        }
        text.push_str("\nRetailers:\n");
        for retailer in Retailer::ALL {
            let shelved = self.stocks(Some(retailer));
            let _ = writeln!(text, "  {retailer} (inv {shelved}/{}):", retailer.room());
            for sku in Sku::ALL {
                let latest = self.steps().checked_sub(1);
                let demand = latest.and_then(|step| self.demand(step, retailer, sku));
                let demand =
                    demand.map_or("last demand 0".to_owned(), |it| format!("demand [{it}]"));
                let _ = writeln!(
                    text,
                    "    {sku}: {} stock, {} in-transit, {demand}",
                    self.stock(Some(retailer), sku),
                    self.in_transit(Some(retailer), sku),
                );
            }
        }
        text
    }
}

impl Flows {
    /// What a step moved, as the released texts write it: `before` and `after` are the cash. Names of flows that the
    /// released step does not have are this crate's own.
    pub(super) fn report(
        &self,
        before: impl std::fmt::Display,
        after: impl std::fmt::Display,
    ) -> String {
        let mut text = format!("\nCash flow: {before} → {after}\n");
        for (name, sign, amount) in [
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
        ] {
            if amount.get() > 0 {
                let _ = writeln!(text, "  {name}: {sign}{amount}");
            }
        }
        let _ = writeln!(
            text,
            "Period P&L: revenue {}, holding {}, stockout penalty {}, overstock penalty {}",
            self.revenue, self.holding, self.stockout, self.overstock
        );
        text
    }
}
