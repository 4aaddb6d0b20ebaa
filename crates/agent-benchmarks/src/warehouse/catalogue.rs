//! All constants of the rules, with their sources.

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Sub, SubAssign},
};

use crate::values::macros::names;

/// A product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sku {
    /// A hub.
    Jcd543,
    /// A docking station.
    Jcd612,
    /// A cable.
    Jca374,
    /// An adapter.
    Jua365,
    /// A small dock.
    Jcd389,
}

names!(Sku, Jcd543 "JCD543", Jcd612 "JCD612", Jca374 "JCA374", Jua365 "JUA365", Jcd389 "JCD389");

/// A retailer, which sells the firm's goods from its shelves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retailer {
    /// A mass discounter.
    MegaMart,
    /// A seller of electronics.
    TechZone,
    /// A seller of household goods.
    ValueCo,
    /// A seller of office supplies.
    OfficePlus,
    /// SupplyDirect, which sells directly to small accounts.
    SupplyDirect,
}

names!(
    Retailer,
    MegaMart "MegaMart",
    TechZone "TechZone",
    ValueCo "ValueCo",
    OfficePlus "OfficePlus",
    SupplyDirect "SD"
);

/// The means of transport from the factory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Freight {
    /// By ship, in 28 to 36 days.
    Ocean,
    /// By aeroplane, in 5 to 7 days.
    Air,
}

names!(Freight, Ocean "ocean", Air "air");

/// The properties shared by all units of a product.
#[derive(Debug)]
pub(super) struct Product {
    /// The name in observations. Recovered.
    pub(super) name: &'static str,
    /// The smallest lot. Recovered.
    pub(super) lot: i64,
    /// The number of days from order to completion. From 25 for cables to 45 for docks (C.3); the values in between are
    /// chosen.
    pub(super) lead: u32,
    /// The unit cost in the smallest lot: about 45 % of the price. Chosen.
    pub(super) cost: Cents,
    /// The weight in grams. Chosen.
    pub(super) grams: i64,
}

const fn product(name: &'static str, lot: i64, lead: u32, cost: i64, grams: i64) -> Product {
    Product { name, lot, lead, cost: Cents::new(cost), grams }
}

const PRODUCTS: [Product; 5] = [
    product("USB-C 9-in-1 Multi-Port Hub", 500, 32, 1_700, 150),
    product("USB-C 4K Docking Station", 300, 45, 3_600, 900),
    product("USB-C to 4K HDMI Cable 1.8m", 1_000, 25, 550, 120),
    product("USB 3.0 to HDMI/VGA Adapter", 500, 30, 1_350, 180),
    product("USB-C Compact Travel Dock", 400, 38, 2_450, 350),
];

impl Sku {
    pub(super) const fn product(self) -> &'static Product {
        &PRODUCTS[self as usize]
    }
}

/// Wholesale prices in cents by retailer and product. Chosen to reproduce the earnings of the recovered step: 865,821.38.
const PRICES: [[i64; 5]; 5] = [
    [3_685, 7_565, 1_295, 3_015, 5_170],
    [3_765, 7_730, 1_320, 3_080, 5_280],
    [3_730, 7_645, 1_305, 3_050, 5_224],
    [3_960, 8_120, 1_390, 3_240, 5_550],
    [4_075, 8_360, 1_430, 3_335, 5_715],
];

/// The capacity of each retailer in units. Recovered; 7,000 to 25,000 in C.2.
pub(super) const ROOMS: [i64; 5] = [25_000, 18_000, 15_000, 8_000, 7_000];

/// The mean weekly units of the five series of each retailer. Chosen: the recovered step's demand, divided so that the
/// weekly demand is about 116,000 dollars (C.3).
pub(super) const LEVELS: [[i64; 5]; 5] = [
    [48, 55, 64, 22, 9],
    [204, 318, 298, 220, 212],
    [91, 113, 46, 281, 82],
    [83, 38, 40, 81, 112],
    [69, 64, 105, 71, 22],
];
/// The largest change from week to week, in hundredths of the level. Chosen.
pub(super) const SWING: i64 = 35;
/// The week in which the first series of each retailer rises by a half. C.1 says that some series have a step change. Chosen.
pub(super) const RISE: usize = 11;
/// The week after which the last series of OfficePlus falls to a tenth, because C.1 says that this series collapses. Chosen.
pub(super) const COLLAPSE: usize = 13;
/// The seed of the weekly series, which are the same in all games. Chosen.
pub(super) const SERIES: u64 = 22;

impl Retailer {
    /// Returns the price that the retailer pays for a unit.
    #[must_use]
    pub const fn price(self, sku: Sku) -> Cents {
        Cents::new(PRICES[self as usize][sku as usize])
    }
}

/// The price per kilogram from the factory by ship and by aeroplane, in cents. Chosen.
pub(super) const RATES: [i64; 2] = [150, 650];
/// The range of days from the factory by ship and by aeroplane: 32 ± 4 and 6 ± 1 (C.3).
pub(super) const TRANSIT: [[u32; 2]; 2] = [[28, 36], [5, 7]];
/// The range of days from the warehouse to a retailer (C.2).
pub(super) const DELIVERY: [u32; 2] = [3, 4];
/// The maximum number of trucks of an action. Recovered.
pub(super) const MOST_TRUCKS: i64 = 3;
/// The capacity of a truck in units. Chosen.
pub(super) const TRUCK: i64 = 200;
/// The price of a truck. Chosen.
pub(super) const TRUCK_COST: Cents = Cents::from_dollars(180);

/// The number of steps of a run: 22 weeks in steps of 14 days (BAGEN, appendix C.3).
pub const STEPS: usize = 11;
/// The number of weeks of a step (C.3).
pub(super) const WEEKS: i64 = 2;
/// The number of days of a step (C.3).
pub(super) const DAYS: u32 = 14;
/// The cash at the start (C.3).
pub(super) const CASH: Cents = Cents::from_dollars(500_000);
/// The capacity of the warehouse in units (C.2). Goods beyond it wait at the gate (chosen).
pub(super) const ROOM: i64 = 50_000;
/// The credit line (C.2).
pub(super) const CREDIT: Cents = Cents::from_dollars(200_000);
/// The interest on used credit per step, in thousandths (C.2).
pub(super) const INTEREST: i64 = 8;
/// The discount on sold receivables, in thousandths (C.2).
pub(super) const FACTORING: i64 = 50;
/// The share of an order's price that is paid with the order, in thousandths; the rest is paid on completion (C.3).
pub(super) const DEPOSIT: i64 = 300;
/// The discounts for one, two and three lots, in thousandths (C.3).
pub(super) const DISCOUNTS: [i64; 3] = [0, 80, 150];
/// The number of days until a retailer pays (C.1).
pub(super) const NET: u32 = 30;
/// The weekly cost of a unit in the warehouse (C.5); goods elsewhere cost nothing (recovered).
pub(super) const HOLDING: Cents = Cents::new(35);
/// The weekly cost of the firm (C.5).
pub(super) const OPEX: Cents = Cents::from_dollars(8_000);
/// The occupancy above which a retailer is overstocked, in hundredths (C.2); judged at the end of a step (recovered).
pub(super) const OVERSTOCK_ABOVE: i64 = 95;
/// The chargeback per unit above that occupancy and per step. Chosen.
pub(super) const OVERSTOCK: Cents = Cents::new(50);
/// The chargeback on unmet demand, in thousandths of its price. Chosen.
pub(super) const STOCKOUT: i64 = 50;
/// The cost of a step that ends with cash below 0 (C.3).
pub(super) const BANKRUPT: Cents = Cents::from_dollars(50_000);
/// The cash below which a run ends (C.3).
pub(super) const FLOOR: Cents = Cents::from_dollars(-200_000);

/// The units in the warehouse and at the retailers at the start of the earlier calibration. Recovered.
pub(super) const STOCKED: [[i64; 5]; 6] = [
    [12_204, 13_557, 12_258, 16_252, 11_077],
    [1_402, 1_394, 1_063, 875, 945],
    [4_354, 5_852, 5_055, 4_106, 4_285],
    [1_637, 2_029, 759, 5_662, 1_593],
    [1_561, 745, 1_209, 1_536, 1_778],
    [1_213, 1_276, 2_126, 1_362, 627],
];
/// The demand of the earlier calibration, relative to the printed scale. The one recovered step of that calibration
/// earned 3.73 times as much as two weeks at 116,000 dollars. Chosen.
pub(super) const STOCKED_DEMAND: [i64; 2] = [15, 4];

/// An amount of money in whole cents. It is displayed in whole dollars, as in observations: `$438,256`.
///
/// ```
/// use agent_benchmarks::warehouse::Cents;
///
/// let cash = Cents::new(43_825_640);
/// assert_eq!((cash.to_string(), cash.dollars()), ("$438,256".to_owned(), 438_256.4));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cents(i64);

impl Cents {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from a number of cents.
    #[must_use]
    pub const fn new(cents: i64) -> Self {
        Self(cents)
    }

    /// Creates an amount of this number of whole dollars.
    pub(super) const fn from_dollars(dollars: i64) -> Self {
        Self(dollars * 100)
    }

    /// Returns the number of cents.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the amount in dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// Returns `share` thousandths of an amount that is not below 0, rounded to the nearest cent.
    pub(super) const fn per_mille(self, share: i64) -> Self {
        Self((self.0 * share + 500) / 1_000)
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded as in the released texts.
        let digits = format!("{:.0}", self.dollars().abs());
        let sign = if self.0 < 0 && digits != "0" { "-" } else { "" };
        let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
        write!(f, "{sign}${}", Vec::from_iter(groups).join(","))
    }
}

macro_rules! operators {
    ($($trait:ident $name:ident $assign:ident $in_place:ident $with:tt),*) => {$(
        impl $trait for Cents {
            type Output = Self;
            fn $name(self, other: Self) -> Self { Self(self.0 $with other.0) }
        }
        impl $assign for Cents {
            fn $in_place(&mut self, other: Self) { *self = *self $with other; }
        }
    )*};
}
operators!(Add add AddAssign add_assign +, Sub sub SubAssign sub_assign -);

impl Mul<i64> for Cents {
    type Output = Self;

    fn mul(self, times: i64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for Cents {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}
