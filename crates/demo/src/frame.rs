//! The frame that the page receives once per round: agents, published regions, counts.
//!
//! ```text
//! agent   x u16 LE   y u16 LE   state u8      5 bytes; coordinates in 1/65535 of the bounds
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use meshcloak::units::{Point, Rectangle};
use serde::Serialize;

/// State of an agent; the number is its code in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MarkState {
    /// Not on the map.
    Absent = 0,
    /// Without a query.
    Idle = 1,
    /// With a waiting query.
    Waiting = 2,
    /// Member of an anonymity set of this round.
    Hidden = 3,
}

/// Position and state of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentMark {
    /// Position in Web Mercator coordinates.
    pub point: Point,
    /// State.
    pub state: MarkState,
}

/// One frame of the demo.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DemoFrame {
    /// Number of the round.
    pub second: u64,
    /// All agents, see [`encode_agents`].
    pub people: String,
    /// Bounds of the coordinates in Web Mercator: west, north, east, south.
    pub bounds: [f64; 4],
    /// Counts of the round.
    pub counts: FrameCounts,
    /// Streets of each published region.
    pub regions: Vec<Vec<u32>>,
}

/// Counts of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FrameCounts {
    /// Agents on the map.
    pub present: usize,
    /// Queries submitted.
    pub asked: usize,
    /// Queries served.
    pub served: usize,
    /// Queries expired.
    pub expired: usize,
    /// Queries waiting.
    pub waiting: usize,
    /// Anonymity sets published.
    pub sets: usize,
    /// Mean size of an anonymity set.
    pub set_size: Option<f64>,
    /// Mean delay of the served queries in seconds.
    pub delay: Option<f64>,
    /// Time of the engine in milliseconds.
    pub batch_ms: f64,
    /// Success rate of the queries that ended in the last rounds.
    pub success: Option<f64>,
}

/// Encodes agents as padded base64 of the standard alphabet, which browsers decode with `atob`.
pub fn encode_agents(agents: &[AgentMark], bounds: Rectangle) -> String {
    STANDARD.encode(pack(agents, bounds))
}

/// Packs agents into five bytes each.
fn pack(agents: &[AgentMark], bounds: Rectangle) -> Vec<u8> {
    let scale = |value: f64, from: f64, span: f64| {
        let fraction = if span > 0.0 { (value - from) / span } else { 0.0 };
        ((fraction.clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes()
    };
    let mut bytes = Vec::with_capacity(agents.len() * 5);
    for &AgentMark { point, state } in agents {
        bytes.extend(scale(point.x, bounds.min.x, bounds.width()));
        bytes.extend(scale(point.y, bounds.min.y, bounds.height()));
        bytes.push(state as u8);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_takes_five_bytes() {
        let bounds = Rectangle { min: Point::new(0.5, 0.5), max: Point::new(0.6, 0.7) };
        let mark = |x, y, state| AgentMark { point: Point::new(x, y), state };
        let agents = [mark(0.6, 0.5, MarkState::Waiting), mark(0.55, 0.9, MarkState::Idle)];
        assert_eq!(pack(&agents, bounds), [255, 255, 0, 0, 2, 0, 128, 255, 255, 1]);
    }

    #[test]
    fn agents_are_encoded_in_padded_standard_base64() {
        let bounds = Rectangle { min: Point::new(0.0, 0.0), max: Point::new(65535.0, 65535.0) };
        // x = 0xefff and y = 0x00be: the bytes ff ef be 00 hold both symbols, `/` and `+`.
        let agent = AgentMark { point: Point::new(61439.0, 190.0), state: MarkState::Idle };
        for (count, encoded) in
            [(0, ""), (1, "/+++AAE="), (2, "/+++AAH/774AAQ=="), (3, "/+++AAH/774AAf/vvgAB")]
        {
            assert_eq!(encode_agents(&vec![agent; count], bounds), encoded);
        }
    }
}
