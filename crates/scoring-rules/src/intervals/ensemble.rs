use crate::{
    checks::{all_finite, at_least, same_length},
    error::Error,
    sums::compensated_sum::CompensatedSum,
    values::weight::Weight,
};

/// A forecast of a number by several members, such as samples. The members are equally likely or have weights.
///
/// Checked and sorted once. Equal members count separately. In JSON an ensemble is the list of its
/// members, or `{"members": […], "weights": […]}` if it has weights.
///
/// ```
/// use scoring_rules::{Ensemble, Error};
///
/// let ensemble = Ensemble::new(&[5.0, 3.0, 9.0], None)?;
/// assert_eq!(ensemble, Ensemble::new(&[3.0, 5.0, 9.0], None)?);
///
/// let error = Ensemble::new(&[5.0, f64::INFINITY], None).unwrap_err();
/// assert!(matches!(error, Error::NotFiniteAt { index: 1, .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct Ensemble {
    /// In ascending order.
    pub(crate) members: Vec<f64>,
    weights: Option<Weights>,
}

#[derive(Clone, Debug, PartialEq)]
struct Weights {
    /// One per member, each positive.
    each: Vec<Weight>,
    /// The share of the weight on each member and all members below it.
    up_to: Vec<f64>,
    /// The share of the weight on each member and all members above it.
    from: Vec<f64>,
    /// The weighted share of pairs of different members among all pairs: one minus the sum of the
    /// squared shares.
    pairs: f64,
}

impl Weights {
    fn new(each: Vec<Weight>) -> Self {
        let running = |weights: &mut dyn Iterator<Item = f64>| {
            let mut sum = CompensatedSum::default();
            weights
                .map(|weight| {
                    sum.add(weight);
                    sum.value()
                })
                .collect::<Vec<_>>()
        };
        let mut up_to = running(&mut each.iter().map(|weight| weight.get()));
        let mut from = running(&mut each.iter().rev().map(|weight| weight.get()));
        from.reverse();
        let total = up_to.last().copied().unwrap_or(1.0);
        up_to.iter_mut().chain(&mut from).for_each(|sum| *sum = (*sum / total).min(1.0));
        let mut pairs = CompensatedSum::default();
        for (i, weight) in each.iter().enumerate() {
            let below = i.checked_sub(1).map_or(0.0, |before| up_to[before]);
            let above = from.get(i + 1).copied().unwrap_or(0.0);
            pairs.add(weight.get() / total * (below + above));
        }
        Self { each, up_to, from, pairs: pairs.value() }
    }
}

impl Ensemble {
    /// Creates an ensemble from its members, given in any order. Without weights all members are equally likely.
    ///
    /// Only ratios of weights matter. Members of weight 0 are left out. For
    /// [`Ensemble::crps_loss`](crate::Ensemble::crps_loss) a member of weight 2 counts as much as two
    /// equal members; [`Ensemble::fair_crps_loss`](crate::Ensemble::fair_crps_loss) documents what weights mean there.
    ///
    /// Cost: O(m log m).
    ///
    /// # Errors
    ///
    /// [`Error::TooFew`] if there are no members; [`Error::NotFiniteAt`] for a member that is NaN
    /// or infinite; [`Error::Length`] unless there is one weight per member; [`Error::Empty`] if
    /// all weights are 0.
    ///
    /// ```
    /// use scoring_rules::{Ensemble, Observed, Weight};
    ///
    /// let weights = Weight::from_slice(&[1.0, 2.0, 0.0])?;
    /// let weighted = Ensemble::new(&[5.0, 3.0, 9.0], Some(weights))?;
    /// let repeated = Ensemble::new(&[3.0, 3.0, 5.0], None)?;
    /// let outcome = Observed::exact(4.0)?;
    /// let losses = [weighted, repeated].map(|forecast| forecast.crps_loss(outcome));
    /// assert!((losses[0] - losses[1]).abs() < 1e-15);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    pub fn new(members: &[f64], weights: Option<&[Weight]>) -> Result<Self, Error> {
        at_least("ensemble members", 1, members.len())?;
        all_finite("ensemble members", members)?;
        let Some(weights) = weights else {
            let mut members = members.to_vec();
            members.sort_unstable_by(f64::total_cmp);
            return Ok(Self { members, weights: None });
        };
        same_length("weights", members.len(), weights.len())?;
        let pairs = members.iter().copied().zip(weights.iter().copied());
        let mut pairs: Vec<_> = pairs.filter(|&(_, weight)| weight != Weight::ZERO).collect();
        if pairs.is_empty() {
            return Err(Error::Empty);
        }
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (members, each) = pairs.into_iter().unzip();
        Ok(Self { members, weights: Some(Weights::new(each)) })
    }

    /// The weighted share of the members before a position, and of the members from it on.
    pub(crate) fn shares(&self, position: usize) -> [f64; 2] {
        if let Some(weights) = &self.weights {
            let below = position.checked_sub(1).map_or(0.0, |last| weights.up_to[last]);
            return [below, weights.from.get(position).copied().unwrap_or(0.0)];
        }
        let m = self.members.len();
        [position as f64 / m as f64, (m - position) as f64 / m as f64]
    }

    /// The weighted share of pairs of different members among all pairs, or `None` without weights.
    pub(crate) fn weighted_pairs(&self) -> Option<f64> {
        self.weights.as_ref().map(|weights| weights.pairs)
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(untagged, expecting = "a list of members, or an object with `members` and `weights`")]
enum Written {
    Members(Vec<f64>),
    Weighted(WrittenWeighted),
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct WrittenWeighted {
    members: Vec<f64>,
    weights: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for Ensemble {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        match written {
            Written::Members(members) => Self::new(&members, None),
            Written::Weighted(written) => {
                Self::new(&written.members, Some(Weight::from_slice(&written.weights)?))
            }
        }
    }
}

#[cfg(feature = "serde")]
impl From<Ensemble> for Written {
    fn from(ensemble: Ensemble) -> Self {
        let Ensemble { members, weights } = ensemble;
        match weights {
            None => Self::Members(members),
            Some(weights) => Self::Weighted(WrittenWeighted {
                members,
                weights: Weight::as_f64_slice(&weights.each).to_vec(),
            }),
        }
    }
}
