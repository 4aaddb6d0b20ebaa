use serde::Deserialize;
use trajectory_metrics::{Figure, tool_calls::FailureCounts};

use crate::{
    costbench::{
        Blocking, CostbenchOptions, Found, METRICS, OPTIMUM, Query, World, WorldOptions, metrics,
        push_settings, wrong,
    },
    error::Error,
    options,
    report::{
        block::{Block, Field},
        picture::{Axis, Mark, Picture, Series},
        sentence::with_ends,
    },
};

/// The settings of a sweep. The default is that of the paper.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SweepOptions {
    /// The world that each group changes in one way.
    #[serde(skip)]
    pub base: WorldOptions,
    /// Refinement levels
    #[serde(deserialize_with = "options::read::refinements")]
    pub levels: Vec<usize>,
    /// Noise levels
    #[serde(deserialize_with = "options::read::numbers")]
    pub noises: Vec<f64>,
    /// Largest number of events, at level 4; at most 5
    #[serde(deserialize_with = "options::read::count")]
    pub most_blocks: usize,
    /// Further seeds
    #[serde(deserialize_with = "options::read::seeds")]
    pub seeds: Vec<u64>,
}

impl Default for SweepOptions {
    fn default() -> Self {
        Self {
            base: WorldOptions::default(),
            levels: (0..=5).collect(),
            noises: vec![0.1, 0.5, 1.0, 5.0, 10.0],
            most_blocks: 3,
            seeds: vec![1000, 2000, 3000],
        }
    }
}

/// The level at which the number of events changes: tasks of seven steps, as in figure 6.
const BLOCK_LEVEL: usize = 4;

/// Groups of settings that differ in one way: name, title, and the figure of the paper that shows models in
/// these settings.
const GROUPS: [(&str, &str, &str); 5] = [
    ("length", "Length of tasks", "figure 2, tables 3 and 4"),
    ("noise", "Noise of costs", "figure 3"),
    ("block", "Kind of event", "figure 5"),
    ("blocks", "Number of events", "figure 6"),
    ("seed", "Seed", "figure 9"),
];

/// The greedy policy in one setting.
struct Setting {
    options: CostbenchOptions,
    figures: Block,
    row: Block,
}

/// Runs the greedy policy over task lengths, noise, kinds and numbers of events, and seeds, with an interval
/// for each mean: the figures and tables that the paper has for models.
///
/// # Errors
///
/// [`Error::Options`] for options out of range.
pub fn sweep(
    queries: &[Query],
    options: &SweepOptions,
    with_pictures: bool,
) -> Result<Block, Error> {
    let most = BLOCK_LEVEL + 1;
    if options.most_blocks > most {
        let problem = format!("{} are too many; give at most {most}", options.most_blocks);
        return Err(wrong(&["most_blocks"], problem));
    }
    let named = |name: &'static [&'static str]| {
        move |error| match error {
            Error::Options { problem, .. } => Error::Options { options: name, problem },
            other => other,
        }
    };
    let base = &options.base;
    let of_world = |world| CostbenchOptions { world, ..CostbenchOptions::default() };
    let still = of_world(base.clone());
    let row = |changed: CostbenchOptions| setting(queries, changed);
    let at_level = |refinement_level| of_world(WorldOptions { refinement_level, ..base.clone() });
    let at_noise = |noise_std| of_world(WorldOptions { noise_std, ..base.clone() });
    // The base is checked before what changes it.
    World::new(&still)?;
    for &level in &options.levels {
        World::new(&at_level(level)).map_err(named(&["levels"]))?;
    }
    for &noise_std in &options.noises {
        World::new(&at_noise(noise_std)).map_err(named(&["noises"]))?;
    }

    let (mut length, mut noise) = (Vec::new(), Vec::new());
    for &level in &options.levels {
        length.push(row(at_level(level))?);
    }
    for &noise_std in &options.noises {
        noise.push(row(at_noise(noise_std))?);
    }
    let mut block = vec![row(still.clone())?];
    let mut blocks = vec![row(at_level(BLOCK_LEVEL))?];
    for &blocking in &Blocking::ALL[1..] {
        block.push(row(CostbenchOptions { blocking, ..still.clone() })?);
        for number in 1..=options.most_blocks {
            let changed = at_level(BLOCK_LEVEL);
            blocks.push(row(CostbenchOptions { blocking, blocks: number, ..changed })?);
        }
    }
    let mut seeds = vec![row(still.clone())?];
    for &seed in &options.seeds {
        seeds.push(row(of_world(WorldOptions { seed, ..base.clone() }))?);
    }
    let groups = [length, noise, block, blocks, seeds];

    let mut report = Block::default();
    push_settings(&mut report, base);
    if with_pictures {
        report.draw([
            ("cost_gap_by_length", by_length(&groups[0])),
            ("cost_gap_by_noise", by_noise(&groups[1])),
            ("distance_by_event", by_event(groups.iter().flatten())),
        ]);
    }
    report.conclusion = conclusion(&groups);
    let (mut notes, mut all) = (Vec::new(), Vec::new());
    for ((name, title, figure), settings) in GROUPS.into_iter().zip(groups) {
        let mut rows = Vec::new();
        for Setting { options, figures, row } in settings {
            let place = format!(
                "{name}, level {}, noise {}, seed {}, {} x {}",
                options.world.refinement_level,
                options.world.noise_std,
                options.world.seed,
                number_of_events(&options),
                options.blocking.name()
            );
            let own = figures.notes.into_iter().flatten();
            notes.extend(own.map(|note| format!("{place}: {note}")));
            rows.push(row);
        }
        let mut group = Block::default();
        group.push_json("name", name);
        group.push_json("figure", figure);
        group.fields.push(Field::rows("rows", format!("{title} ({figure})"), rows));
        all.push(group);
    }
    report.fields.push(Field::rows("groups", "", all));
    report.notes = Some(notes);
    Ok(report)
}

/// What length, noise and kinds of event change, from one end to the other.
fn conclusion([length, noise, block, ..]: &[Vec<Setting>; 5]) -> Vec<String> {
    let gap = |settings: &[Setting], at: fn(&CostbenchOptions) -> f64, name: &str| {
        let [(low, first), (high, last)] = ends(settings, "cost_gap", |it, _| at(&it.options))?;
        Some(format!(
            "as {name} from {} to {}, the cost of the greedy policy beyond the optimum goes from {} to {}{}",
            at(&low.options),
            at(&high.options),
            with_ends(&first),
            with_ends(&last),
            overlap([first, last])
        ))
    };
    let of_events = ends(block.get(1..).unwrap_or_default(), "aned", |_, distance| distance);
    let of_events = of_events.map(|[(near, least), (far, most)]| {
        let [near, far] = [near, far].map(|it| it.options.blocking.name());
        format!(
            "under one event, its path is nearest to the optimum with {near} (normalized edit distance {}) and farthest with {far} ({}){}",
            with_ends(&least),
            with_ends(&most),
            overlap([least, most])
        )
    });
    let steps =
        gap(length, |options| options.world.refinement_level as f64 + 3.0, "tasks grow in steps");
    let noise = gap(noise, |options| options.world.noise_std, "the noise of costs grows");
    [steps, noise, of_events].into_iter().flatten().collect()
}

/// Returns the settings with the smallest and the largest number, with the figure under a key.
fn ends<'a>(
    settings: &'a [Setting],
    key: &str,
    number: impl Fn(&Setting, f64) -> f64,
) -> Option<[(&'a Setting, Figure); 2]> {
    let found = settings.iter().filter_map(|it| Some((it, it.figures.figure(key).ok()?)));
    let mut found: Vec<(&Setting, Figure)> = found.collect();
    found.sort_by(|(a, x), (b, y)| number(a, x.value).total_cmp(&number(b, y.value)));
    Some([*found.first()?, *found.last()?]).filter(|_| found.len() > 1)
}

/// Returns whether two figures differ by more than their intervals.
fn overlap(figures: [Figure; 2]) -> &'static str {
    let [Ok(first), Ok(second)] = figures.map(|figure| figure.interval) else {
        return "; no interval says whether that is noise";
    };
    match first.low() <= second.high() && second.low() <= first.high() {
        true => "; their intervals overlap, so that this may be noise",
        false => "; their intervals do not overlap",
    }
}

fn number_of_events(options: &CostbenchOptions) -> usize {
    if options.blocking == Blocking::None { 0 } else { options.blocks }
}

fn setting(queries: &[Query], options: CostbenchOptions) -> Result<Setting, Error> {
    let world = World::new(&options)?;
    let found = Found::new(queries, &world, false)?;
    let has_events = world.blocks > 0;
    let mut figures = Block::default();
    found.push(&mut figures, metrics(has_events));
    if has_events {
        found.push_optimum(&mut figures, &OPTIMUM[1]);
    }
    figures.push_reasons();

    let mut row = Block::default();
    let mut left_out = Block::default();
    left_out.extend_json(&found.left_out);
    label(&mut left_out, &[("last_event", "of these at the last call")]);
    row.fields.extend([
        Field::shown("refinement_level", "level", options.world.refinement_level),
        Field::shown("noise_std", "noise", options.world.noise_std),
        Field::shown("seed", "seed", options.world.seed),
        Field::shown("blocks", "events", world.blocks),
        Field::shown("block", "kind", options.blocking.name()),
        Field::shown("queries", "queries", found.greedy.len()),
        Field::shown("left_out", "left out", found.left_out.total()),
        Field::block("left_out_by_reason", left_out),
    ]);
    for metric in METRICS {
        row.fields.push(Field::figure(metric.measure, figures.figure(metric.measure.key)));
    }
    row.fields.push(Field::block("failures", failures(&found.failures)));
    let distance = OPTIMUM[1].measure;
    row.fields.push(Field::figure(distance, figures.figure(distance.key)));
    Ok(Setting { options, figures, row })
}

/// Returns the number of calls in each failure class.
fn failures(counts: &FailureCounts) -> Block {
    let mut block = Block::default();
    block.extend_json(counts);
    let classes = [
        ("repeated", "repeated"),
        ("extra", "extra"),
        ("wrong_parameters", "wrong"),
        ("inaccessible", "inaccessible"),
    ];
    label(&mut block, &classes);
    block
}

fn label(block: &mut Block, labels: &[(&'static str, &'static str)]) {
    for field in &mut block.fields {
        if let Some((_, label)) = labels.iter().find(|(key, _)| *key == field.key) {
            field.label = (*label).into();
        }
    }
}

fn cost_gap(settings: &[Setting], x: impl Fn(&CostbenchOptions) -> f64) -> Vec<Series> {
    let points = settings.iter().filter_map(|it| it.figures.point("cost_gap", x(&it.options)));
    vec![Series::with_intervals("greedy policy, 95 % intervals", Mark::LineDots, points)]
}

fn by_length(settings: &[Setting]) -> Picture {
    Picture {
        title: "Cost gap by length: do longer tasks cost more beyond the optimum?".to_owned(),
        x: Axis::new("steps of a task"),
        y: Axis::new("mean cost beyond the optimum"),
        series: cost_gap(settings, |options| options.world.refinement_level as f64 + 3.0),
        note: "Lower is better; 0 is the cheapest plan.".to_owned(),
    }
}

fn by_noise(settings: &[Setting]) -> Picture {
    Picture {
        title: "Cost gap by noise: do noisy costs of composite tools mislead?".to_owned(),
        x: Axis::new("standard deviation of the noise"),
        series: cost_gap(settings, |options| options.world.noise_std),
        ..by_length(&[])
    }
}

/// Returns the distance of paths by number of events, one line per kind.
fn by_event<'a>(settings: impl Iterator<Item = &'a Setting>) -> Picture {
    let mut kinds: Vec<(&str, Vec<[f64; 4]>)> = Vec::new();
    for setting in settings.filter(|setting| setting.options.blocking != Blocking::None) {
        let name = setting.options.blocking.name();
        let blocks = setting.options.blocks as f64;
        let Some(point) = setting.figures.point("aned", blocks) else { continue };
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            // Each number of events once, with the first seed.
            Some((_, points)) if points.iter().any(|known| known[0] == point[0]) => {}
            Some((_, points)) => points.push(point),
            None => kinds.push((name, vec![point])),
        }
    }
    let series = kinds.into_iter();
    let series = series.map(|(name, points)| {
        Series::with_intervals(name.replace('-', " "), Mark::LineDots, points)
    });
    Picture {
        title: "Distance by event: which changes of the world throw the policy off?".to_owned(),
        x: Axis::new("events during a run"),
        y: Axis::new("normalized edit distance").with_range(0.0, 1.0),
        series: series.collect(),
        note: "Distance between the greedy run and the optimal run, both under the same events. Lower is better.".to_owned(),
    }
}
