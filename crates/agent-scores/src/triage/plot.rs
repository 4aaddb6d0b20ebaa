//! A picture of triage efficiency against the share of the budget, with intervals. A mark is hollow where
//! efficiency is undefined in every pool and a convention takes its place.

use std::error::Error;

use plotters::{
    prelude::{ChartBuilder, Circle, IntoDrawingArea, PathElement, RGBColor, SVGBackend, WHITE},
    style::{Color, IntoFont},
};

use crate::triage::figures::{AtAlpha, Estimate, REGIMES, Report};

/// Two of Okabe and Ito's colours, which most people can tell apart, and a grey.
const COLOURS: [RGBColor; 2] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0)];
const GREY: RGBColor = RGBColor(150, 150, 150);
const SIZE: (u32, u32) = (760, 480);

/// The picture as SVG.
///
/// # Errors
///
/// Where no efficiency is there to draw.
pub(crate) fn svg(report: &Report, title: &str) -> Result<String, Box<dyn Error>> {
    let estimates = || {
        let of = |at: &AtAlpha| at.figures.each_ref().map(|figures| figures.eta);
        report.alphas.iter().flat_map(of).flatten()
    };
    let lows = estimates().map(|eta| eta.ci_low.unwrap_or(eta.value));
    let low = lows.fold(f64::INFINITY, f64::min);
    if !low.is_finite() {
        return Err("nothing to draw: no pool has a plan".into());
    }
    let low = low.min(0.0);
    let margin = 0.05 * (1.0 - low);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .margin(14)
            .caption(title, ("sans-serif", 18).into_font())
            .x_label_area_size(44)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..1.05, low - margin..1.0 + margin)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc("alpha: budget as a share of what all problems cost")
            .y_desc("eta: 0 random, 1 oracle; hollow: by convention")
            .label_style(("sans-serif", 14))
            .draw()?;
        for level in [0.0, 1.0] {
            chart.draw_series([PathElement::new(
                [(0.0, level), (1.05, level)],
                GREY.stroke_width(1),
            )])?;
        }
        for (k, ((_, name), colour)) in REGIMES.into_iter().zip(COLOURS).enumerate() {
            // Side by side, so that intervals do not hide each other.
            let x = |alpha: f64| alpha + 0.006 * (k as f64 - 0.5);
            let mut points: Vec<(f64, Estimate, bool)> = report
                .alphas
                .iter()
                .filter_map(|at| {
                    let figures = &at.figures[k];
                    Some((x(at.alpha), figures.eta?, figures.informative.is_some()))
                })
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let line: Vec<(f64, f64)> = points.iter().map(|(x, eta, _)| (*x, eta.value)).collect();
            chart
                .draw_series([PathElement::new(line, colour.stroke_width(2))])?
                .label(name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                });
            let mark = |(x, eta, defined): &(f64, Estimate, bool)| {
                let style = if *defined { colour.filled() } else { colour.stroke_width(2) };
                Circle::new((*x, eta.value), 4, style)
            };
            chart.draw_series(points.iter().map(mark))?;
            let bars = points.iter().filter_map(|(x, eta, _)| {
                let ends = [(*x, eta.ci_low?), (*x, eta.ci_high?)];
                Some(PathElement::new(ends, colour.stroke_width(1)))
            });
            chart.draw_series(bars)?;
        }
        chart
            .configure_series_labels()
            .position(plotters::prelude::SeriesLabelPosition::LowerLeft)
            .background_style(WHITE)
            .border_style(GREY)
            .label_font(("sans-serif", 14))
            .draw()?;
        root.present()?;
    }
    Ok(text)
}
