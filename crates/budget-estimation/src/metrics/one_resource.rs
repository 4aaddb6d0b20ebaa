use crate::{error::Error, replay::sample::Sample, resource::Resource};

/// The resource of all samples so far: numbers of two resources have no common unit.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(super) struct OneResource(Option<Resource>);

impl OneResource {
    /// Refuses a sample of another resource than earlier ones.
    #[inline]
    pub(super) fn check(self, sample: &Sample) -> Result<(), Error> {
        self.check_resource(Some(sample.resource()))
    }

    /// Takes in a sample that was checked.
    #[inline]
    pub(super) const fn take(&mut self, sample: &Sample) {
        self.0 = Some(sample.resource());
    }

    /// Refuses samples of another resource, and takes in theirs if there was none.
    pub(super) fn merge(&mut self, other: Self) -> Result<(), Error> {
        self.check_resource(other.0)?;
        self.0 = self.0.or(other.0);
        Ok(())
    }

    #[inline]
    fn check_resource(self, other: Option<Resource>) -> Result<(), Error> {
        match (self.0, other) {
            (Some(expected), Some(found)) if expected != found => {
                Err(Error::MixedResources { expected, found })
            }
            _ => Ok(()),
        }
    }
}
