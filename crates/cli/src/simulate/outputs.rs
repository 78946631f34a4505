//! The files a simulation fills as it goes: queries, positions, counts for each second.

use super::Simulate;
use anyhow::Result;
use import::{AtomicFile, Coordinates, QueryRecord, QueryWriter};
use meshcloak::map::StreetMap;
use std::fmt::Write as _;
use traffic::{SimulatedBatch, SimulatedQuery, Simulation};

/// Those of the files that were asked for.
pub struct Outputs {
    queries: Option<QueryWriter>,
    trace: Option<(AtomicFile, u32)>,
    per_second: Option<AtomicFile>,
    text: String,
}

impl Outputs {
    /// Begins the files that the arguments name.
    pub fn create(arguments: &Simulate) -> Result<Outputs> {
        let queries = arguments.out.as_deref().map(QueryWriter::create).transpose()?;
        let mut trace = arguments.trace.as_deref().map(AtomicFile::create).transpose()?;
        let mut per_second = arguments.per_second.as_deref().map(AtomicFile::create).transpose()?;
        if let Some(file) = &mut trace {
            file.add(b"user,t,x,y,street,offset,moving\n")?;
        }
        if let Some(file) = &mut per_second {
            file.add(b"t,new,people,standing\n")?;
        }
        let trace = trace.map(|file| (file, arguments.trace_every));
        Ok(Outputs { queries, trace, per_second, text: String::new() })
    }

    /// Writes what happened within a second.
    pub fn write(
        &mut self,
        map: &StreetMap,
        batch: &SimulatedBatch,
        after: &Simulation,
    ) -> Result<()> {
        if let Some(writer) = &mut self.queries {
            for query in &batch.queries {
                writer.write(&record(map, query, &query.user.to_string()))?;
            }
        }
        if let Some((file, every)) = &mut self.trace
            && batch.second.is_multiple_of(*every)
        {
            self.text.clear();
            put_positions(&mut self.text, map, batch.second, after)?;
            file.add(self.text.as_bytes())?;
        }
        if let Some(file) = &mut self.per_second {
            let SimulatedBatch { second, queries, present, standing } = batch;
            file.add(format!("{second},{},{present},{standing}\n", queries.len()).as_bytes())?;
        }
        Ok(())
    }

    /// Gives the files their names.
    pub fn finish(self) -> Result<()> {
        if let Some(writer) = self.queries {
            writer.finish()?;
        }
        for file in self.trace.map(|(file, _)| file).into_iter().chain(self.per_second) {
            file.finish()?;
        }
        Ok(())
    }
}

/// A query as files hold it, asked by the person of that name.
pub fn record(map: &StreetMap, query: &SimulatedQuery, user: &str) -> QueryRecord {
    QueryRecord {
        query: format!("{user}.{}", query.number),
        user: user.to_owned(),
        asked_at: query.asked_at,
        coordinates: Coordinates::Metres(map.point(query.position)),
        k: query.k,
        temporal_tolerance: query.temporal_tolerance.into(),
        distance_constraint: query.distance_constraint,
        speed: Some(query.speed),
        query_interval: Some(query.query_interval),
    }
}

fn put_positions(
    text: &mut String,
    map: &StreetMap,
    second: u32,
    simulation: &Simulation,
) -> Result<(), std::fmt::Error> {
    for agent in simulation.agents() {
        let (user, position, moves) = (agent.agent, agent.position, agent.is_moving);
        let point = map.point(position);
        let (street, offset) = (map.street_label(position.street), position.offset.as_metres());
        let street = if street.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", street.replace('"', "\"\""))
        } else {
            street.to_owned()
        };
        let moves = u8::from(moves);
        let (x, y) = (point.x, point.y);
        writeln!(text, "{user},{second},{x:.3},{y:.3},{street},{offset},{moves}")?;
    }
    Ok(())
}
