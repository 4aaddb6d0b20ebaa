//! Streams of forecasts: scores, schedules, summaries, policies.
#![allow(clippy::panic, clippy::unwrap_used)]

mod forecast_policy;
mod online_tps;
mod summary;
mod tps_loss;
mod traces;
mod weight_schedule;
