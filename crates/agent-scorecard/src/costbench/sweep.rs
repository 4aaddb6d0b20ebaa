use trajectory_metrics::Measure;

use crate::{
    costbench::{
        Blocking, CostbenchOptions, Found, METRICS, OPTIMUM, Query, World, WorldOptions, metrics,
        push_settings, wrong,
    },
    error::Error,
    report::block::{Block, Field, Position},
};

/// The options of [`sweep()`]. The defaults are those of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepOptions {
    /// The world from which the settings of each group differ in one way.
    pub base: WorldOptions,
    /// Refinement levels
    pub levels: Vec<usize>,
    /// Noise levels
    pub noises: Vec<f64>,
    /// Largest number of events, at level 4; at most 5
    pub most_blocks: usize,
    /// Further seeds
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

/// Groups of settings that differ in one way, and the figure of the paper that shows models in these settings.
const GROUPS: [(&str, &str); 5] = [
    ("length", "figure 2, tables 3 and 4"),
    ("noise", "figure 3"),
    ("block", "figure 5"),
    ("blocks", "figure 6"),
    ("seed", "figure 9"),
];

/// Runs the greedy policy in groups of settings, and returns the mean of each metric in each setting, with an interval.
/// The settings of a group differ in one way: in the length of tasks, the noise, the kind of events, the number of
/// events or the seed. The paper has figures and tables of models in the same settings, for comparison.
///
/// # Errors
///
/// [`Error::Options`] for options out of range.
pub fn sweep(queries: &[Query], options: &SweepOptions) -> Result<Block, Error> {
    let most = BLOCK_LEVEL + 1;
    if options.most_blocks > most {
        let problem = format!(
            "{blocks} events are too many; give at most {most}",
            blocks = options.most_blocks,
        );
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
    let row = |changed: CostbenchOptions| row(queries, changed);
    let at_level = |refinement_level| of_world(WorldOptions { refinement_level, ..base.clone() });
    let at_noise = |noise_std| of_world(WorldOptions { noise_std, ..base.clone() });
    // The base is checked before what changes it.
    World::new(&still)?;
    let (mut length, mut noise) = (Vec::new(), Vec::new());
    for &level in &options.levels {
        length.push(row(at_level(level)).map_err(named(&["levels"]))?);
    }
    for &noise_std in &options.noises {
        noise.push(row(at_noise(noise_std)).map_err(named(&["noises"]))?);
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
    let (mut notes, mut all) = (Vec::new(), Vec::new());
    for ((name, figure), settings) in GROUPS.into_iter().zip(groups) {
        let mut rows = Vec::new();
        for (place, mut row) in settings {
            let own = row.unsay(Position::Note).into_iter();
            notes.extend(own.map(|note| format!("{name}, {place}: {note}")));
            rows.push(row);
        }
        let mut group = Block::default();
        group.push_json("name", name);
        group.push_json("figure", figure);
        group.fields.push(Field::rows("rows", "", rows));
        all.push(group);
    }
    report.fields.push(Field::rows("groups", "", all));
    Ok(report.saying(Position::Note, notes))
}

/// Returns the results of the greedy policy in one setting, and the name of the setting in notes.
fn row(queries: &[Query], options: CostbenchOptions) -> Result<(String, Block), Error> {
    let world = World::new(&options)?;
    let found = Found::new(queries, &world, false)?;
    let has_events = world.blocks > 0;
    let mut figures = Block::default();
    found.push(&mut figures, metrics(has_events));
    if has_events {
        found.push_optimum(&mut figures, &OPTIMUM[1]);
    }
    figures.push_reasons();

    let WorldOptions { refinement_level, noise_std, seed, .. } = options.world;
    let (blocks, block) = (world.blocks, options.blocking.name());
    let place =
        format!("level {refinement_level}, noise {noise_std}, seed {seed}, {blocks} x {block}");
    let mut row = Block::of([
        Field::json("refinement_level", refinement_level),
        Field::json("noise_std", noise_std),
        Field::json("seed", seed),
        Field::json("blocks", blocks),
        Field::json("block", block),
        Field::json("queries", found.greedy.len()),
        Field::json("left_out", found.left_out.total()),
    ]);
    row.push_json("left_out_by_reason", &found.left_out);
    let figure = |measure: Measure| Field::figure(measure, figures.figure(measure.key));
    row.fields.extend(METRICS.map(|metric| figure(metric.measure)));
    row.push_json("failures", &found.failures);
    row.fields.push(figure(OPTIMUM[1].measure));
    Ok((place, row.saying(Position::Note, figures.unsay(Position::Note))))
}
