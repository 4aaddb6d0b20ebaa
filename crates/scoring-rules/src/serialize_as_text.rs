/// Implements `Serialize` for a type as its text: a string with what its `Display` writes. Without the feature `serde` of
/// the calling crate, it does nothing.
///
/// ```
/// struct Version(u32);
///
/// impl std::fmt::Display for Version {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         write!(f, "version {}", self.0)
///     }
/// }
///
/// scoring_rules::serialize_as_text!(Version);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! serialize_as_text {
    ($type:ty) => {
        #[cfg(feature = "serde")]
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}
