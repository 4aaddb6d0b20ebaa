use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use scoring_rules::Seed;

use crate::warehouse::{
    actions::{Action, Refusal},
    catalogue::{
        BANKRUPT, CASH, CREDIT, Cents, DAYS, DELIVERY, DEPOSIT, DISCOUNTS, FACTORING, FLOOR,
        Freight, HOLDING, INTEREST, MOST_TRUCKS, NET, OPEX, OVERSTOCK, OVERSTOCK_ABOVE, RATES,
        ROOM, ROOMS, Retailer, STEPS, STOCKED, STOCKOUT, Sku, TRANSIT, TRUCK, TRUCK_COST, WEEKS,
    },
    demand::{Demand, Start, below},
    flows::Flows,
};

/// Lots in production at the factory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Order {
    sku: Sku,
    units: i64,
    by: Freight,
    done: u32,
    deposit: Cents,
    balance: Cents,
}

impl Order {
    fn freight(&self) -> Cents {
        let cents = self.units * self.sku.product().grams * RATES[self.by as usize];
        Cents::new((cents + 500) / 1_000)
    }

    /// Returns the amount to pay before the order is shipped.
    pub(super) fn due(&self) -> Cents {
        self.balance + self.freight()
    }
}

/// Goods in transit.
#[derive(Clone, Debug, PartialEq)]
struct Shipment {
    /// The destination; `None` for the warehouse.
    to: Option<Retailer>,
    sku: Sku,
    units: i64,
    arrives: u32,
}

/// The debt of a retailer for goods that it has bought and not yet paid for.
#[derive(Clone, Debug, PartialEq)]
struct Invoice {
    due: u32,
    amount: Cents,
}

/// A firm that produces, ships and sells for 11 steps of 14 days.
///
/// At the start of a step, actions are carried out by [`Game::act`] in their order; then [`Game::advance`] lets 14 days pass. On
/// each day, retailers pay the amounts due; complete orders are paid and shipped if the cash suffices, and otherwise wait; goods
/// arrive. At the end of the step, retailers meet the demand from their stock, and storage, fixed costs and interest are paid.
///
/// ```
/// use agent_benchmarks::{Seed, warehouse::{Cents, Demand, Game, Start}};
///
/// let mut game = Game::new(Start::Empty, Demand::draw(Start::Empty, Seed(1)), Seed(1));
/// game.act("produce JCA374 2 air".parse()?)?;
/// // 30 % of 2,000 cables at 5.50 less 8 %.
/// assert_eq!(game.flows().manufacturing, Cents::new(303_600));
/// let step = game.advance();
/// assert_eq!((step.opex, game.cash()), (Cents::new(1_600_000), Cents::new(48_096_400)));
/// # Ok::<(), agent_benchmarks::warehouse::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    pub(super) start: Start,
    demand: Demand,
    rng: ChaCha8Rng,
    step: usize,
    cash: Cents,
    credit: Cents,
    invoices: Vec<Invoice>,
    pub(super) orders: Vec<Order>,
    shipments: Vec<Shipment>,
    /// The units by place (the warehouse, then the retailers) and product.
    goods: [[i64; 5]; 6],
    flows: Flows,
    latest: Option<Flows>,
}

/// Returns the position of a place in [`Game::goods`].
fn row(place: Option<Retailer>) -> usize {
    place.map_or(0, |retailer| retailer as usize + 1)
}

impl Game {
    /// Creates a game at its start. The seed determines the travel times of goods in days.
    #[must_use]
    pub fn new(start: Start, demand: Demand, seed: Seed) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.0);
        // The other stream of a seed draws the demand.
        rng.set_stream(1);
        Self {
            start,
            demand,
            rng,
            step: 0,
            cash: CASH,
            credit: Cents::ZERO,
            invoices: Vec::new(),
            orders: Vec::new(),
            shipments: Vec::new(),
            goods: if start == Start::Stocked { STOCKED } else { [[0; 5]; 6] },
            flows: Flows::default(),
            latest: None,
        }
    }

    /// Returns the number of past steps.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.step
    }

    /// Returns the number of past days.
    #[must_use]
    pub const fn day(&self) -> u32 {
        self.step as u32 * DAYS
    }

    /// Returns the cash.
    #[must_use]
    pub const fn cash(&self) -> Cents {
        self.cash
    }

    /// Returns the amount of credit that is used.
    #[must_use]
    pub const fn credit(&self) -> Cents {
        self.credit
    }

    /// Returns the credit still available.
    #[must_use]
    pub fn credit_left(&self) -> Cents {
        CREDIT - self.credit
    }

    /// Returns the receivables, which are the debts of retailers.
    #[must_use]
    pub fn receivables(&self) -> Cents {
        self.invoices.iter().map(|invoice| invoice.amount).sum()
    }

    /// Returns the number of units of a product at a retailer, or in the warehouse for `None`.
    #[must_use]
    pub fn stock(&self, place: Option<Retailer>, sku: Sku) -> i64 {
        self.goods[row(place)][sku as usize]
    }

    /// Returns the number of units at a place.
    pub(super) fn stocks(&self, place: Option<Retailer>) -> i64 {
        self.goods[row(place)].iter().sum()
    }

    /// Returns the number of units of a product in production at the factory.
    #[must_use]
    pub fn in_production(&self, sku: Sku) -> i64 {
        self.orders.iter().filter(|order| order.sku == sku).map(|order| order.units).sum()
    }

    /// Returns the number of units of a product in transit to a retailer, or to the warehouse for `None`.
    #[must_use]
    pub fn in_transit(&self, to: Option<Retailer>, sku: Sku) -> i64 {
        let there = self.shipments.iter().filter(|it| it.to == to && it.sku == sku);
        there.map(|shipment| shipment.units).sum()
    }

    /// Returns the number of complete units of a product.
    pub(super) fn complete(&self, sku: Sku) -> i64 {
        let shipped = self.shipments.iter().filter(|it| it.sku == sku).map(|it| it.units);
        self.goods.iter().map(|row| row[sku as usize]).chain(shipped).sum()
    }

    /// Returns the demand in a past step (the first is 0); `None` for the current and future steps.
    #[must_use]
    pub fn demand(&self, step: usize, retailer: Retailer, sku: Sku) -> Option<u32> {
        (step < self.step).then(|| self.demand.units(step, retailer, sku))
    }

    /// Returns the flows of the current step so far.
    #[must_use]
    pub const fn flows(&self) -> &Flows {
        &self.flows
    }

    /// Returns the flows of the latest completed step; `None` during the first step.
    #[must_use]
    pub const fn latest(&self) -> Option<&Flows> {
        self.latest.as_ref()
    }

    /// Returns whether all steps have passed or the firm is [bankrupt](Self::is_bankrupt).
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.step >= STEPS || self.is_bankrupt()
    }

    /// Returns whether cash is below -200,000 dollars, which ends the game.
    #[must_use]
    pub fn is_bankrupt(&self) -> bool {
        self.cash < FLOOR
    }

    /// Returns the net worth: cash, receivables, completed goods and deposits on orders, minus credit. Goods are valued
    /// at their unit cost in the smallest lot, so that each step changes the sum by [`Flows::worth`].
    #[must_use]
    pub fn worth(&self) -> Cents {
        let deposits: Cents = self.orders.iter().map(|order| order.deposit).sum();
        let goods = cost_of(|sku| self.complete(sku));
        self.cash + self.receivables() + deposits + goods - self.credit
    }

    /// Returns the cash, plus the cost of the goods in the warehouse and at the retailers. The combined score of the
    /// paper's section C.5 adds this value to the sum of rewards.
    #[must_use]
    pub fn ending_value(&self) -> Cents {
        self.cash + cost_of(|sku| self.goods.iter().map(|row| row[sku as usize]).sum())
    }

    /// Carries out an action.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the action is not possible; then nothing has changed.
    pub fn act(&mut self, action: Action) -> Result<(), Refusal> {
        if self.has_ended() {
            return Err(Refusal::Ended);
        }
        match action {
            Action::Produce { sku, lots, by } => self.produce(sku, lots, by),
            Action::Replenish { retailer, sku, trucks } => self.replenish(retailer, sku, trucks),
            Action::DrawCredit(amount) => {
                at_most(amount, self.credit_left(), "the credit line has left")?;
                self.credit += amount;
                self.cash += amount;
                self.flows.drawn += amount;
                Ok(())
            }
            Action::RepayCredit(amount) => {
                at_most(amount, self.credit, "is owed")?;
                pay(&mut self.cash, amount)?;
                self.credit -= amount;
                self.flows.repaid += amount;
                Ok(())
            }
            Action::FactorReceivables(amount) => self.factor(amount),
            Action::Pass => Ok(()),
        }
    }

    fn produce(&mut self, sku: Sku, lots: i64, by: Freight) -> Result<(), Refusal> {
        let product = sku.product();
        let discount = usize::try_from(lots).ok().and_then(|it| DISCOUNTS.get(it.wrapping_sub(1)));
        let discount = discount.ok_or(Refusal::Unknown)?;
        let units = lots * product.lot;
        let total = (product.cost * units).per_mille(1_000 - discount);
        let deposit = total.per_mille(DEPOSIT);
        pay(&mut self.cash, deposit)?;
        self.flows.manufacturing += deposit;
        self.flows.ordered += units;
        let (done, balance) = (self.day() + product.lead, total - deposit);
        self.orders.push(Order { sku, units, by, done, deposit, balance });
        Ok(())
    }

    fn replenish(&mut self, retailer: Retailer, sku: Sku, trucks: i64) -> Result<(), Refusal> {
        if !(1..=MOST_TRUCKS).contains(&trucks) {
            return Err(Refusal::Unknown);
        }
        let units = self.stock(None, sku).min(TRUCK * trucks);
        if units == 0 {
            return Err(Refusal::OutOfStock { sku });
        }
        let cost = TRUCK_COST * ((units + TRUCK - 1) / TRUCK);
        pay(&mut self.cash, cost)?;
        self.flows.freight += cost;
        self.goods[row(None)][sku as usize] -= units;
        let arrives = self.day() + days(&mut self.rng, DELIVERY);
        self.shipments.push(Shipment { to: Some(retailer), sku, units, arrives });
        Ok(())
    }

    fn factor(&mut self, amount: Cents) -> Result<(), Refusal> {
        at_most(amount, self.receivables(), "are outstanding")?;
        let fee = amount.per_mille(FACTORING);
        let mut rest = amount;
        while let Some(last) = self.invoices.last_mut().filter(|_| rest > Cents::ZERO) {
            let sold = rest.min(last.amount);
            rest -= sold;
            last.amount -= sold;
            if last.amount == Cents::ZERO {
                self.invoices.pop();
            }
        }
        self.cash += amount - fee;
        self.flows.factored += amount;
        self.flows.factoring_fee += fee;
        Ok(())
    }

    /// Advances the game by the days of a step, and returns the flows of the step. After the end of the game, it does
    /// nothing.
    pub fn advance(&mut self) -> Flows {
        if self.has_ended() {
            return Flows::default();
        }
        for day in self.day() + 1..=self.day() + DAYS {
            self.pass_day(day);
        }
        self.sell();
        let stock = self.stocks(None);
        let flows = &mut self.flows;
        flows.holding = HOLDING * (WEEKS * stock);
        flows.opex = OPEX * WEEKS;
        flows.interest = self.credit.per_mille(INTEREST);
        self.cash -= flows.holding + flows.opex + flows.interest;
        if self.cash < Cents::ZERO {
            flows.bankruptcy = BANKRUPT;
        }
        flows.item_weeks = WEEKS * self.goods.iter().flatten().sum::<i64>();
        for retailer in Retailer::ALL {
            // In hundredths of units, because 95 % of a capacity need not be whole.
            let full = OVERSTOCK_ABOVE * ROOMS[retailer as usize];
            let above = (100 * self.stocks(Some(retailer)) - full).max(0);
            self.flows.overstock += Cents::new(OVERSTOCK.get() * above / 100);
        }
        self.step += 1;
        let flows = std::mem::take(&mut self.flows);
        self.latest = Some(flows.clone());
        flows
    }

    fn pass_day(&mut self, day: u32) {
        for invoice in self.invoices.extract_if(.., |it| it.due <= day) {
            self.cash += invoice.amount;
            self.flows.collected += invoice.amount;
        }
        let is_paid = |it: &mut Order| it.done <= day && pay(&mut self.cash, it.due()).is_ok();
        for order in self.orders.extract_if(.., is_paid) {
            self.flows.manufacturing += order.balance;
            self.flows.freight += order.freight();
            let Order { sku, units, by, deposit, balance, .. } = order;
            self.flows.discounts += sku.product().cost * units - deposit - balance;
            let arrives = day + days(&mut self.rng, TRANSIT[by as usize]);
            self.shipments.push(Shipment { to: None, sku, units, arrives });
        }
        self.shipments.retain(|&Shipment { to, sku, units, arrives }| {
            let there = &mut self.goods[row(to)];
            let fits = to.is_some() || there.iter().sum::<i64>() + units <= ROOM;
            if arrives > day || !fits {
                return true;
            }
            there[sku as usize] += units;
            false
        });
    }

    fn sell(&mut self) {
        let mut unmet = Cents::ZERO;
        for retailer in Retailer::ALL {
            for sku in Sku::ALL {
                let asked = i64::from(self.demand.units(self.step, retailer, sku));
                let shelf = &mut self.goods[row(Some(retailer))][sku as usize];
                let sold = asked.min(*shelf);
                *shelf -= sold;
                self.flows.sold += sold;
                self.flows.revenue += retailer.price(sku) * sold;
                self.flows.cost_of_sales += sku.product().cost * sold;
                unmet += retailer.price(sku) * (asked - sold);
            }
        }
        self.flows.stockout = unmet.per_mille(STOCKOUT);
        let (due, amount) = (self.day() + DAYS + NET, self.flows.revenue);
        if amount > Cents::ZERO {
            self.invoices.push(Invoice { due, amount });
        }
    }
}

fn pay(cash: &mut Cents, needed: Cents) -> Result<(), Refusal> {
    if needed > *cash {
        return Err(Refusal::CashShort { needed, available: *cash });
    }
    *cash -= needed;
    Ok(())
}

/// Returns the cost of these units of each product in the smallest lots.
fn cost_of(units: impl Fn(Sku) -> i64) -> Cents {
    Sku::ALL.map(|sku| sku.product().cost * units(sku)).into_iter().sum()
}

/// Draws a number of days from the first to the last.
fn days(rng: &mut ChaCha8Rng, [first, last]: [u32; 2]) -> u32 {
    first + below(rng, u64::from(last - first + 1)) as u32
}

fn at_most(amount: Cents, available: Cents, what: &'static str) -> Result<(), Refusal> {
    if amount <= Cents::ZERO {
        return Err(Refusal::Amount { word: amount.to_string() });
    }
    if amount > available {
        return Err(Refusal::TooMuch { amount, available, what });
    }
    Ok(())
}
