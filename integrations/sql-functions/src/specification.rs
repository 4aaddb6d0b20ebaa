use std::fmt;

use arrow::datatypes::DataType;
use datafusion_common::{DataFusionError, Result, exec_datafusion_err, plan_err};
use datafusion_expr::{DocSection, Documentation, Signature, Volatility};

use crate::argument_kinds::Argument;

/// The name, the arguments and the documentation of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Specification {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [Argument],
    /// How many of the arguments, from the first on, must be given.
    pub(crate) required: usize,
    pub(crate) description: &'static str,
    pub(crate) example: &'static str,
}

impl Specification {
    /// The types to which the engine casts the arguments.
    ///
    /// # Errors
    ///
    /// A planning error that names the function and the first wrong argument.
    pub(crate) fn coerce(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let most = self.arguments.len();
        if !(self.required..=most).contains(&given.len()) {
            return plan_err!(
                "{} has {} argument{}; the call must be {}",
                self.name,
                given.len(),
                if given.len() == 1 { "" } else { "s" },
                self.syntax()
            );
        }
        let mut types = Vec::with_capacity(given.len());
        for (i, (argument, given)) in self.arguments.iter().zip(given).enumerate() {
            let Some(wanted) = argument.kind.cast(given) else {
                return plan_err!(
                    "{}: argument {} ({}) has the type {given}; it must be {}",
                    self.name,
                    i + 1,
                    argument.name,
                    argument.kind.wanted()
                );
            };
            types.push(wanted);
        }
        Ok(types)
    }

    /// The error of a call that the library refused, with the library's reason.
    pub(crate) fn failed(&self, error: impl fmt::Display) -> DataFusionError {
        exec_datafusion_err!("{}: {error}", self.name)
    }

    /// The signature under which the engine asks [`Specification::coerce`].
    pub(crate) fn signature() -> Signature {
        Signature::user_defined(Volatility::Immutable)
    }

    /// The call with all its arguments, optional ones in brackets: `log_score(p, y [, eps])`.
    pub(crate) fn syntax(&self) -> String {
        let mut call = format!("{}(", self.name);
        for (i, argument) in self.arguments.iter().enumerate() {
            let before = if i == 0 { "" } else { ", " };
            if i < self.required {
                call.push_str(&format!("{before}{}", argument.name));
            } else {
                call.push_str(&format!(" [{before}{}]", argument.name));
            }
        }
        call.push(')');
        call
    }

    /// The documentation that the engine shows, for example in `information_schema.routines`.
    pub(crate) fn documentation(&self, description: impl Into<String>) -> Documentation {
        let section = DocSection {
            include: true,
            label: "Agent runs",
            description: Some("Scores and metrics of the runs of agents."),
        };
        let mut built = Documentation::builder(section, description, self.syntax())
            .with_sql_example(format!("```sql\n{}\n```", self.example));
        for argument in self.arguments {
            built = built.with_argument(argument.name, argument.meaning);
        }
        built.build()
    }
}
