//! Placement of zones: the busiest junctions first; no street belongs to two zones.

use super::zone::Zone;
use super::{MobimixSettings, ZoneKind};
use meshcloak::map::{StreetId, StreetMap, TerminalId};
use traffic::TrafficModel;

/// Zones and the zone of each terminal.
#[derive(Clone, Debug)]
pub struct Zones {
    zones: Vec<Zone>,
    by_terminal: Vec<Option<u32>>,
}

impl Zones {
    /// Places up to `settings.zones` zones of one kind.
    pub fn place(
        map: &StreetMap,
        model: &TrafficModel,
        settings: &MobimixSettings,
        kind: ZoneKind,
    ) -> Zones {
        let mut terminals: Vec<TerminalId> =
            map.terminals().filter(|&terminal| model.crossings(terminal) > 0).collect();
        terminals.sort_by_key(|&terminal| (std::cmp::Reverse(model.crossings(terminal)), terminal));
        let mut placed = Zones { zones: Vec::new(), by_terminal: vec![None; map.terminal_count()] };
        let mut taken = vec![false; map.street_count()];
        for terminal in terminals {
            if placed.zones.len() == settings.zones {
                break;
            }
            let Some(zone) = Zone::build(map, terminal, model, settings, kind) else { continue };
            let parts = zone.hidden_parts(map, model);
            let arms = map.arriving(terminal).iter().map(|arm| arm.street);
            let streets = parts.iter().map(|part| part.leg.street()).chain(arms);
            let streets: Vec<usize> = streets.map(StreetId::index).collect();
            if streets.iter().any(|&street| taken[street]) {
                continue;
            }
            streets.iter().for_each(|&street| taken[street] = true);
            placed.by_terminal[terminal.index()] = Some(placed.zones.len() as u32);
            placed.zones.push(zone);
        }
        placed
    }

    /// All zones, busiest first.
    pub fn all(&self) -> &[Zone] {
        &self.zones
    }

    /// Number of the zone at a terminal.
    pub fn at(&self, terminal: TerminalId) -> Option<usize> {
        self.by_terminal[terminal.index()].map(|zone| zone as usize)
    }
}
