use scoring_rules::Level;

/// How agents are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompareOptions {
    /// The level of the intervals. A difference is beyond noise if equal agents show none like it at a rate of
    /// 1 minus the level.
    pub level: Level,
    /// The chance of finding a difference that the number of tasks is stated for, above 0.5 and below 1.
    pub power: f64,
}
