//! Systems that hide users by other means than cloaking single queries, each measured by its own
//! measures.
//!
//! | module | system | what it hides |
//! |---|---|---|
//! | [`mobimix`] | MobiMix (Palanisamy & Liu 2011) | the link between a user's path before and after a junction |
//! | [`nwa`] | Never Walk Alone (Abul, Bonchi, Nanni 2008) | which of k published trajectories is a user's |
//! | [`cachecloak`] | CacheCloak (Meyerowitz & Roy Choudhury 2009) | where a user goes at each branching of requested paths |
//! | [`cache`] | Caché (Amini et al. 2011) | all but the regions that a user fetches in advance |
//! | [`pir`] | private information retrieval | positions and answers, from all parties |
//!
//! docs/RIVALS.md states what the authors describe, what is built, and what is left out.

pub mod cache;
pub mod cachecloak;
pub mod drawing;
mod entropy;
pub mod gateway_cost;
mod junction_legs;
pub mod mobimix;
mod normal;
pub mod nwa;
pub mod pir;
mod statistics;

pub use statistics::Average;
pub use traffic::{LegSpeed, TrafficModel, TravelTime};
