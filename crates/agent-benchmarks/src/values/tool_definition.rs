use trajectory_metrics::tool_calls::Value;

/// The values that a parameter of a tool accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// Any text.
    Text,
    /// One of these words.
    Choice(Vec<String>),
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name, unique within its tool.
    pub name: String,
    /// The meaning of the parameter, for the model.
    pub description: String,
    /// The values that the parameter accepts.
    pub kind: ParameterKind,
    /// Whether a call must give the parameter.
    pub required: bool,
}

impl Parameter {
    /// Creates a parameter that every call must give.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        kind: ParameterKind,
    ) -> Self {
        Self { name: name.into(), description: description.into(), kind, required: true }
    }

    /// Returns the problem with a value for this parameter; `None` if it can be used.
    pub(crate) fn problem(&self, value: &Value) -> Option<String> {
        let expected = match (&self.kind, value) {
            (ParameterKind::Text, Value::Text(_))
            | (ParameterKind::Integer, Value::Integer(_))
            | (ParameterKind::Number, Value::Integer(_) | Value::Real(_))
            | (ParameterKind::Boolean, Value::Bool(_)) => return None,
            (ParameterKind::Choice(words), Value::Text(word)) => {
                if words.contains(word) {
                    return None;
                }
                return Some(format!("{word:?} is not one of: {}", words.join(", ")));
            }
            (ParameterKind::Text, _) => "text".to_owned(),
            (ParameterKind::Choice(words), _) => format!("one of: {}", words.join(", ")),
            (ParameterKind::Integer, _) => "a whole number".to_owned(),
            (ParameterKind::Number, _) => "a number".to_owned(),
            (ParameterKind::Boolean, _) => "true or false".to_owned(),
        };
        Some(format!("the value must be {expected}"))
    }

    fn schema(&self) -> Value {
        let kind = match self.kind {
            ParameterKind::Text | ParameterKind::Choice(_) => "string",
            ParameterKind::Integer => "integer",
            ParameterKind::Number => "number",
            ParameterKind::Boolean => "boolean",
        };
        let mut fields = vec![
            ("type", Value::from(kind)),
            ("description", Value::from(self.description.as_str())),
        ];
        if let ParameterKind::Choice(words) = &self.kind {
            let words = words.iter().map(|word| word.as_str().into()).collect();
            fields.push(("enum", Value::List(words)));
        }
        object(fields)
    }
}

/// A tool as a model sees it.
///
/// ```
/// use agent_benchmarks::{Parameter, ParameterKind, ToolDefinition, Value};
///
/// let class = ParameterKind::Choice(vec!["first".to_owned(), "second".to_owned()]);
/// let parameters = vec![Parameter::new("class", "The class of the seat.", class)];
/// let tool = ToolDefinition::new("book", "Books a seat.", parameters);
/// let Value::Map(schema) = tool.schema() else { panic!("a schema is an object") };
/// assert_eq!(schema["required"], Value::List(vec!["class".into()]));
/// assert_eq!(schema["additionalProperties"], Value::Bool(false));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    /// The name, unique within its request.
    pub name: String,
    /// The purpose of the tool, for the model.
    pub description: String,
    /// The parameters in the order in which they are shown.
    pub parameters: Vec<Parameter>,
    /// Whether the schema allows further parameters in a call.
    pub takes_more: bool,
}

impl ToolDefinition {
    /// Creates a tool that takes only these parameters.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Vec<Parameter>,
    ) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { name, description, parameters, takes_more: false }
    }

    /// Returns the JSON Schema of the arguments: an object with these parameters, and others if [`Self::takes_more`] is
    /// true.
    #[must_use]
    pub fn schema(&self) -> Value {
        let parameters = || self.parameters.iter();
        let properties =
            parameters().map(|parameter| (parameter.name.clone(), parameter.schema())).collect();
        let required = parameters()
            .filter(|parameter| parameter.required)
            .map(|parameter| Value::from(parameter.name.as_str()));
        let mut fields = vec![
            ("type", "object".into()),
            ("properties", Value::Map(properties)),
            ("required", Value::List(required.collect())),
        ];
        if !self.takes_more {
            fields.push(("additionalProperties", Value::Bool(false)));
        }
        object(fields)
    }

    /// Returns the function definition of OpenAI's chat format: type, name, description and schema.
    #[must_use]
    pub fn function(&self) -> Value {
        let function = object(vec![
            ("name", self.name.as_str().into()),
            ("description", self.description.as_str().into()),
            ("parameters", self.schema()),
        ]);
        object(vec![("type", "function".into()), ("function", function)])
    }
}

/// Returns an object with these fields.
pub(crate) fn object(fields: Vec<(&str, Value)>) -> Value {
    Value::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
