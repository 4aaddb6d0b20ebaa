#![doc = include_str!("../README.md")]

use datafusion_common::Result;
use datafusion_expr::registry::FunctionRegistry;

mod aggregate;
mod argument_kinds;
mod arguments;
mod scalar;
mod specification;

pub use aggregate::aggregate_functions;
pub use scalar::scalar_functions;

/// Registers all functions, for example in a `SessionContext`.
///
/// On a cluster every process must do this: the client, the scheduler and the workers.
///
/// # Errors
///
/// The error of a registry that does not accept functions.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for function in scalar_functions() {
        registry.register_udf(function)?;
    }
    for function in aggregate_functions() {
        registry.register_udaf(function)?;
    }
    Ok(())
}
