//! Load generator of the benchmark, a process of its own: it has its own limit of open files, and each
//! waiting request with HTTP/1.1 holds one on either side.
//!
//! ```text
//! benchmark ── queries, at, user, number and body ──► meshcloak drive --queries-from-stdin
//!           ◄── one JSON object: outcomes, times ────────────── sends them when all have been read
//! ```

use super::super::clients::ClientQuery;
use super::super::{GatewayClient, Transport};
use super::processor_time::ThreadTimes;
use super::{max_files, runtime};
use anyhow::{Context as _, Result, bail, ensure};
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{BufRead, BufWriter, Write};
use std::process::{Command, Stdio};

/// Outcomes of a load.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadReport {
    /// Queries by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Median and 99th percentile of the time from publication to answer, in milliseconds.
    pub after_batch_ms: [f64; 2],
    /// Processor time of the generator, in seconds.
    pub cpu_seconds: f64,
}

impl LoadReport {
    /// Number of queries with that outcome.
    pub fn count(&self, outcome: &str) -> u64 {
        self.outcomes.get(outcome).copied().unwrap_or(0)
    }

    /// Number of queries.
    pub fn all(&self) -> u64 {
        self.outcomes.values().sum()
    }
}

/// A load: how and where the queries are sent.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// URL of the gateway.
    pub url: &'a str,
    pub transport: Transport,
    /// Number of connections, except with [`Transport::Requests`].
    pub connections: usize,
}

impl Load<'_> {
    /// Sends the queries from a process of its own.
    pub fn generate(self, workload: &[Vec<ClientQuery>]) -> Result<LoadReport> {
        let program = std::env::current_exe().context("the path of this program")?;
        let by = match self.transport {
            Transport::Stream => "stream",
            Transport::Requests => "requests",
            Transport::Http2 => "http2",
        };
        let connections = self.connections.to_string();
        let arguments = ["drive", "--queries-from-stdin", "--target", self.url, "--by", by];
        let mut child = Command::new(program)
            .args(arguments)
            .args(["--streams", &connections])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the load generator does not start")?;
        let written = child.stdin.take().map(|input| write_queries(workload, input));
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "the load generator failed: {}", output.status);
        written.transpose().context("the load generator stopped reading")?;
        serde_json::from_slice(&output.stdout).context("the report of the load generator")
    }

    /// Sends the queries of `input` when they are due and returns their outcomes.
    pub fn send(self, input: impl BufRead) -> Result<LoadReport> {
        let queries = read_queries(input)?;
        max_files();
        let client = GatewayClient::new(self.url, None)?;
        let runtime = runtime("load")?;
        let before = ThreadTimes::now();
        let load = self.transport.drive(&client, std::iter::once(queries), self.connections, None);
        let statistics = runtime.block_on(load)?;
        Ok(LoadReport {
            after_batch_ms: [0.5, 0.99].map(|share| statistics.after_batch(share)),
            cpu_seconds: ThreadTimes::now().since(&before).sum().as_secs_f64(),
            outcomes: statistics.outcomes,
        })
    }
}

/// Writes one line per query.
fn write_queries(workload: &[Vec<ClientQuery>], output: impl Write) -> std::io::Result<()> {
    let mut output = BufWriter::new(output);
    for query in workload.iter().flatten() {
        write!(output, "{} {} {} ", query.at, query.user, query.number)?;
        output.write_all(&query.body)?;
        output.write_all(b"\n")?;
    }
    output.flush()
}

/// Reads the lines of [`write_queries`].
fn read_queries(mut input: impl BufRead) -> Result<Vec<ClientQuery>> {
    let (mut queries, mut line) = (Vec::new(), String::new());
    while input.read_line(&mut line)? > 0 {
        let fields: Vec<&str> = line.trim_end().splitn(4, ' ').collect();
        let [at, user, number, body] = fields[..] else {
            bail!("line {}: expected four fields", queries.len() + 1)
        };
        queries.push(ClientQuery {
            user: user.parse()?,
            number: number.parse()?,
            at: at.parse()?,
            body: body.to_owned().into(),
            position: Position { street: StreetId(0), offset: Length::ZERO },
            question: 0,
        });
        line.clear();
    }
    Ok(queries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_arrive_at_the_generator_as_they_were_written() {
        let query = |user, number, at, body: &'static str| ClientQuery {
            user,
            number,
            at,
            body: body.into(),
            position: Position { street: StreetId(7), offset: Length::ZERO },
            question: 2,
        };
        let seconds = [
            vec![query(4, 1, 10, r#"{"ticket":"1-a b"}"#), query(5, 0, 900, "{}")],
            vec![query(4, 2, 1_000, r#"{"ticket":"2-a"}"#)],
        ];
        let mut lines = Vec::new();
        write_queries(&seconds, &mut lines).unwrap();
        let read = read_queries(&lines[..]).unwrap();
        let fields = |q: &ClientQuery| (q.at, q.user, q.number, q.body.clone());
        let expected: Vec<_> = seconds.iter().flatten().map(fields).collect();
        assert_eq!(read.iter().map(fields).collect::<Vec<_>>(), expected);
        assert!(read_queries(&b"10 4 {}\n"[..]).is_err());
    }
}
