mod context;
mod live_run;
mod prefix;
mod sample;
mod score;

pub use context::{Context, ResourceContext};
pub use live_run::LiveRun;
pub use prefix::{Prefix, Replay, probe, replay};
pub use sample::Sample;
pub use score::{score_probe, score_rollout, score_rollouts};
