//! The memory of a worker, whose limit is named with the worker.

use std::{fmt, sync::Arc};

use datafusion::{
    common::{DataFusionError, Result},
    execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation},
};

/// A pool whose errors begin with the name of the worker.
#[derive(Debug)]
pub(crate) struct NamedPool {
    pub(crate) worker: String,
    pub(crate) inner: Arc<dyn MemoryPool>,
}

impl fmt::Display for NamedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl MemoryPool for NamedPool {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.inner.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.inner.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.inner.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, bytes: usize) {
        self.inner.shrink(reservation, bytes);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.inner.try_grow(reservation, additional).map_err(|error| match error {
            DataFusionError::ResourcesExhausted(text) => {
                DataFusionError::ResourcesExhausted(format!("worker {}: {text}", self.worker))
            }
            other => other,
        })
    }

    fn reserved(&self) -> usize {
        self.inner.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.inner.memory_limit()
    }
}
