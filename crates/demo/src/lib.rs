//! The show: a gateway with a simulated crowd, and what an attacker sees of it.
//!
//! Everything here is under `/demo`, and only here does anything tell where people are: they are
//! simulated. A gateway for real people is never given one of these.

pub mod arena;
pub mod board;
pub mod crowd;
pub mod frame;
pub mod routes;
pub mod tape;
pub mod truth;

use crate::arena::Arena;
use crate::board::Board;
use crate::crowd::{Crowd, CrowdPlan};
use crate::routes::Stage;
use axum::Router;
use gateway::engine::Round;
use gateway::gateway::Gateway;
use gateway::page::{self, PageMode, PageOptions};
use gateway::tiles::{self, Tiles};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// A show that can begin.
pub struct Demo {
    gateway: Arc<Gateway>,
    board: Arc<Board>,
    tiles: Arc<Tiles>,
    plan: CrowdPlan,
}

impl Demo {
    /// A show around a gateway.
    pub fn new(gateway: Arc<Gateway>, plan: CrowdPlan) -> Demo {
        let tiles = Arc::new(Tiles::new(Arc::clone(gateway.atlas())));
        let board = Arc::new(Board::new(plan.users, tiles.world(), tiles.frame().clone()));
        Demo { gateway, board, tiles, plan }
    }

    /// Everything there is to see: the page, the map, the crowd.
    pub fn routes(&self, report: Option<PathBuf>) -> Router {
        let frame = self.tiles.frame().clone();
        let atlas = Arc::clone(self.gateway.atlas());
        let stage = Stage {
            gateway: Arc::clone(&self.gateway),
            board: Arc::clone(&self.board),
            arena: Arc::new(Arena::new(atlas, frame.clone())),
            frame,
            users: self.plan.users,
        };
        page::routes(&PageOptions { mode: PageMode::Demo, report })
            .merge(tiles::routes(Arc::clone(&self.tiles)))
            .merge(routes::routes(stage))
    }

    /// Whoever is shown every round.
    pub fn onlooker(&self) -> impl FnMut(&Round) + Send + 'static + use<> {
        let (gateway, board) = (Arc::clone(&self.gateway), Arc::clone(&self.board));
        move |round| board.round(gateway.atlas().map(), round)
    }

    /// Lets the crowd live, on a thread of its own, until the gateway stops.
    pub fn begin(&self) -> io::Result<()> {
        let frame = self.tiles.frame().clone();
        let crowd = Crowd::new(Arc::clone(&self.gateway), Arc::clone(&self.board), frame);
        let (plan, stopping) = (self.plan, self.gateway.stopping());
        let live = move || crowd.live(plan, &stopping);
        thread::Builder::new().name("crowd".into()).spawn(live).map(|_| ())
    }
}
