//! A picture of mean scores: a bar from bound to bound for each stream, and a mark for each way of
//! treating runs that were cut off.

use std::error::Error;

use plotters::{
    coord::{Shift, ranged1d::Ranged, types::RangedCoordf64},
    prelude::{
        ChartBuilder, Circle, Cross, DrawingArea, IntoDrawingArea, PathElement, RGBColor,
        Rectangle, SVGBackend, Text, TriangleMarker, WHITE,
    },
    style::{
        Color, FontDesc, IntoFont, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use crate::cut_off::streams::{Report, WAYS};

/// Okabe and Ito's colours, which most people can tell apart.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(0, 0, 0),
    RGBColor(204, 121, 167),
];
const BAR: RGBColor = RGBColor(200, 200, 200);
const BAR_END: RGBColor = RGBColor(120, 120, 120);
const TEXT: RGBColor = RGBColor(40, 40, 40);
const WIDTH: u32 = 900;
/// Height of one stream, and of everything else.
const HEIGHTS: (u32, u32) = (70, 150);
/// Room for names, left of where the marks are, and how many letters it takes.
const NAMES: (u32, usize) = (190, 22);
/// At most so many numbers below the picture.
const TICKS: usize = 9;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The picture as SVG. `names` are those of the report's files.
///
/// # Errors
///
/// Where nothing can be drawn because no stream has a score.
pub(crate) fn svg(report: &Report, names: &[String]) -> Result<String, Box<dyn Error>> {
    let streams: Vec<_> = report
        .files
        .iter()
        .zip(names)
        .filter_map(|(file, name)| file.bounds.map(|bounds| (file, name, bounds)))
        .collect();
    let values = || {
        streams.iter().flat_map(|(file, _, bounds)| {
            file.scores.values().flatten().copied().chain([bounds.low, bounds.high])
        })
    };
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return Err("nothing to draw: no file has a complete or censored run".into());
    }
    let margin = 0.05 * (high - low).max(1e-3);
    let (left, right, rows) = (low - margin, high + margin, streams.len());
    let decimals = decimals(left, right);
    let mut text = String::new();
    {
        let height = HEIGHTS.0 * rows as u32 + HEIGHTS.1;
        let canvas = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        canvas.fill(&WHITE)?;
        let title = format!("Mean log score in nats, {} weights", report.schedule);
        let titled = canvas.titled(&title, ("sans-serif", 20).into_font())?;
        let (key, body) = titled.split_vertically(40);
        draw_key(&key)?;
        let mut chart = ChartBuilder::on(&body)
            .margin(12)
            .margin_right(24)
            .x_label_area_size(40)
            .y_label_area_size(NAMES.0)
            .build_cartesian_2d(left..right, 0.0..rows as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(WHITE)
            .x_labels(TICKS)
            .x_label_formatter(&|x| number(*x, decimals))
            .x_desc("higher is better")
            .label_style(("sans-serif", 14))
            .draw()?;
        for (row, (file, name, bounds)) in streams.iter().enumerate() {
            // The first on top.
            let at = |x: f64| chart.backend_coord(&(x, (rows - row) as f64 - 0.5));
            draw_bar(&canvas, at(bounds.low), at(bounds.high))?;
            let label = style(15).pos(Pos::new(HPos::Right, VPos::Center));
            let (start, y) = at(left);
            canvas.draw(&Text::new(shortened(name), (start - 12, y), label))?;
            for (way, colour) in WAYS.iter().zip(COLOURS) {
                if let Some(x) = file.scores.get(way).copied().flatten() {
                    draw_mark(&canvas, way, colour, at(x))?;
                }
            }
        }
        canvas.present()?;
    }
    Ok(text)
}

fn style(size: u32) -> TextStyle<'static> {
    let font: FontDesc<'static> = ("sans-serif", size).into_font();
    font.color(&TEXT)
}

/// A bar whose ends stick out, so that marks do not hide it, however short it is.
fn draw_bar(area: &Area<'_>, low: (i32, i32), high: (i32, i32)) -> Result<(), Box<dyn Error>> {
    let y = low.1;
    area.draw(&Rectangle::new([(low.0, y - 5), (high.0, y + 5)], BAR.filled()))?;
    for x in [low.0, high.0] {
        area.draw(&PathElement::new([(x, y - 16), (x, y + 16)], BAR_END.stroke_width(2)))?;
    }
    Ok(())
}

fn draw_mark(
    area: &Area<'_>,
    way: &str,
    colour: RGBColor,
    (x, y): (i32, i32),
) -> Result<(), Box<dyn Error>> {
    match way {
        "complete_only" => area.draw(&Circle::new((x, y), 7, colour.stroke_width(2)))?,
        "simple" => area.draw(&TriangleMarker::new((x, y), 8, colour.filled()))?,
        "exact_plug_in" => area.draw(&Circle::new((x, y), 6, colour.filled()))?,
        "exact_known" => area.draw(&Cross::new((x, y), 6, colour.stroke_width(2)))?,
        _ => {
            area.draw(&Rectangle::new([(x - 9, y - 9), (x + 9, y + 9)], colour.stroke_width(2)))?;
        }
    }
    Ok(())
}

/// What each mark means, in one line.
fn draw_key(area: &Area<'_>) -> Result<(), Box<dyn Error>> {
    let (mut x, y) = (20, 20);
    draw_bar(area, (x, y), (x + 24, y))?;
    area.draw(&Text::new("bounds", (x + 32, y - 7), style(14)))?;
    x += 110;
    for (way, colour) in WAYS.iter().zip(COLOURS) {
        draw_mark(area, way, colour, (x, y))?;
        area.draw(&Text::new(way.replace('_', " "), (x + 14, y - 7), style(14)))?;
        x += 140;
    }
    Ok(())
}

/// The fewest decimals that tell all numbers below the picture apart and show each of them as it is.
fn decimals(left: f64, right: f64) -> usize {
    let ticks = RangedCoordf64::from(left..right).key_points(TICKS);
    let off = |tick: f64, decimals: usize| {
        let unit = 10_f64.powi(decimals as i32);
        ((tick * unit).round() / unit - tick).abs()
    };
    (0..15).find(|&d| ticks.iter().all(|&tick| off(tick, d) <= 1e-6 * (right - left))).unwrap_or(15)
}

fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    // A zero has no sign.
    let zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    if zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// A name that fits: of a long one both ends, as names of one family differ at either.
fn shortened(name: &str) -> String {
    // Letters outside ASCII may be twice as wide.
    let width = |c: char| if c.is_ascii() { 1 } else { 2 };
    if name.chars().map(width).sum::<usize>() <= NAMES.1 {
        return name.to_owned();
    }
    let half = (NAMES.1 - 1) / 2;
    let fitting = |chars: &mut dyn Iterator<Item = char>| {
        let mut used = 0;
        let fits = |c: &char| {
            used += width(*c);
            used <= half
        };
        chars.take_while(fits).collect::<Vec<char>>()
    };
    let start: String = fitting(&mut name.chars()).into_iter().collect();
    let end: String = fitting(&mut name.chars().rev()).into_iter().rev().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_the_picture_differ_and_have_no_idle_digit() {
        for (left, right) in [
            (-0.77, -0.48),
            (-0.516_15, -0.516_05),
            (-14.0, 1.0),
            (-1e-4, 1e-4),
            (-1_000.0, 3.0),
            (-0.1, 0.2),
        ] {
            let ticks = RangedCoordf64::from(left..right).key_points(TICKS);
            let decimals = decimals(left, right);
            let mut labels: Vec<String> = ticks.iter().map(|&x| number(x, decimals)).collect();
            assert!(labels.len() >= 3, "{labels:?}");
            for (label, tick) in labels.iter().zip(&ticks) {
                let off = (label.parse::<f64>().unwrap() - tick).abs();
                assert!(off <= 1e-6 * (right - left), "{label} {tick}");
                assert!(label != "-0" && !label.starts_with("-0.0000000"), "{label}");
            }
            assert!(
                decimals == 0 || labels.iter().any(|label| !label.ends_with('0')),
                "{labels:?}"
            );
            labels.dedup();
            assert_eq!(labels.len(), ticks.len());
        }
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("demo_overconfident"), "demo_overconfident");
        assert_eq!(shortened("a_very_long_name_of_a_stream_1"), "a_very_lon…a_stream_1");
        let wide = "名".repeat(40);
        assert_eq!(shortened(&wide), format!("{0}…{0}", "名".repeat(5)));
    }
}
