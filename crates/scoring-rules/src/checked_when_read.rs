/// Implements `serde::Deserialize` for a struct by reading its fields and then checking the values
/// read. For the crates of this workspace.
///
/// The check is a function from a reference to the struct to a `Result<(), E>` whose error is
/// displayed. Unknown fields are errors. Fields are listed with their types and with their `serde`
/// attributes, if they have any:
///
/// ```
/// struct Share {
///     part: f64,
///     whole: f64,
/// }
///
/// scoring_rules::checked_when_read!(Share { part: f64, whole: f64 }, |share| {
///     if share.part <= share.whole { Ok(()) } else { Err("the part is above the whole") }
/// });
///
/// assert!(serde_json::from_str::<Share>(r#"{"part": 1, "whole": 2}"#).is_ok());
/// assert!(serde_json::from_str::<Share>(r#"{"part": 3, "whole": 2}"#).is_err());
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! checked_when_read {
    (
        $type:ident $(<$parameter:ident>)? {
            $($(#[$attribute:meta])* $field:ident: $kind:ty),* $(,)?
        },
        $check:expr $(,)?
    ) => {
        impl<'de $(, $parameter: serde::Deserialize<'de>)?> serde::Deserialize<'de>
            for $type $(<$parameter>)?
        {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let read = {
                    // Has the same name as the type, which appears in error messages.
                    #[derive(serde::Deserialize)]
                    #[serde(deny_unknown_fields)]
                    struct $type $(<$parameter>)? {
                        $($(#[$attribute])* $field: $kind),*
                    }
                    let $type { $($field),* } = serde::Deserialize::deserialize(deserializer)?;
                    Self { $($field),* }
                };
                // The type of the argument is given here, so that the check can be a plain closure.
                let check: fn(&Self) -> Result<(), _> = $check;
                match check(&read) {
                    Ok(()) => Ok(read),
                    Err(error) => Err(serde::de::Error::custom(error)),
                }
            }
        }
    };
}
