use trajectory_metrics::{Figure, Measure, Undefined};

/// The figures of a row in the order of their metrics.
pub(crate) type Figures = Vec<(Measure, Result<Figure, Undefined>)>;

/// Returns the figure with this key, if it is defined.
pub(crate) fn figure(figures: &Figures, key: &str) -> Option<Figure> {
    let (_, figure) = figures.iter().find(|(measure, _)| measure.key == key)?;
    figure.as_ref().ok().copied()
}

/// Writes figures as an object by their keys; an undefined one is null.
pub(crate) fn serialize<S: serde::Serializer>(
    figures: &Figures,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer
        .collect_map(figures.iter().map(|(measure, figure)| (measure.key, figure.as_ref().ok())))
}
