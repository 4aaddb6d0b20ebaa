use crate::warehouse::catalogue::Cents;

/// The money and goods that move in a step. Each amount is at least 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flows {
    /// Payments from retailers.
    pub collected: Cents,
    /// Receivables sold, before the fee.
    pub factored: Cents,
    /// The fee for sold receivables.
    pub factoring_fee: Cents,
    /// Credit drawn.
    pub drawn: Cents,
    /// Credit repaid.
    pub repaid: Cents,
    /// Interest on credit.
    pub interest: Cents,
    /// Deposits and balances of orders.
    pub manufacturing: Cents,
    /// Shipping from the factory and to retailers.
    pub freight: Cents,
    /// Storage in the warehouse.
    pub holding: Cents,
    /// Fixed costs.
    pub opex: Cents,
    /// Sales, which retailers pay later.
    pub revenue: Cents,
    /// The cost that the sold goods have when they are ordered in the smallest lot.
    pub cost_of_sales: Cents,
    /// Discounts on completed orders.
    pub discounts: Cents,
    /// The chargeback for unmet demand. The recovered texts list it next to revenue, not among the cash flows.
    pub stockout: Cents,
    /// The chargeback for overstocked retailers. The recovered texts list it like the one for unmet demand.
    pub overstock: Cents,
    /// The penalty for cash below 0.
    pub bankruptcy: Cents,
    /// The number of units ordered.
    pub ordered: i64,
    /// The number of units sold.
    pub sold: i64,
    /// The units in the warehouse and at retailers at the end, multiplied by weeks.
    pub item_weeks: i64,
}

impl Flows {
    /// Returns the reward (equation 5).
    #[must_use]
    pub fn reward(&self) -> Cents {
        let profit = self.revenue - self.holding - self.opex;
        profit - self.stockout - self.overstock - self.bankruptcy
    }

    /// Returns the change of cash.
    #[must_use]
    pub fn cash(&self) -> Cents {
        self.collected + self.factored + self.drawn - self.repaid - self.spent()
    }

    /// Returns the money spent: all payments except repaid credit.
    #[must_use]
    pub fn spent(&self) -> Cents {
        let goods = self.manufacturing + self.freight + self.holding + self.opex;
        goods + self.interest + self.factoring_fee
    }

    /// Returns the change of the net worth, [`Game::worth`](crate::warehouse::Game::worth).
    #[must_use]
    pub fn worth(&self) -> Cents {
        let gained = self.revenue - self.cost_of_sales + self.discounts;
        gained - (self.spent() - self.manufacturing)
    }
}
