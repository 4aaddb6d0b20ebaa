//! The files that a worker may read.

use std::{
    collections::HashMap,
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use async_trait::async_trait;
use datafusion::{
    datasource::{physical_plan::FileScanConfig, source::DataSourceExec},
    object_store::{
        CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
        ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result as Stored,
        local::LocalFileSystem, path::Path as Location,
    },
    physical_plan::ExecutionPlan,
};
use futures::{StreamExt, stream, stream::BoxStream};

/// The files of this host below one folder, for reading only, as the client of one query saw them.
#[derive(Debug)]
pub(crate) struct Root {
    folder: PathBuf,
    files: LocalFileSystem,
    /// Size and modification time of each file of the query.
    planned: Mutex<HashMap<PathBuf, (u64, SystemTime)>>,
}

impl Root {
    /// The files below a folder, whose path has no links.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, files: LocalFileSystem::new(), planned: Mutex::default() }
    }

    /// The path without links, if it is below the folder. The message is the same for all other paths.
    fn resolve(&self, location: &Location) -> Result<PathBuf, String> {
        let path = self.files.path_to_filesystem(location).map_err(|error| error.to_string())?;
        let shown = path.display();
        let is_inside =
            |path: &Path| fs::canonicalize(path).is_ok_and(|real| real.starts_with(&self.folder));
        match fs::canonicalize(&path) {
            Ok(real) if real.starts_with(&self.folder) => Ok(real),
            Err(error) if path.ancestors().any(is_inside) => Err(format!("{shown}: {error}")),
            _ => {
                let folder = self.folder.display();
                Err(format!("{shown} is not below {folder}, the only folder that the worker reads"))
            }
        }
    }

    /// Notes the files of a plan, and checks that they are those that the client saw.
    pub(crate) fn check(&self, plan: &Arc<dyn ExecutionPlan>) -> Result<(), String> {
        let source = plan.downcast_ref::<DataSourceExec>().map(DataSourceExec::data_source);
        let scan = source.and_then(|source| source.downcast_ref::<FileScanConfig>());
        for file in scan.iter().flat_map(|scan| &scan.file_groups).flat_map(|group| group.files()) {
            let planned = &file.object_meta;
            let real = self.resolve(&planned.location)?;
            let unread = |error| format!("{}: {error}", real.display());
            let seen = (planned.size, planned.last_modified.into());
            self.planned().insert(real.clone(), seen);
            let found = fs::metadata(&real).and_then(|found| Ok((found.len(), found.modified()?)));
            self.is_same(&real, found.map_err(unread)?)?;
        }
        plan.children().into_iter().try_for_each(|child| self.check(child))
    }

    fn planned(&self) -> MutexGuard<'_, HashMap<PathBuf, (u64, SystemTime)>> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_same(&self, real: &Path, found: (u64, SystemTime)) -> Result<(), String> {
        if self.planned().get(real).is_some_and(|planned| *planned != found) {
            return Err(format!(
                "{} has another size or modification time than the client saw; all hosts must have the same files",
                real.display()
            ));
        }
        Ok(())
    }

    fn refuse<T>(&self) -> Stored<T> {
        Err(Error::NotSupported { source: "a worker only reads the files of a query".into() })
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "files below {}", self.folder.display())
    }
}

#[async_trait]
impl ObjectStore for Root {
    async fn get_opts(&self, location: &Location, options: GetOptions) -> Stored<GetResult> {
        let refused = |problem: String| Error::Generic { store: "worker", source: problem.into() };
        let real = self.resolve(location).map_err(refused)?;
        // What was checked is opened, so that no link leads elsewhere, and what is open is checked.
        let opened = self.files.get_opts(&Location::from_absolute_path(&real)?, options).await?;
        let found = (opened.meta.size, opened.meta.last_modified.into());
        self.is_same(&real, found).map_err(refused)?;
        Ok(opened)
    }

    async fn put_opts(&self, _: &Location, _: PutPayload, _: PutOptions) -> Stored<PutResult> {
        self.refuse()
    }

    async fn put_multipart_opts(
        &self,
        _: &Location,
        _: PutMultipartOptions,
    ) -> Stored<Box<dyn MultipartUpload>> {
        self.refuse()
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, Stored<Location>>,
    ) -> BoxStream<'static, Stored<Location>> {
        stream::iter([self.refuse()]).boxed()
    }

    fn list(&self, _: Option<&Location>) -> BoxStream<'static, Stored<ObjectMeta>> {
        stream::iter([self.refuse()]).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Location>) -> Stored<ListResult> {
        self.refuse()
    }

    async fn copy_opts(&self, _: &Location, _: &Location, _: CopyOptions) -> Stored<()> {
        self.refuse()
    }
}
