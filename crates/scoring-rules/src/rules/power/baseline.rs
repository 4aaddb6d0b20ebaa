use crate::{checks::setting, error::Error, rules::sides::Sides, values::level::Level};

crate::checked! {
    /// The settings of both families of power scores: the power, and the baseline forecast that scores 0.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) struct Baseline {
        pub(crate) power: f64,
        #[cfg_attr(feature = "serde", serde(rename = "baseline"))]
        pub(crate) level: Level,
        #[cfg_attr(feature = "serde", serde(skip))]
        pub(super) sides: Sides,
    }
    restore: |read| Baseline::new(read.power, read.level).map(|checked| *read = checked)
}

impl Baseline {
    pub(super) fn new(power: f64, baseline: Level) -> Result<Self, Error> {
        setting("power", power, (-10.0..=10.0).contains(&power), "from -10 to 10")?;
        let p = baseline.get();
        setting("baseline", p, (0.001..=0.999).contains(&p), "from 0.001 to 0.999")?;
        Ok(Self { power, level: baseline, sides: Sides { p, rest: 1.0 - p } })
    }

    /// The ratio of the forecast's probability of an outcome to the baseline's, and that ratio minus
    /// 1, with all digits also close to 1.
    #[inline]
    pub(super) fn ratio(self, forecast: Sides, outcome: bool) -> (f64, f64) {
        let (given, base) = (forecast.of(outcome).0, self.sides.of(outcome).0);
        let gap = forecast.p - self.sides.p;
        (given / base, if outcome { gap } else { -gap } / base)
    }
}
