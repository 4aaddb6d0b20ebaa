//! Processes and hosts for the tests.

use std::{
    fs::{self, File, FileTimes},
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use crate::runs;

/// A worker process, which ends with this value.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: String,
}

impl Process {
    pub(crate) fn start(root: &Path) -> Self {
        Self::with(root, "127.0.0.1:0", &[])
    }

    pub(crate) fn with(root: &Path, listen: &str, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sql-cluster"));
        command.arg("worker").args(options).arg("--root").arg(root).arg(listen).current_dir(root);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, address }
    }

    /// Another process on the same address, after this one was killed.
    pub(crate) fn restart(&mut self, root: &Path) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        *self = Self::with(root, &self.address.clone(), &[]);
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// The first line on standard error.
    pub(crate) fn warning(mut self) -> String {
        let mut line = String::new();
        let error: ChildStderr = self.child.stderr.take().unwrap();
        BufReader::new(error).read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address that accepts connections and says nothing.
pub(crate) fn silent_socket() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (listener.local_addr().unwrap().to_string(), listener)
}

pub(crate) fn client(workers: &[&str], path: &Path, sql: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sql-cluster"));
    command.args(["query", &workers.join(","), sql, &format!("runs={}", path.display())]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How a query ended.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) rows: String,
    pub(crate) error: String,
}

/// Waits for a process for some seconds, after which it is killed and the test fails.
pub(crate) fn wait(mut child: Child, seconds: u64) -> Done {
    let end = Instant::now() + Duration::from_secs(seconds);
    let read = |stream: Option<Box<dyn Read + Send>>| {
        let mut stream = stream.unwrap();
        thread::spawn(move || {
            let mut text = String::new();
            stream.read_to_string(&mut text).map(|_| text)
        })
    };
    let rows = read(child.stdout.take().map(|stream| Box::new(stream) as _));
    let error = read(child.stderr.take().map(|stream| Box::new(stream) as _));
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            child.kill().unwrap();
            child.wait().unwrap();
            let error = error.join().unwrap().unwrap();
            panic!("a query did not end within {seconds} s: {error}");
        }
        thread::sleep(Duration::from_millis(10));
    };
    let text = |thread: thread::JoinHandle<std::io::Result<String>>| {
        thread.join().unwrap().unwrap().trim_end().to_owned()
    };
    Done { code: status.code().unwrap_or(-1), rows: text(rows), error: text(error) }
}

pub(crate) fn finished(mut query: Command, seconds: u64) -> Done {
    wait(query.spawn().unwrap(), seconds)
}

/// The rows of a query that succeeds.
pub(crate) fn printed(query: Command) -> String {
    let done = finished(query, 60);
    assert_eq!(done.code, 0, "{}", done.error);
    done.rows
}

/// A host with files of its own: its processes see them as `/proc/self/cwd`, which is another folder for each host.
pub(crate) struct Host(pub(crate) PathBuf);

impl Host {
    pub(crate) fn new(name: &str) -> Self {
        let host = Self(runs(name));
        host.restore();
        host
    }

    pub(crate) fn worker(&self) -> Process {
        Process::start(&self.0)
    }

    pub(crate) fn client(&self, workers: &[&str], sql: &str) -> Command {
        let mut client = client(workers, Path::new("/proc/self/cwd"), sql);
        client.current_dir(&self.0);
        client
    }

    fn file(&self) -> PathBuf {
        self.0.join("1.parquet")
    }

    pub(crate) fn remove(&self) {
        fs::remove_file(self.file()).unwrap();
    }

    /// Other rows in a file of the same size.
    pub(crate) fn exchange(&self) {
        fs::copy(self.0.join("0.parquet"), self.file()).unwrap();
        File::options()
            .write(true)
            .open(self.file())
            .unwrap()
            .set_modified(SystemTime::now())
            .unwrap();
    }

    /// Writes the files again, with the times that all hosts have.
    pub(crate) fn restore(&self) {
        crate::write_runs(&self.0);
        let times = FileTimes::new()
            .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000));
        for file in fs::read_dir(&self.0).unwrap() {
            let path = file.unwrap().path();
            File::options().write(true).open(path).unwrap().set_times(times).unwrap();
        }
    }
}
