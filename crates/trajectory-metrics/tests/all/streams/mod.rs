//! Streams of forecasts: scores, schedules, summaries, policies.
mod forecast_policy;
mod online_tps;
mod summary;
mod tps_loss;
mod traces;
mod weight_schedule;
