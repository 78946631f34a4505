//! Traffic of a divided city through a frontend of the tests.

use crate::frontend::{TestFrontend, query};
use crate::moves::cluster_command;
use crate::reference::{Accepted, labels};
use crate::town::{NAME, Town};
use cluster::testing::{Servers, eventually};
use cluster::{Bucket, CellLoad, City, Entry, Members};
use fleet::message::EndCode;
use fleet::plan::Plan;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId};
use meshcloak::query::UserId;
use meshcloak::units::{Point, Time};
use rand::RngExt as _;
use rand_pcg::Pcg64;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

const USERS: u64 = 900;
const K: u32 = 2;

/// A published set: batch time, users, labels of the streets.
pub type Set = (u64, BTreeSet<u64>, BTreeSet<String>);

/// A submitted query.
pub struct Asked {
    number: u64,
    point: Point,
}

/// What was submitted, by user and shard, in order.
pub type Submitted = BTreeMap<(u64, u16), VecDeque<Asked>>;

/// The division under test and its traffic.
pub struct Trial {
    pub town: Town,
    pub frontend: TestFrontend,
    pub dt: Duration,
    pub submitted: Submitted,
    pub user_of: BTreeMap<u64, u64>,
    pub street_of: BTreeMap<u64, StreetId>,
}

impl Trial {
    /// Lets the operator divide the city anew, with much load in the first cells. Returns the plans
    /// before and after.
    pub async fn balance(&self, servers: &Servers) -> (Plan, Plan) {
        let bucket = Bucket::find(&servers.connect().await).await.unwrap();
        let load = CellLoad::new(0, &[900; 20]);
        load.put(&bucket, &City::new(NAME).unwrap().shard(0)).await.unwrap();
        // All submitted queries are accepted before.
        let first = self.frontend.owner_above(0, 0).await;
        eventually("two ticks", async || {
            let owner = self.frontend.owner_above(0, 0).await;
            (owner.at >= first.at + 2_000).then_some(())
        })
        .await;
        let text = cluster_command(servers, &["balance", NAME]).await;
        assert!(text.contains("divided anew"), "{text}");
        let plan = |owner| self.town.plan(&owner);
        let second = eventually("the frontend has heard of it", async || {
            let owner = self.frontend.owner_above(0, 0).await;
            (owner.plan.revision > first.plan.revision).then_some(owner)
        })
        .await;
        (plan(first), plan(second))
    }

    /// Submits one query of each of some users, at a random place or where the user was before.
    pub async fn ask(
        &mut self,
        round: u64,
        random: &mut Pcg64,
        places: &mut BTreeMap<u64, (Point, Position)>,
    ) {
        let plan = self.town.plan(&self.frontend.owner_above(0, 0).await);
        let mut queries: BTreeMap<u16, Vec<_>> = BTreeMap::new();
        let is_moving = self.town.config.engine.guarantee == Guarantee::Reciprocal;
        for user in 0..USERS {
            let asks =
                if is_moving { random.random_bool(0.25) } else { (user + round).is_multiple_of(5) };
            if !asks {
                continue;
            }
            let (point, place) = match places.get(&user) {
                Some(place) if !is_moving || random.random_bool(0.7) => *place,
                _ => self.town.random_place(random),
            };
            places.insert(user, (point, place));
            let number = self.user_of.len() as u64 + 1;
            self.user_of.insert(number, user);
            self.street_of.insert(number, place.street);
            let shard = plan.shard(place.street);
            self.submitted.entry((user, shard)).or_default().push_back(Asked { number, point });
            queries.entry(shard).or_default().push(query(number, user, place, K, self.dt));
        }
        for (shard, queries) in queries {
            self.frontend.submit(&self.town, shard, queries).await;
        }
    }

    /// Sets that the engines have published.
    pub fn published(&self) -> BTreeSet<Set> {
        let received = self.frontend.received.lock();
        let mut regions: BTreeMap<(u64, u16, u32), &[u32]> = BTreeMap::new();
        for part in &received.parts {
            for request in &part.requests {
                regions.insert((part.round.at, part.round.shard, request.number), &request.region);
            }
        }
        let mut sets = BTreeSet::new();
        for part in &received.parts {
            for set in &part.sets {
                let users: BTreeSet<u64> =
                    set.members.iter().map(|member| self.user_of[&member.number]).collect();
                assert_eq!(users.len(), set.size as usize, "all members are of this frontend");
                let region = regions[&(part.round.at, part.round.shard, set.requests[0])];
                sets.insert((part.round.at, users, labels(self.town.map(), region)));
            }
        }
        sets
    }

    /// Queries that the engines have ended without an answer, by their end.
    pub fn ended(&self, code: EndCode) -> BTreeSet<(u64, u64)> {
        let received = self.frontend.received.lock();
        let of_part = |part: &fleet::message::Part| {
            let ended = part.ended.iter().filter(|(_, end)| *end == code);
            ended.map(|(number, _)| (part.round.at, *number)).collect::<Vec<_>>()
        };
        received.parts.iter().flat_map(of_part).collect()
    }

    /// Writes the accepted queries as the log has recorded them.
    pub fn queries(&mut self, ticks: &[Accepted]) -> String {
        let mut rows: Vec<(u64, String)> = Vec::new();
        let dt = self.dt.as_secs_f64();
        for (at, shard, members) in ticks {
            let entries: Vec<(UserId, Time)> = match members {
                Members::Users(users) => {
                    users.iter().map(|user| (*user, Time::from_millis(*at))).collect()
                }
                Members::Positions(entries) => {
                    entries.iter().map(|Entry { user, at, .. }| (*user, *at)).collect()
                }
            };
            for (UserId(user), asked_at) in entries {
                let queue = self.submitted.get_mut(&(user, *shard)).unwrap();
                let Asked { number, point } = queue.pop_front().unwrap();
                let millis = asked_at.as_millis();
                let (seconds, rest) = (millis / 1_000, millis % 1_000);
                let Point { x, y } = point;
                let row =
                    format!("{number},{user},{seconds}.{rest:03},{x:.3},{y:.3},{K},{dt},40,12.5");
                rows.push((millis, row));
            }
        }
        rows.sort_by_key(|(at, _)| *at);
        let mut text = String::from("query,user,t,x,y,k,dt,speed,interval\n");
        rows.iter().for_each(|(_, row)| writeln!(text, "{row}").unwrap());
        text
    }
}
