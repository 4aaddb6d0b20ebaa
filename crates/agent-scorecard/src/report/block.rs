use std::{borrow::Cow, collections::BTreeMap, fmt, sync::Arc};

use run_logs::Account;
use scoring_rules::Level;
use serde::{
    Serialize,
    ser::{SerializeMap, Serializer},
};
use trajectory_metrics::{Figure, Interval, Measure, Metric, NoInterval, Undefined};

use crate::{
    metrics::mean,
    report::{
        names,
        picture::{Picture, point},
    },
};

/// The prefix of a name that denotes rows in memory instead of a file.
pub const ROWS: &str = "rows:";

/// The answer to one question about one or more columns of runs.
///
/// [`Serialize`] writes the JSON object of the command: the fields of a single column, or `files` with one object per
/// column, next to the fields on all columns together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The question, as a heading.
    pub title: String,
    /// The conclusions from the figures, in sentences that claim no more than the intervals support.
    pub conclusion: Vec<String>,
    /// The counts of the input and of the runs that were used. `None` for a report on data that the program generated.
    pub account: Option<Account>,
    /// One line that describes the measurement and its method.
    pub lead: String,
    /// The figures about all columns together, such as the differences between them.
    pub together: Block,
    /// The columns, each with its own numbers: one per file, or one per model if a file has several.
    pub columns: Vec<Column>,
    /// The key that the list of columns has in JSON; a report with such a key has a list even for a single column.
    /// `None` for the key `files`, and for the fields of a single column without a list.
    pub list: Option<&'static str>,
    /// Whether all columns have the same runs, so that the best value of a row can be marked.
    pub is_comparable: bool,
    /// The measures for which one of two columns with different runs is better, because the interval of the difference
    /// excludes 0.
    pub decided: Vec<&'static str>,
    /// The names of the pictures that can represent the report, the most informative first.
    pub main_pictures: Vec<&'static str>,
}

/// One column of a report: a file, a model in a file, or a setting of a benchmark.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// A name for people, unique among the columns.
    pub name: String,
    /// The file, as named by the caller. A column without a file has an empty name, which JSON leaves out.
    pub file: String,
    /// The model, if the file has runs of several.
    pub model: Option<String>,
    /// The results.
    pub block: Block,
    /// The key in JSON of the parts of the column, such as `streams`, with one report per part; empty if the column itself
    /// has the figures.
    pub parts: (&'static str, Vec<(String, Block)>),
}

/// A block of named values, which is an object in JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The heading of the table that shows the values.
    pub title: String,
    /// The values in the order in which they are shown.
    pub fields: Vec<Field>,
    /// The sentences on the values, each with its position. Those of one position are shown in this order.
    pub sentences: Vec<(Position, String)>,
    /// Whether JSON has a list of notes even without any.
    pub lists_notes: bool,
    /// Whether the inner blocks are the rows of one table, whose columns are their fields.
    pub is_table: bool,
    /// Pictures, if they were asked for.
    pub pictures: BTreeMap<String, Picture>,
}

/// The place in a report where a sentence about a block is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A clause that concludes no more than the intervals support. It begins in lower case and has no full stop, because a
    /// report puts the name of the column before it.
    Conclusion,
    /// A line for people that comes before all tables, such as how many runs there are.
    Line,
    /// The explanation of the table of the values.
    Explanation,
    /// A line for people that comes after all tables, such as the plan of a task.
    Detail,
    /// An undefined value with its reason, or a note to read before the values are quoted. JSON lists these as `notes`.
    Note,
}

/// A value and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name in JSON.
    pub key: Cow<'static, str>,
    /// The name for people; empty for a value that only JSON has. A block with a name is a separate column next to the
    /// column that contains it.
    pub label: Cow<'static, str>,
    /// The value.
    pub value: Value,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number with its interval, or the reason why it is undefined. JSON always has an object of `value`, `ci_low`,
    /// `ci_high` and `standard_error`.
    Figure(Measure, Result<Figure, Undefined>),
    /// The bounds of a number that is not identified, or the reason why there are none.
    Bounds(Measure, Result<Interval, Undefined>),
    /// Any JSON value; null for a missing value.
    Json(serde_json::Value),
    /// A block of values.
    Block(Block),
    /// Rows with the same fields, such as bins.
    Rows {
        /// The heading of the table that shows the rows.
        title: String,
        /// The rows.
        rows: Vec<Block>,
    },
    /// Rows that are created on demand.
    Made(MadeRows),
}

/// Rows that are created on demand from their data, because there may be a million of them.
#[derive(Clone)]
pub struct MadeRows {
    /// The heading of the table that shows the rows, if there is one.
    pub title: String,
    make: Arc<dyn Fn(usize) -> Option<Block> + Send + Sync>,
}

impl MadeRows {
    /// Creates rows from a function of the row number, which starts at 0. The function returns `None` after the last
    /// row.
    pub fn new(
        title: impl Into<String>,
        make: impl Fn(usize) -> Option<Block> + Send + Sync + 'static,
    ) -> Self {
        Self { title: title.into(), make: Arc::new(make) }
    }

    /// Creates the rows again, and returns them one by one.
    pub fn iter(&self) -> impl Iterator<Item = Block> + '_ {
        (0..).map_while(|at| (self.make)(at))
    }
}

impl fmt::Debug for MadeRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for MadeRows {
    fn eq(&self, other: &Self) -> bool {
        self.title == other.title && self.iter().eq(other.iter())
    }
}

impl Serialize for MadeRows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl From<(String, Option<String>, Block)> for Column {
    fn from((file, model, block): (String, Option<String>, Block)) -> Self {
        Self { file, model, block, ..Self::default() }
    }
}

impl Report {
    /// Creates a report of these columns, with the conclusions of their blocks. A column can be made from its file, its
    /// model (if the file has several) and its results. A column without a name is named after its model. If it has no
    /// model, it is named after its file, without a known file extension. If two names are equal, the name of the file
    /// is added, and then its path.
    #[must_use]
    pub fn of_columns<C: Into<Column>>(columns: Vec<C>) -> Self {
        let mut columns: Vec<Column> = columns.into_iter().map(Into::into).collect();
        let given = columns.iter().map(|it| (&*it.name, &*it.file, it.model.as_deref()));
        let names = names::names(&given.collect::<Vec<_>>());
        columns.iter_mut().zip(names).for_each(|(column, name)| column.name = name);
        let mut report = Self { columns, ..Self::default() };
        report.conclude();
        report
    }

    /// Adds the results for the pooled runs of all columns. `and` is the text that ends the note on pooling.
    pub fn pool(&mut self, mut block: Block, and: &str) {
        const POOLED: &str = "these figures cover all columns together; a run in two columns counts twice; the figures of each column are under the key files";
        block.title = "All columns together".to_owned();
        block.unsay(Position::Line);
        block.say(Position::Note, [format!("{POOLED}{and}")]);
        self.together = block;
    }

    /// Sets the counts of runs for each column, in the order of the columns.
    pub fn set_accounts(&mut self, accounts: impl IntoIterator<Item = Account>) {
        let names = self.columns.iter().map(|column| column.name.clone());
        let named = names.zip(accounts).map(|(name, account)| Account { name, ..account });
        self.account = Some(Account::of_columns(named.collect()));
    }

    /// Returns the key of the list of columns in JSON, if there is a list.
    pub(crate) fn list_key(&self) -> Option<&'static str> {
        self.list.or((self.columns.len() > 1).then_some("files"))
    }
}

impl Field {
    /// Creates a value that appears only in JSON.
    pub fn json(key: impl Into<Cow<'static, str>>, value: impl Into<serde_json::Value>) -> Self {
        Self { key: key.into(), label: Cow::Borrowed(""), value: Value::Json(value.into()) }
    }

    /// Creates a value that tables show under this name.
    pub fn shown(
        key: impl Into<Cow<'static, str>>,
        label: impl Into<Cow<'static, str>>,
        value: impl Into<serde_json::Value>,
    ) -> Self {
        Self { label: label.into(), ..Self::json(key, value) }
    }

    /// Creates a value that tables show under this name if a condition holds.
    pub(crate) fn shown_if(
        key: impl Into<Cow<'static, str>>,
        label: impl Into<Cow<'static, str>>,
        value: impl Into<serde_json::Value>,
        is_shown: bool,
    ) -> Self {
        let field = Self::shown(key, label, value);
        if is_shown { field } else { field.unshown() }
    }

    /// Hides the value from tables, so that only JSON has it.
    pub(crate) fn unshown(self) -> Self {
        self.labelled("")
    }

    /// Shows the value under this name.
    pub(crate) fn labelled(self, label: impl Into<Cow<'static, str>>) -> Self {
        Self { label: label.into(), ..self }
    }

    /// Creates a field with rows that are created on demand.
    pub(crate) fn made(key: &'static str, rows: MadeRows) -> Self {
        Self { value: Value::Made(rows), ..Self::json(key, ()) }
    }

    /// Creates a figure under the name of its measure.
    #[must_use]
    pub fn figure(measure: Measure, figure: Result<Figure, Undefined>) -> Self {
        let value = Value::Figure(measure, figure);
        Self { value, ..Self::shown(measure.key, measure.label, ()) }
    }

    /// Creates a figure that is the mean of these values. Its interval treats the values of a task as dependent
    /// ([`trajectory_metrics::estimates::mean`]). The range of the measure determines the kind of interval. The figure
    /// is undefined without values, or if a value is outside the range.
    ///
    /// ```
    /// use agent_scorecard::{Better, Field, Measure, Value, trajectory_metrics::Level};
    ///
    /// let gap = Measure::new("gap", "gap", Better::Lower, "Mean cents above the best run.");
    /// let found = Field::mean(gap, &[2.0, 4.0, 0.0, 2.0], &["a", "a", "b", "b"], Level::new(0.95)?);
    /// assert!(matches!(found.value, Value::Figure(_, Ok(figure)) if figure.value == 2.0));
    /// # Ok::<(), agent_scorecard::Error>(())
    /// ```
    #[must_use]
    pub fn mean<G: Ord>(measure: Measure, values: &[f64], tasks: &[G], level: Level) -> Self {
        Self::figure(measure, mean(&measure, values, tasks, level))
    }

    /// Creates the bounds of a number that the data do not determine, under the name of its measure.
    #[must_use]
    pub fn bounds(measure: Measure, ends: Result<Interval, Undefined>) -> Self {
        let value = Value::Bounds(measure, ends);
        Self { value, ..Self::shown(measure.key, measure.label, ()) }
    }

    /// Creates a field that contains a block of values, or null without a block.
    pub fn block(key: impl Into<Cow<'static, str>>, block: impl Into<Option<Block>>) -> Self {
        let null = Self::json(key, ());
        match block.into() {
            None => null,
            Some(block) => Self { value: Value::Block(block), ..null },
        }
    }

    /// Creates a field with rows.
    pub fn rows(
        key: impl Into<Cow<'static, str>>,
        title: impl Into<String>,
        rows: Vec<Block>,
    ) -> Self {
        Self { value: Value::Rows { title: title.into(), rows }, ..Self::json(key, ()) }
    }
}

impl Field {
    /// Returns whether tables have a row for it.
    pub(crate) fn is_row(&self) -> bool {
        !self.label.is_empty() && !matches!(self.value, Value::Block(_))
    }

    /// Returns the block that is a separate column next to the column that contains it.
    pub(crate) fn beside(&self) -> Option<&Block> {
        match &self.value {
            Value::Block(block) if !self.label.is_empty() => Some(block),
            _ => None,
        }
    }
}

/// Returns a note for each reason why figures are undefined or have no interval, with the names of these figures. There
/// is no note if no interval was requested.
pub(crate) fn notes_on_lacking<'a>(
    figures: impl IntoIterator<Item = (&'a str, Result<NoInterval, Undefined>)>,
) -> Vec<String> {
    let mut all: Vec<(Result<NoInterval, Undefined>, Vec<&str>)> = Vec::new();
    for (name, reason) in figures {
        match all.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => all.push((reason, vec![name])),
        }
    }
    let note = |(reason, names): (_, Vec<&str>)| match reason {
        Ok(NoInterval::NotRequested) => None,
        Ok(reason) => Some(format!("no interval of {}: {reason}", names.join(", "))),
        Err(reason) => Some(format!("{}: undefined, because {reason}", names.join(", "))),
    };
    all.into_iter().filter_map(note).collect()
}

impl Block {
    /// Creates a block of these values, without a title, lines or notes.
    pub fn of(fields: impl IntoIterator<Item = Field>) -> Self {
        Self { fields: fields.into_iter().collect(), ..Self::default() }
    }

    /// Creates a block of these values with a heading.
    pub(crate) fn titled(
        title: impl Into<String>,
        fields: impl IntoIterator<Item = Field>,
    ) -> Self {
        Self { title: title.into(), ..Self::of(fields) }
    }

    /// Adds sentences. With [`Position::Note`], JSON has `notes` even without a sentence.
    pub fn say(&mut self, position: Position, sentences: impl IntoIterator<Item = String>) {
        self.lists_notes |= position == Position::Note;
        self.sentences.extend(sentences.into_iter().map(|sentence| (position, sentence)));
    }

    /// Adds sentences in front of the others.
    pub fn say_first(&mut self, position: Position, sentences: impl IntoIterator<Item = String>) {
        self.lists_notes |= position == Position::Note;
        self.sentences.splice(0..0, sentences.into_iter().map(|sentence| (position, sentence)));
    }

    /// Adds sentences.
    #[must_use]
    pub fn saying(mut self, position: Position, text: impl IntoIterator<Item = String>) -> Self {
        self.say(position, text);
        self
    }

    /// Returns the sentences of a position.
    pub fn said(&self, position: Position) -> impl Iterator<Item = &str> {
        self.sentences.iter().filter(move |it| it.0 == position).map(|it| it.1.as_str())
    }

    /// Removes the sentences of a position and returns them. Without notes, JSON does not list them.
    pub(crate) fn unsay(&mut self, position: Position) -> Vec<String> {
        self.lists_notes &= position != Position::Note;
        let removed = self.sentences.extract_if(.., |it| it.0 == position);
        removed.map(|(_, sentence)| sentence).collect()
    }

    /// Adds notes on why figures are undefined or have no interval, and removes all notes. Returns them, each after the
    /// name of what it is about.
    pub(crate) fn take_notes(&mut self, of: &str) -> Vec<String> {
        self.push_reasons();
        let notes = self.unsay(Position::Note).into_iter();
        notes.map(|note| format!("{of}: {note}")).collect()
    }

    /// Adds these pictures under their names, except empty ones.
    pub fn draw(&mut self, pictures: impl IntoIterator<Item = (&'static str, Picture)>) {
        let drawn = pictures.into_iter().filter(|(_, picture)| !picture.is_empty());
        self.pictures.extend(drawn.map(|(name, picture)| (name.to_owned(), picture)));
    }

    /// Adds a value that appears only in JSON. A value that JSON cannot represent, such as a map whose keys are not
    /// texts, is replaced by the text of the error.
    pub fn push_json<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) {
        self.fields.push(Field::json(
            key,
            serde_json::to_value(value).unwrap_or_else(|error| error.to_string().into()),
        ));
    }

    /// Adds the fields of an object, which appear only in JSON.
    pub fn extend_json<T: Serialize + ?Sized>(&mut self, object: &T) {
        if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(object) {
            self.fields.extend(fields.into_iter().map(|(key, value)| Field::json(key, value)));
        }
    }

    /// Adds all metrics of an evaluation. `precision` gives each value its interval, or the reason why it has no interval.
    /// If a metric is undefined, the reason is added as a note.
    pub fn push_metrics<E: ?Sized>(
        &mut self,
        metrics: &[Metric<E>],
        evaluated: &E,
        precision: impl Fn(&Measure, f64) -> Figure,
    ) {
        for metric in metrics {
            // A value that is not finite cannot be written as a number.
            let value = metric.value(evaluated).and_then(|value| match value.is_finite() {
                true => Ok(precision(&metric.measure, value)),
                false => Err(Undefined::new(format!("it is {value}"))),
            });
            if let Err(reason) = &value {
                let note = format!("{}: undefined, because {reason}", metric.measure.key);
                self.say(Position::Note, [note]);
            }
            self.fields.push(Field::figure(metric.measure, value));
        }
    }

    /// Returns the names and heights of the bars of the metrics that have a [bar](Metric::bar) and a value.
    #[must_use]
    pub fn bars<E: ?Sized>(&self, metrics: &[Metric<E>]) -> (Vec<String>, Vec<f64>) {
        let bar =
            |metric: &Metric<E>| Some((metric.bar?.to_owned(), self.number(metric.measure.key)?));
        metrics.iter().filter_map(bar).unzip()
    }

    /// Adds a note for each reason why figures of this block are undefined or have no interval. If no interval was
    /// requested, there is no note on intervals.
    pub fn push_reasons(&mut self) {
        let lacking = self.fields.iter().filter_map(|field| {
            let lacking = match &field.value {
                Value::Figure(_, Err(why)) | Value::Bounds(_, Err(why)) => Err(why.clone()),
                Value::Figure(_, Ok(figure)) => Ok(figure.interval.err()?),
                _ => return None,
            };
            Some((field.key.as_ref(), lacking))
        });
        let notes = notes_on_lacking(lacking);
        self.say(Position::Note, notes);
    }

    /// Returns the value under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|field| field.key == key).map(|field| &field.value)
    }

    /// Returns the block under a key.
    pub(crate) fn inner(&self, key: &str) -> Option<&Self> {
        match self.get(key)? {
            Value::Block(block) => Some(block),
            _ => None,
        }
    }

    /// Returns the rows under a key; none without any.
    pub(crate) fn rows_of(&self, key: &str) -> &[Self] {
        match self.get(key) {
            Some(Value::Rows { rows, .. }) => rows,
            _ => &[],
        }
    }

    /// Returns a count under a key; 0 without one.
    #[must_use]
    pub fn count(&self, key: &str) -> u64 {
        self.number(key).map_or(0, |count| count as u64)
    }

    /// Returns whether a figure is defined.
    pub(crate) fn has_figure(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.value, Value::Figure(_, Ok(_))))
    }

    /// Returns the figure under a key.
    ///
    /// # Errors
    ///
    /// The reason why it is undefined, also if there is no such figure.
    pub fn figure(&self, key: &str) -> Result<Figure, Undefined> {
        match self.get(key) {
            Some(Value::Figure(_, figure)) => figure.clone(),
            _ => Err(Undefined::new(format!("there is no figure {key:?}"))),
        }
    }

    /// Returns a point of a picture: this position, the figure under a key, and the ends of its interval.
    pub(crate) fn point(&self, key: &str, x: f64) -> Option<[f64; 4]> {
        Some(point(x, &self.figure(key).ok()?))
    }

    /// Returns the finite number under a key: a JSON number or the value of a figure.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Figure(_, figure) => figure.as_ref().ok().map(|figure| figure.value),
            Value::Json(value) => value.as_f64(),
            _ => None,
        }
        .filter(|value| value.is_finite())
    }

    fn serialize_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        // An undefined figure has the same four keys, all null.
        let undefined = Figure::from(f64::NAN);
        for Field { key, value, .. } in &self.fields {
            match value {
                Value::Figure(_, figure) => {
                    map.serialize_entry(key, figure.as_ref().unwrap_or(&undefined))?;
                }
                Value::Bounds(_, ends) => {
                    let ends = ends.as_ref().ok();
                    let (low, high) = ends.map(|ends| (ends.low(), ends.high())).unzip();
                    let ends = serde_json::json!({ "value": null, "ci_low": low, "ci_high": high, "standard_error": null });
                    map.serialize_entry(key, &ends)?;
                }
                Value::Json(value) => map.serialize_entry(key, value)?,
                Value::Block(block) => map.serialize_entry(key, block)?,
                Value::Rows { rows, .. } => map.serialize_entry(key, rows)?,
                Value::Made(rows) => map.serialize_entry(key, rows)?,
            }
        }
        if !self.pictures.is_empty() {
            map.serialize_entry("curves", &self.pictures)?;
        }
        Ok(())
    }

    fn serialize_notes<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if !self.lists_notes {
            return Ok(());
        }
        map.serialize_entry("notes", &self.said(Position::Note).collect::<Vec<_>>())
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_into(&mut map)?;
        self.serialize_notes(&mut map)?;
        map.end()
    }
}

impl Column {
    fn serialize_into<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if !self.file.is_empty() {
            map.serialize_entry("name", &self.name)?;
            map.serialize_entry("file", &self.file)?;
        }
        if let Some(model) = &self.model {
            map.serialize_entry("model", model)?;
        }
        self.block.serialize_into(map)?;
        let (key, parts) = &self.parts;
        if !key.is_empty() {
            let parts: BTreeMap<&str, &Block> =
                parts.iter().map(|(name, block)| (name.as_str(), block)).collect();
            map.serialize_entry(key, &parts)?;
        }
        Ok(())
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_into(&mut map)?;
        self.block.serialize_notes(&mut map)?;
        map.end()
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut notes: Vec<&str> = self.together.said(Position::Note).collect();
        if !self.conclusion.is_empty() {
            map.serialize_entry("conclusion", &self.conclusion)?;
        }
        if let Some(account) = &self.account {
            map.serialize_entry("account", account)?;
        }
        self.together.serialize_into(&mut map)?;
        match (self.list_key(), self.columns.as_slice()) {
            (Some(key), columns) => map.serialize_entry(key, columns)?,
            (None, [single]) => {
                single.serialize_into(&mut map)?;
                notes.splice(0..0, single.block.said(Position::Note));
            }
            (None, _) => {}
        }
        map.serialize_entry("notes", &notes)?;
        map.end()
    }
}
