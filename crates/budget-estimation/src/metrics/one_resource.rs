use crate::{error::Error, replay::sample::Sample, resource::Resource};

/// The resource of all samples so far. Numbers of two resources have no common unit.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(super) struct OneResource(Option<Resource>);

impl OneResource {
    /// Returns an error if the sample has another resource than earlier samples.
    #[inline]
    pub(super) fn check(self, sample: &Sample) -> Result<(), Error> {
        self.or(Self(Some(sample.resource()))).map(|_| ())
    }

    /// Remembers the resource of a sample, or returns an error if earlier samples have another.
    #[inline]
    pub(super) fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        *self = self.or(Self(Some(sample.resource())))?;
        Ok(())
    }

    /// Remembers the resource of other samples, or returns an error if it is another.
    pub(super) fn merge(&mut self, other: Self) -> Result<(), Error> {
        *self = self.or(other)?;
        Ok(())
    }

    #[inline]
    fn or(self, other: Self) -> Result<Self, Error> {
        match (self.0, other.0) {
            (Some(expected), Some(found)) if expected != found => {
                Err(Error::MixedResources { expected, found })
            }
            (known, other) => Ok(Self(known.or(other))),
        }
    }
}
