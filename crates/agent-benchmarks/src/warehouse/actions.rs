use std::{fmt, str::FromStr};

use crate::warehouse::catalogue::{Cents, Freight, Retailer, Sku};

/// An action of an agent in a step, in the words of the released code. In a reply, `;` separates several actions.
///
/// ```
/// use agent_benchmarks::warehouse::{Action, Cents, Refusal, Retailer, Sku};
///
/// let action = "replenish TechZone JCD543 2".parse();
/// assert_eq!(action, Ok(Action::Replenish { retailer: Retailer::TechZone, sku: Sku::Jcd543, trucks: 2 }));
/// assert_eq!("draw_credit $1,250.50".parse(), Ok(Action::DrawCredit(Cents::new(125_050))));
/// assert!(matches!("draw_credit 1e308".parse::<Action>(), Err(Refusal::Amount { .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Orders lots of a product, which are shipped as soon as they are complete.
    Produce {
        /// The product.
        sku: Sku,
        /// The size of the order in smallest lots, from 1 to 3.
        lots: i64,
        /// The means of transport.
        by: Freight,
    },
    /// Sends trucks of a product to a retailer; the last one may be partly filled.
    Replenish {
        /// The retailer.
        retailer: Retailer,
        /// The product.
        sku: Sku,
        /// The number of trucks, from 1 to 3.
        trucks: i64,
    },
    /// Borrows from the credit line.
    DrawCredit(Cents),
    /// Pays credit back.
    RepayCredit(Cents),
    /// Sells receivables below their value, starting with those that are due last.
    FactorReceivables(Cents),
    /// Does nothing.
    Pass,
}

/// The reason why an action is not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The words are not an action.
    #[error(
        "not an action; the actions are produce SKU 1-3 ocean|air, replenish RETAILER SKU 1-3, draw_credit AMOUNT, repay_credit AMOUNT, factor_ar AMOUNT and pass"
    )]
    Unknown,
    /// A word is not valid at this position.
    #[error("{word:?} is not a {what}; known: {known}")]
    Name {
        /// The word, at most 40 characters of it.
        word: String,
        /// The kind of thing that the word should denote.
        what: &'static str,
        /// The valid words.
        known: String,
    },
    /// An amount cannot be read.
    #[error("{word:?} is not an amount; write dollars above 0 with digits, as in 50000 or 1250.50")]
    Amount {
        /// The word, at most 40 characters of it.
        word: String,
    },
    /// The warehouse has none of the product.
    #[error("the warehouse has no {sku} in stock")]
    OutOfStock {
        /// The product.
        sku: Sku,
    },
    /// The action costs more than the available cash.
    #[error("the cost is {needed}; the cash is {available}")]
    CashShort {
        /// The amount to pay at once.
        needed: Cents,
        /// The cash.
        available: Cents,
    },
    /// The amount exceeds the available credit, the debt or the outstanding receivables.
    #[error("{amount} is more than the {available} that {what}")]
    TooMuch {
        /// The amount.
        amount: Cents,
        /// The largest possible amount.
        available: Cents,
        /// What limits the amount, as a clause.
        what: &'static str,
    },
    /// The run has ended.
    #[error("the run has ended")]
    Ended,
}

impl FromStr for Action {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let words: Vec<&str> = text.split_whitespace().take(5).collect();
        let command = words.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
        Ok(match (command.as_str(), &words[..]) {
            ("produce", [_, sku, lots, by]) => Self::Produce {
                sku: named(sku, "SKU", Sku::ALL, Sku::name)?,
                lots: named(lots, "level", NUMBERS, |it| it.1)?.0,
                by: named(by, "way to ship", Freight::ALL, Freight::name)?,
            },
            ("replenish", [_, retailer, sku, trucks]) => Self::Replenish {
                retailer: match retailer.eq_ignore_ascii_case("SupplyDirect") {
                    true => Retailer::SupplyDirect,
                    false => named(retailer, "retailer", Retailer::ALL, Retailer::name)?,
                },
                sku: named(sku, "SKU", Sku::ALL, Sku::name)?,
                trucks: named(trucks, "number of trucks", NUMBERS, |it| it.1)?.0,
            },
            ("draw_credit", [_, word]) => Self::DrawCredit(amount(word)?),
            ("repay_credit", [_, word]) => Self::RepayCredit(amount(word)?),
            ("factor_ar", [_, word]) => Self::FactorReceivables(amount(word)?),
            ("pass", [_]) => Self::Pass,
            _ => return Err(Refusal::Unknown),
        })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = |cents: &Cents| format!("{}.{:02}", cents.get() / 100, cents.get() % 100);
        match self {
            Self::Produce { sku, lots, by } => write!(f, "produce {sku} {lots} {by}"),
            Self::Replenish { retailer, sku, trucks } => {
                write!(f, "replenish {retailer} {sku} {trucks}")
            }
            Self::DrawCredit(cents) => write!(f, "draw_credit {}", exact(cents)),
            Self::RepayCredit(cents) => write!(f, "repay_credit {}", exact(cents)),
            Self::FactorReceivables(cents) => write!(f, "factor_ar {}", exact(cents)),
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// The valid numbers of lots and of trucks.
const NUMBERS: [(i64, &str); 3] = [(1, "1"), (2, "2"), (3, "3")];

/// Returns the beginning of a word, for messages.
pub(super) fn beginning(word: &str) -> String {
    word.chars().take(40).collect()
}

fn named<T: Copy, const N: usize>(
    word: &str,
    what: &'static str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, Refusal> {
    let found = all.into_iter().find(|it| word.eq_ignore_ascii_case(name(*it)));
    let known = || all.map(name).join(", ");
    found.ok_or_else(|| Refusal::Name { word: beginning(word), what, known: known() })
}

/// Parses dollars with at most 12 digits before the point and 2 after it.
fn amount(word: &str) -> Result<Cents, Refusal> {
    let plain = word.strip_prefix('$').unwrap_or(word).replace(',', "");
    let (whole, part) = plain.split_once('.').unwrap_or((plain.as_str(), ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_valid = (1..=12).contains(&whole.len()) && part.len() <= 2;
    let cents = format!("{whole}{part:0<2}");
    match cents.parse() {
        Ok(cents) if is_valid && are_digits(whole) && are_digits(part) && cents > 0 => {
            Ok(Cents::new(cents))
        }
        _ => Err(Refusal::Amount { word: beginning(word) }),
    }
}
