use trajectory_metrics::{Figure, Measure, Undefined};

/// The figures of a row in the order of their metrics.
pub(crate) type Figures = Vec<(Measure, Result<Figure, Undefined>)>;

/// The figure with this key, if it is defined.
pub(crate) fn figure(figures: &Figures, key: &str) -> Option<Figure> {
    let (_, figure) = figures.iter().find(|(measure, _)| measure.key == key)?;
    figure.as_ref().ok().copied()
}
