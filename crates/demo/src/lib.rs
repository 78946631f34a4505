//! Demo: a gateway with simulated agents, and a comparison of schemes under attack.
//!
//! All routes are under `/demo`. They are the only ones that return positions of users, and these
//! users are simulated. A gateway for real users has none of them.

pub mod agents;
pub mod arena;
pub mod board;
pub mod disclosed;
pub mod frame;
pub mod recording;
pub mod routes;

use crate::agents::{AgentSettings, Agents};
use crate::arena::Arena;
use crate::board::Board;
use crate::routes::DemoState;
use axum::Router;
use gateway::batch::Round;
use gateway::gateway::Gateway;
use gateway::page::{self, PageMode, PageOptions};
use gateway::tiles::{self, Tiles};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// A demo around a gateway.
pub struct Demo {
    gateway: Arc<Gateway>,
    board: Arc<Board>,
    tiles: Arc<Tiles>,
    settings: AgentSettings,
}

impl Demo {
    /// Prepares the tiles and the board; agents start with [`Demo::start`].
    pub fn new(gateway: Arc<Gateway>, settings: AgentSettings) -> Demo {
        let tiles = Arc::new(Tiles::new(Arc::clone(gateway.city().atlas())));
        let board = Arc::new(Board::new(settings.users, tiles.bounds(), tiles.frame().clone()));
        Demo { gateway, board, tiles, settings }
    }

    /// Routes of the page, the map and the demo.
    pub fn routes(&self, report: Option<PathBuf>) -> Router {
        let frame = self.tiles.frame().clone();
        let atlas = Arc::clone(self.gateway.city().atlas());
        let state = DemoState {
            gateway: Arc::clone(&self.gateway),
            board: Arc::clone(&self.board),
            arena: Arc::new(Arena::new(atlas, frame.clone())),
            frame,
            users: self.settings.users,
        };
        page::routes(&PageOptions { mode: PageMode::Demo, report, cluster: None })
            .merge(tiles::routes(Arc::clone(&self.tiles)))
            .merge(routes::routes(state))
    }

    /// Returns the callback that receives every round of the engine.
    pub fn observer(&self) -> impl FnMut(&Round) + Send + 'static + use<> {
        let (gateway, board) = (Arc::clone(&self.gateway), Arc::clone(&self.board));
        move |round| board.record_round(gateway.city().atlas().map(), round)
    }

    /// Starts the agents on a thread of their own; it ends when the gateway stops.
    pub fn start(&self) -> io::Result<()> {
        let frame = self.tiles.frame().clone();
        let agents = Agents::new(Arc::clone(&self.gateway), Arc::clone(&self.board), frame);
        let (settings, stopping) = (self.settings, self.gateway.stopping());
        let run = move || agents.run(settings, &stopping);
        thread::Builder::new().name("agents".into()).spawn(run).map(|_| ())
    }
}
