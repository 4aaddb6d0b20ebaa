//! The warehouse of BAGEN. A maker of electronics produces, ships, and supplies five retailers under limits of money,
//! space and time.
//!
//! [`Game`] has the rules, [`Warehouse`] is the environment that a model plays, and [`base_stock`] plays it without a model. Each
//! constant states its source: the section of the paper; *recovered*, from texts of the released repository that contain the
//! agent's prompt and one step of a run to the cent; or *chosen*, if nothing is printed. Money is in whole cents, goods in whole
//! units, and the same seed gives the same bits on any machine.
//!
//! Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendices B.4 and C; recovered: `parameter_explanation.md` at
//! commit 1d2fe1c and `figure/bagen/warehouse-summary.md` at b3ccaed~1 of github.com/mll-lab-nu/BAGEN.

mod actions;
mod catalogue;
mod demand;
mod environment;
mod flows;
mod game;
mod observation;
mod policies;

pub use actions::{Action, Refusal};
pub use budget_estimation::bagen::{FeasibilityProbe, ProbeMethod};
pub use catalogue::{Cents, Freight, Retailer, STEPS, Sku};
pub use demand::{Demand, Start};
pub use environment::{Warehouse, probed_rollouts};
pub use flows::Flows;
pub use game::Game;
pub use policies::base_stock;
