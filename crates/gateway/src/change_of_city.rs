//! Users who ask in another city than before (docs/SPEC.md §6, "Several cities").

use crate::city::{City, CityId};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::tickets::TicketTable;
use meshcloak::query::UserId;
use meshcloak::units::Time;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// City and time of each user's last accepted query, under `history` in a gateway with several
/// cities.
///
/// No street leads from one map to another: of a user whose last query was in another city it is
/// not known where on this map the user can be, so that no other member of a set could be counted.
/// Such a query is refused until the last one is older than the horizon.
#[derive(Debug)]
pub(crate) struct LastCities {
    horizon: Duration,
    last: Mutex<FxHashMap<UserId, LastQuery>>,
}

#[derive(Clone, Copy, Debug)]
struct LastQuery {
    city: CityId,
    at: Time,
}

impl LastCities {
    pub(crate) fn new(horizon: Duration) -> LastCities {
        LastCities { horizon, last: Mutex::default() }
    }

    /// Records an accepted query.
    ///
    /// # Errors
    /// [`Refusal::OtherCity`] if the last query within the horizon was in another city.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub(crate) fn admit(&self, user: UserId, city: CityId, at: Time) -> Result<(), Refusal> {
        let mut last = self.last.lock();
        if let Some(known) = last.get(&user).filter(|known| known.city != city) {
            let end = known.at + self.horizon;
            if end >= at {
                let left = (end - at).as_secs().saturating_add(1);
                return Err(Refusal::OtherCity(u32::try_from(left).unwrap_or(u32::MAX)));
            }
        }
        last.insert(user, LastQuery { city, at });
        Ok(())
    }

    /// Removes queries that are older than the horizon.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub(crate) fn remove_expired(&self, now: Time) {
        self.last.lock().retain(|_, last| last.at + self.horizon >= now);
    }
}

/// Cancels the waiting queries of a user in other cities before one in `city`, dated `at`, is
/// accepted: a user has one waiting query, and no query leaves after a later one.
///
/// The cancelled queries cannot be in a batch after that of their city which was last collected, and
/// the new one is only accepted if its first batch is later than that.
///
/// # Errors
/// [`Refusal::Busy`] if it would be the same batch, within the millisecond of a tick.
pub(crate) fn withdraw_elsewhere(
    gateway: &Gateway,
    tickets: &mut TicketTable,
    user: UserId,
    city: &City,
    at: Time,
) -> Result<(), Refusal> {
    for &id in tickets.waiting(user).iter().filter(|id| CityId::of(**id) != city.id()) {
        let collected_here = city.mailbox().lock().collected_at();
        let mut mailbox = gateway.cities().of_query(id).mailbox().lock();
        let collected = mailbox.collected_at();
        if at <= collected && collected_here < collected {
            return Err(Refusal::Busy);
        }
        mailbox.cancel(id);
    }
    tickets.forget_elsewhere(user, city.id());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_city_is_refused_for_the_horizon_of_the_last_query() {
        let last = LastCities::new(Duration::from_secs(600));
        let admit = |user, city, seconds: u64| {
            last.admit(UserId(user), CityId(city), Time::from_millis(seconds * 1000))
        };
        assert_eq!(admit(1, 0, 0), Ok(()));
        assert_eq!(admit(2, 1, 0), Ok(()), "another user");
        assert_eq!(admit(1, 0, 100), Ok(()));
        assert_eq!(admit(1, 1, 101), Err(Refusal::OtherCity(600)));
        assert_eq!(admit(1, 1, 700), Err(Refusal::OtherCity(1)), "a refusal is no query");
        assert_eq!(admit(1, 0, 700), Ok(()), "the old city is open");
        assert_eq!(admit(1, 1, 1301), Ok(()));
        assert_eq!(admit(1, 0, 1302), Err(Refusal::OtherCity(600)), "the way back");
        last.remove_expired(Time::from_millis(1_901_000));
        assert_eq!(last.last.lock().len(), 1);
        last.remove_expired(Time::from_millis(1_901_001));
        assert!(last.last.lock().is_empty());
    }
}
