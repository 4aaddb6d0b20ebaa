//! A picture of one run: after each turn the interval that was estimated, against what really
//! remained.

use std::error::Error;

use budget_estimation::{Estimate, Rollout, Sample};
use plotters::{
    coord::Shift,
    prelude::{
        ChartBuilder, Circle, Cross, DrawingArea, EmptyElement, IntoDrawingArea, PathElement,
        RGBColor, Rectangle, SVGBackend, Text, WHITE,
    },
    style::{Color, IntoFont},
};

use crate::budget::runs::Runs;

/// Okabe and Ito's colours, which most people can tell apart.
const INTERVAL: RGBColor = RGBColor(86, 180, 233);
const TRUTH: RGBColor = RGBColor(0, 0, 0);
const LEFT: RGBColor = RGBColor(0, 158, 115);
const IMPOSSIBLE: RGBColor = RGBColor(213, 94, 0);
const CHANCE: RGBColor = RGBColor(204, 121, 167);
const TEXT: RGBColor = RGBColor(40, 40, 40);
const SIZE: (u32, u32) = (900, 520);
/// Intervals are cut off where they go beyond so many times the largest amount that remained.
const HIGHEST: f64 = 3.0;

/// The picture as SVG, of the run of this id, or of the longest feasible one.
///
/// # Errors
///
/// Where there is no such run, or it has no prefix.
pub(crate) fn svg(
    runs: &Runs,
    id: Option<&str>,
    estimator: &str,
    resource: &str,
) -> Result<String, Box<dyn Error>> {
    let run = chosen(runs, id)?;
    let samples: Vec<&Sample> =
        runs.samples.iter().filter(|sample| sample.rollout() == run.index()).collect();
    let most = samples.iter().map(|sample| sample.remaining()).fold(0.0, f64::max);
    if most <= 0.0 {
        return Err("nothing to draw: the run has no turn after which something remained".into());
    }
    let ends = samples.iter().filter_map(|sample| sample.estimate().ends());
    let highest = ends.map(|ends| ends.high()).fold(most, f64::max);
    let top = 1.05 * highest.min(HIGHEST * most);
    let last = run.turns() as f64;
    let cap = run.cap(runs.resource)?;

    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let label = if run.is_feasible()? { "feasible" } else { "not feasible" };
        let name = run.id().unwrap_or_default();
        let title = format!("{name}: {} turns, {label}", run.turns());
        let root = root.titled(&title, ("sans-serif", 20).into_font())?;
        let (key, body) = root.split_vertically(40);
        let chances = runs.chances.get(run.index()).map(Vec::as_slice).unwrap_or_default();
        let has_chances = !chances.is_empty();
        draw_key(&key, estimator, cap.is_some(), has_chances)?;
        let mut chart = ChartBuilder::on(&body)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(90)
            .right_y_label_area_size(if has_chances { 60 } else { 0 })
            .build_cartesian_2d(0.0..last, 0.0..top)?
            .set_secondary_coord(0.0..last, 0.0..1.0);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .x_desc("completed turns")
            .y_desc(format!("{resource} still to be spent"))
            .x_label_formatter(&|turn| turn.to_string())
            .y_label_formatter(&|amount| ((amount * 1e6).round() / 1e6).to_string())
            .label_style(("sans-serif", 14))
            .draw()?;
        for sample in &samples {
            let turn = sample.turn() as f64;
            match sample.estimate() {
                Estimate::Interval(ends) => {
                    let bar =
                        [(turn - 0.4, ends.low().min(top)), (turn + 0.4, ends.high().min(top))];
                    chart.draw_series([Rectangle::new(bar, INTERVAL.mix(0.6).filled())])?;
                    // An interval of no width has no area to be seen.
                    let middle = bar[0].1;
                    let line = [(turn - 0.4, middle), (turn + 0.4, middle)];
                    chart.draw_series([PathElement::new(line, INTERVAL)])?;
                }
                Estimate::Impossible => {
                    let at = EmptyElement::at((turn, 0.0));
                    let mark = Cross::new((0, -8), 4, IMPOSSIBLE.stroke_width(2));
                    chart.draw_series([at + mark])?;
                }
                Estimate::NoAnswer => {}
            }
        }
        if let Some(cap) = cap {
            let left = samples.iter().map(|sample| (sample.turn() as f64, cap - sample.used()));
            // A cap that is far away is not shown rather than shown where it is not.
            let left = left.filter(|(_, left)| (0.0..=top).contains(left));
            chart
                .draw_series([PathElement::new(left.collect::<Vec<_>>(), LEFT.stroke_width(2))])?;
        }
        if has_chances {
            chart
                .configure_secondary_axes()
                .y_desc("chance of success")
                .y_label_formatter(&|chance| format!("{chance:.1}"))
                .label_style(("sans-serif", 14))
                .draw()?;
            let line = (1..).zip(chances).map(|(turn, chance)| (f64::from(turn), *chance));
            let line = PathElement::new(line.collect::<Vec<_>>(), CHANCE.stroke_width(2));
            chart.draw_secondary_series([line])?;
        }
        let truth = || samples.iter().map(|sample| (sample.turn() as f64, sample.remaining()));
        chart
            .draw_series([PathElement::new(truth().collect::<Vec<_>>(), TRUTH.stroke_width(1))])?;
        chart.draw_series(truth().map(|at| Circle::new(at, 2, TRUTH.filled())))?;
        root.present()?;
    }
    Ok(text)
}

fn chosen<'a>(runs: &'a Runs, id: Option<&str>) -> Result<Rollout<'a>, Box<dyn Error>> {
    if let Some(id) = id {
        let found = runs.rollouts.iter().find(|run| run.id() == Some(id));
        return found.ok_or_else(|| format!("no run that is scored is called {id:?}").into());
    }
    let feasible = |run: &Rollout<'_>| run.is_feasible().unwrap_or(false);
    let first_longest =
        |best: Rollout<'a>, run: Rollout<'a>| if run.turns() > best.turns() { run } else { best };
    let longest = runs.rollouts.iter().filter(feasible).reduce(first_longest);
    longest.ok_or_else(|| "nothing to draw: no run is feasible; --plot-id takes any".into())
}

/// What is what, in one line.
fn draw_key(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    estimator: &str,
    has_cap: bool,
    has_chances: bool,
) -> Result<(), Box<dyn Error>> {
    let font = || ("sans-serif", 14).into_font().color(&TEXT);
    let y = 20;
    let mut x = 102;
    let mut word = |mark: &dyn Fn(i32) -> Result<(), Box<dyn Error>>, text: &str, width: i32| {
        mark(x)?;
        area.draw(&Text::new(text.to_owned(), (x + 32, y - 7), font()))?;
        x += width;
        Ok::<(), Box<dyn Error>>(())
    };
    let line = |colour: RGBColor, width: u32| {
        move |x: i32| {
            Ok(area.draw(&PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(width)))?)
        }
    };
    word(&line(TRUTH, 2), "what remained", 150)?;
    if has_cap {
        word(&line(LEFT, 2), "left of the cap", 150)?;
    }
    if has_chances {
        word(&line(CHANCE, 2), "chance of success", 170)?;
    }
    let mark = |x: i32| Ok(area.draw(&Cross::new((x + 12, y), 4, IMPOSSIBLE.stroke_width(2)))?);
    word(&mark, "impossible", 130)?;
    word(&line(INTERVAL, 10), &format!("interval by {estimator}"), 0)
}
