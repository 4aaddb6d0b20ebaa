use crate::warehouse::cents::Cents;

/// The flows of a step. Each amount is at least 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flows {
    /// Payments from retailers.
    pub collected: Cents,
    /// Receivables that were sold, before the fee.
    pub factored: Cents,
    /// The fee for them.
    pub factoring_fee: Cents,
    /// Credit that was drawn.
    pub drawn: Cents,
    /// Credit that was paid back.
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
    /// The cost of the sold goods in the smallest lot.
    pub cost_of_sales: Cents,
    /// Discounts on orders that were completed.
    pub discounts: Cents,
    /// The chargeback for demand that was not met. The recovered texts list it next to revenue and not among the flows of cash.
    pub stockout: Cents,
    /// The chargeback for overstocked retailers, listed like the stockout.
    pub overstock: Cents,
    /// The penalty for cash below 0.
    pub bankruptcy: Cents,
    /// Units that were ordered.
    pub ordered: i64,
    /// Units that were sold.
    pub sold: i64,
    /// Units in the warehouse and at retailers at the end, times weeks.
    pub item_weeks: i64,
}

impl Flows {
    /// The reward, equation 5.
    #[must_use]
    pub fn reward(&self) -> Cents {
        let profit = self.revenue - self.holding - self.opex;
        profit - self.stockout - self.overstock - self.bankruptcy
    }

    /// The change of cash.
    #[must_use]
    pub fn cash(&self) -> Cents {
        self.collected + self.factored + self.drawn - self.repaid - self.spent()
    }

    /// The money spent: all payments except repaid credit.
    #[must_use]
    pub fn spent(&self) -> Cents {
        let goods = self.manufacturing + self.freight + self.holding + self.opex;
        goods + self.interest + self.factoring_fee
    }

    /// The change of [`Game::worth`](crate::warehouse::Game::worth).
    #[must_use]
    pub fn worth(&self) -> Cents {
        let gained = self.revenue - self.cost_of_sales + self.discounts;
        gained - (self.spent() - self.manufacturing)
    }
}
