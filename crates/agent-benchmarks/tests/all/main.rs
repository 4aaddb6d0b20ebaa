//! The conversations of the benchmarks, their figures, environments and driver.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

#[cfg(all(feature = "budget", feature = "confidence", feature = "triage"))]
mod any_text;
#[cfg(all(feature = "client", feature = "costbench"))]
mod apis;
#[cfg(feature = "budget")]
mod budget;
#[cfg(feature = "confidence")]
mod confidence;
#[cfg(feature = "confidence")]
mod continuation;
#[cfg(all(feature = "budget", feature = "confidence", feature = "costbench", feature = "triage"))]
mod costbench_any_reply;
#[cfg(feature = "costbench")]
mod costbench_by_hand;
#[cfg(feature = "costbench")]
mod costbench_end_to_end;
#[cfg(feature = "costbench")]
mod costbench_figures;
#[cfg(feature = "costbench")]
mod costbench_published;
#[cfg(feature = "costbench")]
mod costbench_replies;
#[cfg(all(feature = "client", feature = "costbench"))]
mod driver;
#[cfg(feature = "costbench")]
mod openai_chat;
#[cfg(feature = "play")]
mod own_environment;
#[cfg(feature = "sokoban")]
mod play;
#[cfg(feature = "costbench")]
mod policies;
mod questions;
mod records;
#[cfg(all(feature = "budget", feature = "client", feature = "confidence", feature = "triage"))]
mod resumed_protocols;
#[cfg(all(feature = "budget", feature = "confidence", feature = "costbench", feature = "triage"))]
mod send_sync;
#[cfg(all(feature = "client", feature = "costbench"))]
mod server;
#[cfg(feature = "sokoban")]
mod sokoban;
#[cfg(feature = "sokoban")]
mod sokoban_published;
#[cfg(feature = "sokoban")]
mod sokoban_solver;
#[cfg(feature = "triage")]
mod triage;
#[cfg(feature = "warehouse")]
mod warehouse;
