//! A picture as data, for drawings, tables and the JSON output.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use trajectory_metrics::Figure;

/// The pictures of a report by name.
pub type Pictures = BTreeMap<String, Picture>;

/// The maximum number of points of a curve that are kept.
const MOST_POINTS: usize = 200;
/// The width of a category's bar, or of its group of bars if there are several columns.
pub const BAR_WIDTH: f64 = 0.7;

/// The label of the band in which curves of calibrated forecasts would lie. If all forecasts are equal, the band is one
/// vertical line.
pub const BAND: &str = "95 % band of calibrated forecasts";
/// The explanation of this band, and the explanation of its absence.
pub(crate) const BAND_NOTE: &str =
    " At each forecast, 95 % of the curves of calibrated forecasts would lie in the band.";
pub(crate) const NO_BAND_NOTE: &str =
    " The band of calibrated forecasts is shown only if there is a single column.";

/// The axes and series of one picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The title of the picture.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, the first at the back.
    pub series: Vec<Series>,
    /// The explanation of the picture.
    pub note: String,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The quantity, with its unit.
    pub label: String,
    /// The lower and upper bound; `None` for the range of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Names of the positions 0, 1, … of an axis without a scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Whether the labels of ticks omit the sign, because the picture has one half for each sign of the values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_mirrored: bool,
}

/// One curve, band or set of bars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The name of the series.
    pub name: String,
    /// The style in which the series is drawn.
    pub mark: Mark,
    /// Positions along the horizontal axis.
    pub x: Vec<f64>,
    /// Values; empty for a band.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub y: Vec<f64>,
    /// Lower bounds of the intervals around the values, or of a band.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub low: Vec<f64>,
    /// Upper bounds of the intervals around the values, or of a band.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub high: Vec<f64>,
}

/// The style in which a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Straight lines from point to point.
    Line,
    /// A step function: each value holds up to the next point.
    Step,
    /// Lines with a dot at each point, and with intervals if there are any.
    LineDots,
    /// A dot at each point, with its interval if there is one.
    Dots,
    /// The area between `low` and `high`.
    Band,
    /// Bars from 0 to each value; `low` and `high` are the left and right edges.
    Bars,
    /// A vertical line from `low` to `high` at each point.
    Spans,
    /// A thin dashed reference line.
    Reference,
}

impl Axis {
    /// Creates an axis that shows this quantity.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// Sets the range of the axis from `low` to `high`.
    #[must_use]
    pub fn with_range(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }

    /// Labels the axis with the names of categories instead of numbers.
    #[must_use]
    pub fn with_categories(mut self, names: Vec<String>) -> Self {
        self.categories = names;
        self
    }
}

impl Series {
    /// Creates a series of these points, in order; points that are not finite are left out.
    pub fn new(
        name: impl Into<String>,
        mark: Mark,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        let (x, y) = points.into_iter().filter(finite).unzip();
        Self { name: name.into(), mark, x, y, low: Vec::new(), high: Vec::new() }
    }

    /// Creates a series of values with intervals, from (position, value, low, high).
    pub fn with_intervals(
        name: impl Into<String>,
        mark: Mark,
        points: impl IntoIterator<Item = [f64; 4]>,
    ) -> Self {
        let mut series = Self::new(name, mark, []);
        for [x, y, low, high] in points {
            if [x, y, low, high].iter().all(|number| number.is_finite()) {
                series.x.push(x);
                series.y.push(y);
                series.low.push(low);
                series.high.push(high);
            }
        }
        series
    }

    /// Creates a band or vertical spans, from (position, low, high).
    pub fn between(
        name: impl Into<String>,
        mark: Mark,
        points: impl IntoIterator<Item = [f64; 3]>,
    ) -> Self {
        let points = points.into_iter().map(|[x, low, high]| [x, low, low, high]);
        Self { y: Vec::new(), ..Self::with_intervals(name, mark, points) }
    }

    /// Creates a series of bars from their left edge, right edge and height.
    pub fn bars(name: impl Into<String>, bars: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let points = bars
            .into_iter()
            .map(|[left, right, height]| [0.5 * (left + right), height, left, right]);
        Self::with_intervals(name, Mark::Bars, points)
    }

    /// Creates bars at the positions 0, 1, … of an axis of categories.
    pub fn bars_of_categories(
        name: impl Into<String>,
        heights: impl IntoIterator<Item = f64>,
    ) -> Self {
        let bars = heights.into_iter().enumerate().map(|(i, height)| {
            let at = i as f64;
            [at - 0.5 * BAR_WIDTH, at + 0.5 * BAR_WIDTH, height]
        });
        Self::bars(name, bars)
    }

    /// Creates the straight line between two points.
    pub fn reference(name: impl Into<String>, from: (f64, f64), to: (f64, f64)) -> Self {
        Self::new(name, Mark::Reference, [from, to])
    }

    /// Returns whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Returns the non-empty lists of numbers, with their names in JSON.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, &[f64])> {
        let columns = [("x", &self.x), ("y", &self.y), ("low", &self.low), ("high", &self.high)];
        columns.into_iter().filter(|(_, column)| !column.is_empty()).map(|(n, c)| (n, c.as_slice()))
    }
}

impl Picture {
    /// Returns whether there is nothing to draw, except possibly reference lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.mark == Mark::Reference || series.is_empty())
    }
}

/// Returns a position, a figure at it, and the ends of the figure's interval.
pub(crate) fn point(x: f64, figure: &Figure) -> [f64; 4] {
    let [low, high] = figure.interval.map_or([figure.value; 2], |it| [it.low(), it.high()]);
    [x, figure.value, low, high]
}

/// Returns at most 200 points of a long curve: the first, the last, and evenly spaced ones between.
pub fn thinned<T: Copy>(points: &[T]) -> Vec<T> {
    let n = points.len();
    if n <= MOST_POINTS {
        return points.to_vec();
    }
    let at = |i: usize| i * (n - 1) / (MOST_POINTS - 1);
    (0..MOST_POINTS).filter_map(|i| points.get(at(i)).copied()).collect()
}
