//! Output files of a simulation: queries, positions, counts per second.

use super::Simulate;
use anyhow::Result;
use evaluation::simulated_record;
use import::{AtomicFile, QueryWriter};
use meshcloak::map::StreetMap;
use traffic::{AgentPosition, AskShare, SimulatedBatch, Simulation};

/// Requested output files; they become visible when the simulation is complete.
pub struct Outputs {
    queries: Option<QueryWriter>,
    ask_share: AskShare,
    /// Temporal tolerance of presence reports, in milliseconds.
    patience: u64,
    trace: Option<Trace>,
    per_second: Option<AtomicFile>,
}

/// Positions over time.
struct Trace {
    file: AtomicFile,
    /// Interval between two samples, in seconds.
    interval: u32,
    /// Reused buffer of rows.
    buffer: Vec<u8>,
}

impl Outputs {
    /// Creates the files that the arguments name.
    pub fn create(arguments: &Simulate) -> Result<Outputs> {
        let queries = arguments.out.as_deref().map(QueryWriter::create).transpose()?;
        let queries = queries.map(|writer| writer.with_asks(arguments.ask_share.is_some()));
        let mut trace = arguments.trace.as_deref().map(AtomicFile::create).transpose()?;
        let mut per_second = arguments.per_second.as_deref().map(AtomicFile::create).transpose()?;
        if let Some(file) = &mut trace {
            file.add(b"user,t,x,y,street,offset,moving\n")?;
        }
        if let Some(file) = &mut per_second {
            file.add(b"t,new,people,standing\n")?;
        }
        let interval = arguments.trace_every;
        let trace = trace.map(|file| Trace { file, interval, buffer: Vec::new() });
        let ask_share = arguments.ask_share.unwrap_or(AskShare::ALL);
        Ok(Outputs { queries, ask_share, patience: arguments.presence_patience, trace, per_second })
    }

    /// Appends the queries, positions and counts of a second.
    pub fn write(
        &mut self,
        map: &StreetMap,
        batch: &SimulatedBatch,
        after: &Simulation,
    ) -> Result<()> {
        if let Some(writer) = &mut self.queries {
            for query in &batch.queries {
                let mut row = simulated_record(map, query, &query.user.to_string());
                if !self.ask_share.asks(query.user.into()) {
                    (row.asks, row.k, row.temporal_tolerance) = (false, 1, self.patience);
                }
                writer.write(&row)?;
            }
        }
        if let Some(Trace { file, interval, buffer }) = &mut self.trace
            && batch.second.is_multiple_of(*interval)
        {
            buffer.clear();
            write_positions(buffer, map, batch.second, after)?;
            file.add(buffer)?;
        }
        if let Some(file) = &mut self.per_second {
            let SimulatedBatch { second, queries, present, standing } = batch;
            file.add(format!("{second},{},{present},{standing}\n", queries.len()).as_bytes())?;
        }
        Ok(())
    }

    /// Completes the files.
    pub fn finish(self) -> Result<()> {
        if let Some(writer) = self.queries {
            writer.finish()?;
        }
        for file in self.trace.map(|trace| trace.file).into_iter().chain(self.per_second) {
            file.finish()?;
        }
        Ok(())
    }
}

/// Appends the positions of all agents as CSV rows.
fn write_positions(
    text: &mut Vec<u8>,
    map: &StreetMap,
    second: u32,
    simulation: &Simulation,
) -> Result<()> {
    let mut rows = csv::Writer::from_writer(text);
    for AgentPosition { agent, position, is_moving } in simulation.agents() {
        let point = map.point(position);
        rows.write_record([
            &*agent.to_string(),
            &second.to_string(),
            &format!("{:.3}", point.x),
            &format!("{:.3}", point.y),
            map.street_label(position.street),
            &position.offset.as_metres().to_string(),
            if is_moving { "1" } else { "0" },
        ])?;
    }
    Ok(rows.flush()?)
}
