use trajectory_metrics::{Figure, Measure, Undefined};

/// Figures in the order of their metrics, each with its interval, or the reason why it is undefined.
pub type Figures = Vec<(Measure, Result<Figure, Undefined>)>;

/// Returns the figure with this key, if it is defined.
pub(crate) fn figure(figures: &Figures, key: &str) -> Option<Figure> {
    let (_, figure) = figures.iter().find(|(measure, _)| measure.key == key)?;
    figure.as_ref().ok().copied()
}
