/// Implements `From` for the error of another crate, so that errors are nested only once. An error that the other crate took
/// from a third one, in one of the variants that are named last, is converted from the third crate's error.
///
/// ```
/// mod other {
///     #[derive(Debug, PartialEq)]
///     pub enum Error {
///         Own,
///         ScoringRules(scoring_rules::Error),
///     }
/// }
///
/// #[derive(Debug, PartialEq)]
/// enum Error {
///     Other(other::Error),
///     ScoringRules(scoring_rules::Error),
/// }
///
/// impl From<scoring_rules::Error> for Error {
///     fn from(error: scoring_rules::Error) -> Self {
///         Self::ScoringRules(error)
///     }
/// }
///
/// scoring_rules::flat_error!(other: Other, ScoringRules);
///
/// let empty = scoring_rules::Error::Empty;
/// assert_eq!(Error::from(other::Error::ScoringRules(empty)), Error::ScoringRules(empty));
/// assert_eq!(Error::from(other::Error::Own), Error::Other(other::Error::Own));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! flat_error {
    ($source:ident: $variant:ident $(, $third:ident)*) => {
        impl From<$source::Error> for Error {
            fn from(error: $source::Error) -> Self {
                match error {
                    $($source::Error::$third(inner) => inner.into(),)*
                    own => Self::$variant(own),
                }
            }
        }
    };
}
