//! Users who come from another city: one waiting query per user over all engines.
//!
//! ```text
//! tick of a city:  users who are new here ─▶ Claim to all engines ─▶ replies of all other cities
//!   no city knows the user     accepted
//!   a query waits elsewhere    held until the next tick; the other engine withdraws its query
//!   asked elsewhere            refused under `history` (`other-city`)
//!   a reply is missing         held (fail closed)
//! ```
//!
//! Known users are those with a waiting query; under `history` also those in the log, which a takeover
//! replays. A cluster with one city sends no claims.

use super::host::Host;
use super::inbox::Received;
use super::reign::Reign;
use super::remote::Remote;
use crate::message::{
    CLAIMS, Claim, ClaimReply, Elsewhere, EndCode, QueryItem, Submit, decode, encode,
};
use crate::peers::SILENCE;
use futures_util::StreamExt as _;
use gateway::city_engine::Round;
use gateway::mailbox::Arrival;
use meshcloak::accounts::AccountId;
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

/// Largest number of users of a claim.
const MAX_USERS: usize = 20_000;

/// Part of a tick for which an engine waits for replies.
const WAIT_PART: u32 = 4;

/// A query that waits until another city has withdrawn that of its user.
pub struct HeldQuery {
    since: Instant,
    frontend: u64,
    item: QueryItem,
}

impl Host {
    /// Tells other engines what is known of the users who arrive in their cities.
    pub(super) async fn answer_claims(self: Arc<Self>, mut messages: async_nats::Subscriber) {
        while let Some(message) = messages.next().await {
            let Ok(claim) = decode::<Claim>(&message.payload) else { continue };
            let Some(reply) = message.reply else { continue };
            let answer = self.answer_claim(&claim);
            if !answer.shards.is_empty() {
                self.cluster.client().publish(reply, encode(&answer)).await.ok();
            }
        }
    }

    fn answer_claim(&self, claim: &Claim) -> ClaimReply {
        let mut reply = ClaimReply::default();
        for (shard, (epoch, users)) in self.present.lock().iter() {
            let city = shard.city.as_str();
            if city == claim.city {
                continue;
            }
            reply.shards.push((city.to_owned(), shard.number, *epoch));
            let (mut users, is_smaller) = (users.lock(), city < claim.city.as_str());
            let answers = claim
                .users
                .iter()
                .filter_map(|user| Some((*user, users.answer(UserId(*user), is_smaller)?)));
            reply.known.extend(answers);
        }
        reply
    }

    /// Asks all engines about users. Returns what they know if every shard of `others` has replied
    /// in time.
    async fn ask_cities(
        &self,
        city: &str,
        users: &[UserId],
        others: &BTreeSet<(String, u16, u64)>,
    ) -> Option<FxHashMap<UserId, Elsewhere>> {
        let client = self.cluster.client();
        let limit = Instant::now() + self.config.engine.tick / WAIT_PART;
        let mut known: FxHashMap<UserId, Elsewhere> = FxHashMap::default();
        for users in users.chunks(MAX_USERS) {
            let inbox = client.new_inbox();
            let mut replies = client.subscribe(inbox.clone()).await.ok()?;
            let users = users.iter().map(|user| user.0).collect();
            let claim = encode(&Claim { city: city.to_owned(), users });
            client.publish_with_reply(CLAIMS, inbox, claim).await.ok()?;
            let mut missing = others.clone();
            while !missing.is_empty() {
                let reply = timeout_at(limit, replies.next()).await.ok()??;
                let Ok(reply) = decode::<ClaimReply>(&reply.payload) else { continue };
                missing.retain(|shard| !reply.shards.contains(shard));
                for (user, elsewhere) in reply.known {
                    let worst = known.entry(UserId(user)).or_insert(elsewhere);
                    *worst = elsewhere.max(*worst);
                }
            }
        }
        Some(known)
    }
}

impl Reign {
    /// Takes the messages up to a tick, and the queries that were held.
    pub(super) fn receive(&mut self, at: Time) -> Received {
        let until = self.clock.instant_of(at, Instant::now());
        let mut received = self.inbox.take(until, self.engine.waiting().len());
        let cancels = |cancels: &[crate::message::Cancel]| -> FxHashSet<(u64, u64)> {
            let numbers = cancels.iter().map(|cancel| (cancel.frontend, &cancel.numbers));
            numbers.flat_map(|(frontend, all)| all.iter().map(move |n| (frontend, *n))).collect()
        };
        let (cancelled, withdrawn) = (cancels(&received.cancels), cancels(&received.withdrawals));
        for HeldQuery { since, frontend, mut item } in std::mem::take(&mut self.held) {
            let waited = u32::try_from(since.elapsed().as_millis()).unwrap_or(u32::MAX);
            item.shorten(waited);
            let key = (frontend, item.number);
            let end = match () {
                () if cancelled.contains(&key) => Some(EndCode::Cancelled),
                () if withdrawn.contains(&key) => Some(EndCode::Replaced),
                () => (item.left_ms == 0).then_some(EndCode::Expired),
            };
            match end {
                Some(code) => {
                    self.present.lock().drop_claim(item.user());
                    self.end_item(frontend, &item, code);
                }
                None => received.submits.push((Instant::now(), self.submit_of(frontend, item))),
            }
        }
        received
    }

    fn submit_of(&self, frontend: u64, item: QueryItem) -> Submit {
        let (epoch, map) = (self.lease.epoch(), self.city.digest);
        Submit { frontend, epoch, seen: Vec::new(), map, queries: vec![item] }
    }

    /// Owners of other cities that must agree before a user who is new here is accepted: under
    /// `history` all that were heard of within the horizon, for their logs bind users.
    fn other_cities(&self) -> BTreeSet<(String, u16, u64)> {
        let engine = &self.host.config.engine;
        let within = match engine.guarantee {
            Guarantee::History => engine.horizon_rule().longest().max(SILENCE),
            _ => SILENCE,
        };
        self.host.peers.owners_elsewhere(&self.city.name, within)
    }

    /// Asks the other cities about the users who are new here, and takes out the queries of those
    /// who must wait or were refused.
    pub(super) async fn claim_users(&mut self, at: Time, mut received: Received) -> Received {
        self.present.lock().begin_tick(at, self.unknown_seconds(at));
        let others = self.other_cities();
        if others.is_empty() {
            return received;
        }
        let users: Vec<UserId> = self.claim_new(&received).into_iter().collect();
        if users.is_empty() {
            return received;
        }
        let host = Arc::clone(&self.host);
        let known = host.ask_cities(&self.city.name.clone(), &users, &others).await;
        let verdicts: FxHashMap<UserId, Verdict> =
            users.into_iter().map(|user| (user, self.verdict(user, known.as_ref()))).collect();
        for (arrived, submit) in &mut received.submits {
            let frontend = submit.frontend;
            for item in std::mem::take(&mut submit.queries) {
                match verdicts.get(&item.user()).copied().unwrap_or(Verdict::Clear) {
                    Verdict::Clear => submit.queries.push(item),
                    Verdict::Hold => self.held.push(HeldQuery { since: *arrived, frontend, item }),
                    Verdict::End(code) => self.end_item(frontend, &item, code),
                }
            }
        }
        received
    }

    /// Marks the users who are new here, and returns them.
    fn claim_new(&self, received: &Received) -> FxHashSet<UserId> {
        let mut present = self.present.lock();
        let items = received.submits.iter().flat_map(|(_, submit)| &submit.queries);
        let users: FxHashSet<UserId> =
            items.map(QueryItem::user).filter(|user| !present.has(*user)).collect();
        users.iter().for_each(|user| present.claim(*user));
        users
    }

    /// Decides about a user by the replies; `None` if one is missing.
    fn verdict(&self, user: UserId, known: Option<&FxHashMap<UserId, Elsewhere>>) -> Verdict {
        let mut present = self.present.lock();
        match known.map(|known| known.get(&user)) {
            None | Some(Some(Elsewhere::Waiting)) => Verdict::Hold,
            Some(Some(Elsewhere::Past(seconds))) => {
                present.drop_claim(user);
                Verdict::End(EndCode::OtherCity(*seconds))
            }
            Some(None) if present.end_claim(user) => Verdict::Clear,
            // The other city has asked at the same time, and wins.
            Some(None) => Verdict::End(match self.host.config.engine.guarantee {
                Guarantee::History => {
                    let horizon = self.host.config.engine.horizon_rule().longest().as_secs();
                    EndCode::OtherCity(u32::try_from(horizon).unwrap_or(u32::MAX))
                }
                _ => EndCode::Cancelled,
            }),
        }
    }

    /// Before a move, sends queries back about which other cities would have to be asked.
    pub(super) fn return_unclaimed(&mut self, mut received: Received) -> Received {
        if self.other_cities().is_empty() {
            return received;
        }
        for (_, submit) in &mut received.submits {
            let frontend = submit.frontend;
            let mut present = self.present.lock();
            for item in submit.queries.extract_if(.., |item| !present.has(item.user())) {
                self.transfers.misrouted.extend(item.numbers().map(|number| (frontend, number)));
            }
        }
        received
    }

    /// Notes accepted queries. Returns the waiting queries of users who have asked in another city.
    pub(super) fn note_presence(&self, arrivals: &[Arrival<Remote>]) -> Vec<QueryId> {
        let clock = self.history_clock();
        let mut present = self.present.lock();
        let leaving = present.take_leaving();
        for query in
            arrivals.iter().chain(&self.transfers.moved_in).map(|arrival| arrival.query.expose())
        {
            present.admit(query.user);
            if clock == Some(HistoryClock::Asked) {
                present.record(query);
            }
        }
        leaving.into_iter().flat_map(|user| self.engine.pendings_of(user)).collect()
    }

    /// Notes who waits after a tick, and with the clock `published` who has left.
    pub(super) fn end_presence(&self, round: &Round<Remote>) {
        let waiting = self.engine.waiting().iter().map(|query| query.user);
        let mut present = self.present.lock();
        if self.history_clock() == Some(HistoryClock::Published) {
            round.left.iter().for_each(|query| present.record(query));
        }
        present.end_tick(waiting);
    }

    /// Ends a query, and those that it carries, before they are accepted.
    pub(super) fn end_item(&mut self, frontend: u64, item: &QueryItem, code: EndCode) {
        let account = AccountId(item.account);
        for number in item.numbers() {
            self.ended.push((Remote { frontend, number, account }, code));
        }
    }
}

/// What becomes of a user's queries.
#[derive(Clone, Copy)]
enum Verdict {
    Clear,
    Hold,
    End(EndCode),
}
