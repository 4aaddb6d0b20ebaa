use std::{
    fmt,
    hash::{Hash, Hasher},
    marker::PhantomData,
    sync::Arc,
};

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, plan_err};
use datafusion_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Documentation, GroupsAccumulator, Signature,
    function::{AccumulatorArgs, StateFieldsArgs},
    utils::{AggregateOrderSensitivity, format_state_name},
};

use crate::{
    aggregate::{group_state::GroupState, groups::Groups, sliding::Sliding, whole::Whole},
    specification::Specification,
};

/// The function of the engine that is computed by a [`GroupState`].
pub(crate) struct Aggregate<S> {
    signature: Signature,
    documentation: Documentation,
    state: PhantomData<fn() -> S>,
}

impl<S: GroupState> Aggregate<S> {
    pub(crate) fn udaf() -> Arc<AggregateUDF> {
        Arc::new(AggregateUDF::new_from_impl(Self {
            signature: Specification::signature(),
            documentation: S::SPECIFICATION.documentation(S::SPECIFICATION.description),
            state: PhantomData,
        }))
    }

    fn refuse_distinct(is_distinct: bool) -> Result<()> {
        if is_distinct {
            let name = S::SPECIFICATION.name;
            return plan_err!(
                "{name}: DISTINCT is not supported with several arguments or beside other aggregates; select the \
                 distinct rows in a subquery"
            );
        }
        Ok(())
    }
}

impl<S: GroupState> fmt::Debug for Aggregate<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aggregate").field("name", &S::SPECIFICATION.name).finish_non_exhaustive()
    }
}

// There is one value of each type `Aggregate<S>`.
impl<S> PartialEq for Aggregate<S> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<S> Eq for Aggregate<S> {}

impl<S: GroupState> Hash for Aggregate<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        S::SPECIFICATION.name.hash(state);
    }
}

impl<S: GroupState> AggregateUDFImpl for Aggregate<S> {
    fn name(&self) -> &str {
        S::SPECIFICATION.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(S::output())
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        S::SPECIFICATION.coerce(given)
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn state_fields(&self, call: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        Self::refuse_distinct(call.is_distinct)?;
        let name = format_state_name(call.name, "state");
        Ok(vec![Arc::new(Field::new(name, DataType::LargeBinary, true))])
    }

    fn accumulator(&self, call: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Self::refuse_distinct(call.is_distinct)?;
        Ok(Box::new(Whole::<S>::default()))
    }

    fn groups_accumulator_supported(&self, call: AccumulatorArgs) -> bool {
        !call.is_distinct
    }

    fn create_groups_accumulator(
        &self,
        call: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Self::refuse_distinct(call.is_distinct)?;
        Ok(Box::new(Groups::<S>::default()))
    }

    fn create_sliding_accumulator(&self, call: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Self::refuse_distinct(call.is_distinct)?;
        Ok(Box::new(Sliding::<S>::default()))
    }
}
