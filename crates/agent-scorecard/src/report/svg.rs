use kuva::{
    backend::svg::SvgBackend,
    plot::{
        BandPlot, Histogram, LinePlot, ScatterPlot,
        legend::{LegendEntry, LegendPosition, LegendShape},
    },
    render::{
        layout::{Layout, TickFormat},
        plots::Plot,
        render::{Scene, render_multiple},
        theme::Theme,
    },
};

use crate::report::{
    names::shortened,
    picture::{Axis, Mark, Picture, Series},
};

/// The width and height of a picture in a page. Labels stay readable if a phone shrinks it a little.
const SIZE: (f64, f64) = (380.0, 275.0);
/// The maximum number of letters in a name below a picture.
const LONGEST_NAME: usize = 41;
/// The number of letters that fit below an axis.
const LETTERS_OF_AXIS: usize = 48;
/// The maximum number of letters in a slanted name.
const LONGEST_SLANTED: usize = 13;
/// The height of a row of the legend below a picture.
const LEGEND_ROW: f64 = 18.0;
/// The margin above and below the values, as a share of their range.
const MARGIN: f64 = 0.05;

/// The place in which a picture is shown, which determines its colours.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The page, whose style sheet defines the colours.
    Page,
    /// A separate file with a white background.
    File,
}

/// The colours of the series, as variables of the style sheet.
const PAGE_COLOURS: [&str; 6] =
    ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];
/// The colours of the series in a file with a white background: Okabe and Ito's colours, the light ones darkened.
const FILE_COLOURS: [&str; 6] = ["#0072b2", "#c24e00", "#00795a", "#a24a83", "#7a6000", "#3f3f3f"];

impl Place {
    fn colour(self, series: usize) -> &'static str {
        let colours = if self == Self::Page { PAGE_COLOURS } else { FILE_COLOURS };
        colours[series % colours.len()]
    }

    fn grey(self) -> &'static str {
        if self == Self::Page { "var(--axis)" } else { "#595959" }
    }

    fn theme(self) -> Theme {
        let is_page = self == Self::Page;
        let either = |page: &str, file: &str| if is_page { page } else { file }.to_owned();
        let axis = self.grey().to_owned();
        Theme {
            background: either("none", "#ffffff"),
            axis_color: axis.clone(),
            tick_color: axis,
            grid_color: either("var(--grid)", "#dddddd"),
            text_color: either("currentColor", "#1f1f1f"),
            legend_bg: "none".to_owned(),
            legend_border: "none".to_owned(),
            font_family: Some("system-ui, sans-serif".to_owned()),
            ..Theme::light()
        }
    }
}

impl Picture {
    /// Draws the picture as an `svg` element of an HTML page. The element has no fixed size. It takes its colours from
    /// the page: the CSS variables `--c1` to `--c6`, `--axis` and `--grid`, and the colour of the surrounding text.
    /// `id` consists of letters, digits and `-`, and must be different for each picture of a page.
    #[must_use]
    pub fn inline_svg(&self, id: &str) -> String {
        let svg = SvgBackend::new().render_scene(&scene(self, Place::Page));
        let inner = svg.find('>').map_or("", |end| &svg[end + 1..]);
        // Names of clip paths hold in the whole page.
        let inner = inner.replace("kuva-clip-", &format!("{id}-clip-"));
        let (width, height) = SIZE;
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, sans-serif\" fill=\"currentColor\" aria-hidden=\"true\">{inner}"
        )
    }

    /// Draws the picture as an SVG file, with its title and a legend.
    ///
    /// ```
    /// use agent_scorecard::{Mark, Picture, Series};
    ///
    /// let line = Series::new("alpha", Mark::Line, [(0.0, 0.2), (1.0, 0.4)]);
    /// let picture = Picture { title: "Learning".to_owned(), series: vec![line], ..Picture::default() };
    /// let svg = picture.to_svg();
    /// assert!(svg.starts_with("<svg") && svg.contains("Learning") && svg.contains("alpha"));
    /// ```
    #[must_use]
    pub fn to_svg(&self) -> String {
        SvgBackend::new().render_scene(&scene(self, Place::File))
    }

    /// Draws the picture as a PNG file, with its title and a legend.
    ///
    /// # Errors
    ///
    /// The message of the drawing library.
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        kuva::PngBackend::new().render_scene(&scene(self, Place::File))
    }

    /// Returns the series of the picture with their colours in [`Picture::inline_svg`], for a legend.
    pub fn page_colours(&self) -> impl Iterator<Item = (&Series, &'static str)> {
        coloured(self, Place::Page)
    }
}

/// Returns the series of a figure with their colours. A band and the values in it, which follow each other, have different
/// colours; lines to compare with are grey, or have the colour of the curve that they follow.
fn coloured(figure: &Picture, place: Place) -> impl Iterator<Item = (&Series, &'static str)> {
    let mut next = 0;
    figure.series.iter().map(move |series| {
        if series.mark == Mark::Reference {
            let is_first = next == 0;
            return (series, if is_first { place.grey() } else { place.colour(next - 1) });
        }
        next += 1;
        (series, place.colour(next - 1))
    })
}

fn scene(figure: &Picture, place: Place) -> Scene {
    let (x, y) = (x_range(figure), y_range(figure));
    let mut plots = Vec::new();
    let mut entries = Vec::new();
    for (series, colour) in coloured(figure, place) {
        entries.push(legend_entry(series, colour));
        draw(series, colour, &mut plots);
    }
    let (width, height) = SIZE;
    let mut layout = Layout::new(x, y)
        .with_theme(place.theme())
        .with_width(width)
        .with_height(height)
        .with_x_label(&figure.x.label)
        .with_y_label(&figure.y.label)
        .with_y_label_wrap(32)
        .with_x_label_wrap(42)
        .with_body_size(13)
        .with_label_size(13)
        .with_tick_size(12)
        .with_ticks(6)
        .with_clamp_axis()
        .with_x_axis_min(x.0)
        .with_x_axis_max(x.1)
        .with_y_axis_min(y.0)
        .with_y_axis_max(y.1)
        .with_x_tick_format(tick_format(&figure.x, x))
        .with_y_tick_format(tick_format(&figure.y, y));
    if !figure.x.categories.is_empty() {
        // No tick is between two of them.
        layout = layout.with_x_tick_step(1.0);
    } else if let Some(step) = {
        // Spans of several columns stand beside each other.
        let others = figure.series.iter().filter(|series| series.mark != Mark::Spans);
        whole_step(&figure.x, x, others.flat_map(|series| &series.x))
    } {
        layout = layout.with_x_tick_step(step);
    }
    let bars = figure.series.iter().filter(|series| series.mark == Mark::Bars);
    if bars.clone().count() == figure.series.len()
        && let Some(step) = whole_step(&figure.y, y, bars.flat_map(|series| &series.y))
    {
        layout = layout.with_y_tick_step(step);
    }
    if is_slanted(&figure.x) {
        // The names take the place of the axis' own name.
        layout = layout.with_x_tick_rotate(-35.0);
        layout.x_label = None;
    }
    if place == Place::File {
        // The legend is below the axes and must not take their height.
        let legend = LEGEND_ROW * entries.len() as f64;
        layout = layout
            .with_height(height + legend)
            .with_title(&figure.title)
            .with_title_size(14)
            .with_title_wrap(46)
            .with_legend_entries(entries)
            .with_legend_position(LegendPosition::OutsideBottomColumns)
            .with_legend_col_limit(1)
            .with_legend_box(false);
    }
    let mut scene = render_multiple(plots, layout);
    if place == Place::Page {
        scene.background_color = None;
    }
    scene
}

fn legend_entry(series: &Series, colour: &str) -> LegendEntry {
    let shape = match series.mark {
        Mark::Band | Mark::Bars => LegendShape::Rect,
        Mark::Dots => LegendShape::Circle,
        _ => LegendShape::Line,
    };
    let dashed = series.mark == Mark::Reference;
    LegendEntry {
        label: shortened(&series.name, LONGEST_NAME),
        color: colour.to_owned(),
        shape,
        dasharray: dashed.then(|| "5 4".to_owned()),
    }
}

/// Adds the plots that draw one series.
fn draw(series: &Series, colour: &str, plots: &mut Vec<Plot>) {
    if series.is_empty() {
        return;
    }
    let points = || series.x.iter().copied().zip(series.y.iter().copied());
    let line = || LinePlot::new().with_data(points()).with_color(colour).with_stroke_width(2.0);
    match series.mark {
        Mark::Line => plots.push(line().into()),
        Mark::Step => plots.push(line().with_step().into()),
        Mark::Reference => plots.push(line().with_dashed().with_stroke_width(1.3).into()),
        Mark::Band => {
            let band = BandPlot::new(
                series.x.iter().copied(),
                series.low.iter().copied(),
                series.high.iter().copied(),
            );
            plots.push(band.with_color(colour).with_opacity(0.25).into());
        }
        Mark::Spans => {
            for ((&x, &low), &high) in series.x.iter().zip(&series.low).zip(&series.high) {
                let span = LinePlot::new().with_data([(x, low), (x, high)]).with_color(colour);
                plots.push(span.with_stroke_width(4.0).into());
            }
        }
        Mark::Bars => {
            for ((&left, &right), &height) in series.low.iter().zip(&series.high).zip(&series.y) {
                let bar = Histogram::from_bins(vec![left, right], vec![height]);
                plots.push(bar.with_color(colour).into());
            }
        }
        Mark::Dots | Mark::LineDots => {
            if series.mark == Mark::LineDots {
                plots.push(line().into());
            }
            let mut dots = ScatterPlot::new().with_data(points()).with_color(colour).with_size(3.5);
            if !series.low.is_empty() {
                let arms = |ends: &[f64], sign: f64| -> Vec<f64> {
                    ends.iter().zip(&series.y).map(|(end, y)| (sign * (end - y)).max(0.0)).collect()
                };
                let (below, above) = (arms(&series.low, -1.0), arms(&series.high, 1.0));
                dots = dots.with_y_err_asymmetric(below.into_iter().zip(above));
            }
            plots.push(dots.into());
        }
    }
}

fn x_range(figure: &Picture) -> (f64, f64) {
    let n = figure.x.categories.len();
    if n > 0 {
        return (-0.5, n as f64 - 0.5);
    }
    let has_edges = |series: &&Series| series.mark == Mark::Bars;
    let edges = figure.series.iter().filter(has_edges).flat_map(|s| s.low.iter().chain(&s.high));
    let all = figure.series.iter().flat_map(|series| &series.x).chain(edges);
    let (low, high) = range(&figure.x, all.copied(), false);
    // Dots at the first and last position are not cut off.
    let is_dotted = |series: &Series| {
        matches!(series.mark, Mark::Dots | Mark::LineDots | Mark::Spans) && !series.is_empty()
    };
    let is_free = figure.x.range.is_none() && figure.series.iter().any(is_dotted);
    let room = if is_free { MARGIN * (high - low) } else { 0.0 };
    (low - room, high + room)
}

/// Returns the distance between ticks on an axis of whole numbers, which has no ticks between whole numbers.
fn whole_step<'a>(
    axis: &Axis,
    (low, high): (f64, f64),
    mut values: impl Iterator<Item = &'a f64>,
) -> Option<f64> {
    if axis.range.is_some() || !values.all(|value| value.fract() == 0.0) {
        return None;
    }
    let least = ((high - low) / 8.0).max(1.0);
    let unit = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * unit).find(|step| *step >= least)
}

fn y_range(figure: &Picture) -> (f64, f64) {
    let values = figure.series.iter().flat_map(|series| {
        // The ends of bars are positions.
        let ends = if series.mark == Mark::Bars {
            [&[][..], &[0.0]]
        } else {
            [&series.low[..], &series.high]
        };
        series.y.iter().chain(ends.into_iter().flatten())
    });
    let (low, high) = range(&figure.y, values.copied(), true);
    // Dots at the ends of a given range are not cut off.
    let is_dotted = |series: &Series| matches!(series.mark, Mark::Dots | Mark::LineDots);
    let is_given = figure.y.range.is_some() && figure.series.iter().any(is_dotted);
    let room = if is_given { 0.5 * MARGIN * (high - low) } else { 0.0 };
    (low - room, high + room)
}

/// Returns the bounds of an axis: as given, or the bounds of the values, with some room on request.
fn range(axis: &Axis, values: impl Iterator<Item = f64> + Clone, with_room: bool) -> (f64, f64) {
    if let Some([low, high]) = axis.range {
        return (low, high);
    }
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return (0.0, 1.0);
    }
    let width = high - low;
    if width <= 0.0 {
        let room = 0.5_f64.max(0.1 * high.abs());
        return (low - room, high + room);
    }
    let room = if with_room { MARGIN * width } else { 0.0 };
    // Amounts start at 0.
    let bottom = if low == 0.0 { 0.0 } else { low - room };
    (bottom, high + room)
}

/// Returns whether names of categories have too little room side by side, and are written at a slant.
fn is_slanted(axis: &Axis) -> bool {
    let longest = axis.categories.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    longest * axis.categories.len() > LETTERS_OF_AXIS
}

/// Returns names shortened for slanted labels: without their middle, or without their beginning if they differ only at
/// the end.
fn slanted(names: &[String]) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|name| shortened(name, LONGEST_SLANTED)).collect();
    if (1..short.len()).all(|at| !short[..at].contains(&short[at])) {
        return short;
    }
    let end = |name: &String| {
        let cut = name.chars().count().saturating_sub(LONGEST_SLANTED - 1);
        let dots = if cut > 0 { "…" } else { "" };
        dots.chars().chain(name.chars().skip(cut)).collect()
    };
    names.iter().map(end).collect()
}

/// Returns the format of tick labels: names of categories, or numbers with the decimals that the range needs.
fn tick_format(axis: &Axis, (low, high): (f64, f64)) -> TickFormat {
    let mut names = axis.categories.clone();
    if !names.is_empty() {
        if is_slanted(axis) {
            names = slanted(&names);
        }
        return TickFormat::Custom(std::sync::Arc::new(move |at: f64| {
            let position = at.round();
            let is_one = (at - position).abs() < 1e-6 && position >= 0.0;
            let name = if is_one { names.get(position as usize) } else { None };
            name.cloned().unwrap_or_default()
        }));
    }
    let largest = low.abs().max(high.abs());
    let is_mirrored = axis.is_mirrored;
    TickFormat::Custom(std::sync::Arc::new(move |value: f64| {
        tick(if is_mirrored { value.abs() } else { value }, largest, high - low)
    }))
}

/// Formats a number next to an axis: thousands and millions are shortened.
fn tick(value: f64, largest: f64, width: f64) -> String {
    let (unit, suffix) = match largest {
        large if large >= 2e6 => (1e6, "M"),
        large if large >= 2e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // Steps have at most three digits, such as 0.25 or 0.125; the zeros behind them are dropped.
    let scale = (width / unit).abs();
    let decimals =
        if scale > 0.0 { (3.0 - scale.log10()).floor().clamp(0.0, 9.0) as usize } else { 0 };
    let mut text = format!("{:.decimals$}", value / unit);
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" || text == "0" { "0".to_owned() } else { text + suffix }
}
