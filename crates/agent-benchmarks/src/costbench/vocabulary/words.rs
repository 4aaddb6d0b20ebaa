/// A value of a dimension, and a noun phrase that asks for it without naming it.
pub(in crate::costbench) type Word = (&'static str, &'static str);

/// The values of the dimensions category, tier, style and feature package.
pub(in crate::costbench) type Vocabulary = [[Word; 10]; 4];
