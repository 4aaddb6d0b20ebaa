//! Queries on three workers, with faults at random moments: right rows, or an error that names a worker in time.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    SLOW,
    cluster::{Done, Host, printed, wait},
};

/// The time limit of each query. A worker may be silent for a quarter of it.
const LIMIT: u64 = 24;

/// A socket in front of a worker, which can fall silent without closing a connection.
struct Line {
    address: String,
    is_silent: Arc<AtomicBool>,
}

impl Line {
    fn to(worker: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let is_silent = Arc::new(AtomicBool::new(false));
        let (to, silent) = (worker.to_owned(), Arc::clone(&is_silent));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(worker) = TcpStream::connect(&to) else { continue };
                for (from, to) in [(&client, &worker), (&worker, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let silent = Arc::clone(&silent);
                    thread::spawn(move || copy(from, to, &silent));
                }
            }
        });
        Self { address, is_silent }
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, is_silent: &AtomicBool) {
    let mut buffer = [0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        while is_silent.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// Numbers from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

const FAULTS: [&str; 8] =
    ["kill", "stop", "silent", "restart", "kill two", "stop and continue", "missing", "other"];

/// How many queries finished at once, finished in a second run, and named a worker.
fn run(seed: u64, queries: u64) -> [u64; 3] {
    let hosts = [0, 1, 2].map(|host| Host::new(&format!("chaos_{seed}_{host}")));
    let mut workers = hosts.each_ref().map(Host::worker);
    let addresses = workers.each_ref().map(|worker| worker.address.clone());
    let started = Instant::now();
    let expected =
        printed(hosts[0].client(&addresses.each_ref().map(|address| &address[..]), SLOW));
    let usual = started.elapsed().as_millis() as u64;
    let mut random = Random(seed);
    let (mut untouched, mut repeated, mut named) = (0, 0, 0);
    for query in 0..queries {
        let fault = FAULTS[random.below(FAULTS.len() as u64) as usize];
        let victim = 1 + random.below(2) as usize;
        let moment = Duration::from_millis(random.below(usual + usual / 4));
        let clients = 1 + random.below(4) / 3;
        let lines = addresses.each_ref().map(|address| Line::to(address));
        let named_workers = lines.each_ref().map(|line| &line.address[..]);
        match fault {
            "missing" => hosts[victim].remove(),
            "other" => hosts[victim].exchange(),
            _ => {}
        }
        let started = Instant::now();
        let running: Vec<_> = (0..clients)
            .map(|_| {
                let mut client = hosts[0].client(&named_workers, SLOW);
                client.args(["--timeout", &format!("{LIMIT}s")]).spawn().unwrap()
            })
            .collect();
        thread::sleep(moment);
        match fault {
            "kill" => workers[victim].signal("KILL"),
            "kill two" => [1, 2].iter().for_each(|&worker| workers[worker].signal("KILL")),
            "restart" => workers[victim].restart(&hosts[victim].0),
            "stop" => workers[victim].signal("STOP"),
            "stop and continue" => {
                workers[victim].signal("STOP");
                thread::sleep(Duration::from_millis(500));
                workers[victim].signal("CONT");
            }
            "silent" => lines[victim].is_silent.store(true, Ordering::Relaxed),
            _ => {}
        }
        for client in running {
            // The last word takes a second, and a busy machine starts a client late.
            let Done { code, rows, error } = wait(client, LIMIT + 30);
            let context = format!("seed {seed}, query {query}, {fault} after {moment:?}: {error}");
            assert!(!error.contains("panicked"), "{context}");
            match code {
                0 => {
                    assert_eq!(rows, expected, "{context}");
                    let count =
                        if error.contains("runs again") { &mut repeated } else { &mut untouched };
                    *count += 1;
                }
                _ => {
                    assert_eq!((code, &rows[..]), (1, ""), "{context}");
                    let is_named = |address: &&str| error.contains(&format!("worker {address}"));
                    assert!(named_workers.iter().any(is_named), "{context}");
                    println!("{context} ({:?})", started.elapsed());
                    named += 1;
                }
            }
        }
        match fault {
            "kill" | "stop" => workers[victim].restart(&hosts[victim].0),
            "kill two" => (1..3).for_each(|worker| workers[worker].restart(&hosts[worker].0)),
            "missing" | "other" => hosts[victim].restore(),
            _ => {}
        }
    }
    [untouched, repeated, named]
}

fn report(faults: u64, [untouched, repeated, named]: [u64; 3]) {
    println!(
        "{faults} faults: {untouched} queries finished at once, {repeated} in a second run, {named} named a worker"
    );
    assert!(untouched + repeated + named >= faults);
}

#[test]
fn faults_at_random_moments_give_right_rows_or_name_a_worker() {
    report(20, run(1, 20));
}

#[test]
#[ignore = "takes ten minutes"]
fn two_hundred_faults_give_right_rows_or_name_a_worker() {
    let parts = [2, 3, 4, 5].map(|seed| thread::spawn(move || run(seed, 50)));
    let counts = parts.map(|part| part.join().unwrap());
    report(200, [0, 1, 2].map(|kind| counts.iter().map(|count| count[kind]).sum()));
}
