//! Pages about all crates of this project: conventions, design and a comparison with other tools.

/// What holds in all crates: units, directions, arguments, weights, missing values, random numbers and errors.
pub mod conventions {
    #![doc = include_str!("../guide/conventions.md")]
}

/// Decisions and their reasons.
pub mod design {
    #![doc = include_str!("../guide/design.md")]
}

/// Other tools, and numbers that differ from theirs on purpose.
pub mod compare {
    #![doc = include_str!("../guide/compare.md")]
}
