//! The places of a request: asks its questions as queries of its user, and cuts the answers.

use super::asker::Asker;
use super::nearby_plan::{Limit, MAX_RADIUS, NEAREST_COUNT, NearbyPlan, NearbyWant};
use super::problem::Problem;
use super::user_queries::{Here, UserQuestion, ask_all};
use crate::gateway::Gateway;
use crate::outcome::{Finished, Outcome};
use serde::Deserialize;

/// Largest number of questions of one request.
pub(super) const MAX_WANTS: usize = 8;

/// An object near a user. Has no `Debug`: it reveals the user's position.
#[derive(Clone, PartialEq)]
pub(super) struct Place {
    pub id: String,
    pub name: String,
    pub category: String,
    pub lon: f64,
    pub lat: f64,
    /// Great-circle distance from the position of the request.
    pub metres: f64,
}

/// Result of a query, as far as it is needed.
#[derive(Deserialize)]
struct ResultJson {
    #[serde(default)]
    answer: Vec<FoundJson>,
    receipt: Option<ReceiptJson>,
}

#[derive(Deserialize)]
struct FoundJson {
    id: String,
    name: String,
    category: String,
    lon: f64,
    lat: f64,
    metres: f64,
}

#[derive(Deserialize)]
struct ReceiptJson {
    exact: bool,
}

/// Returns the places of each want, nearest first.
///
/// # Errors
/// Nothing is sent if one of the questions is refused, or cannot be answered exactly with these
/// settings. Whether the objects that the service returns are complete is known after they were asked
/// for, for a whole anonymity set; then nothing further is sent.
pub(super) async fn find_places(
    gateway: &Gateway,
    asker: &Asker,
    here: Here,
    wants: &[NearbyWant],
) -> Result<Vec<Vec<Place>>, Problem> {
    let located = gateway.cities().locate(here.lon, here.lat)?;
    let plan = NearbyPlan::new(gateway.cities().get(located.city).map(), &located);
    let questions: Option<Vec<UserQuestion>> =
        wants.iter().map(|want| plan.question(want).map(UserQuestion::from)).collect();
    let Some(questions) = questions else {
        return Err(asker.unsupported(format!("the radius is at most {MAX_RADIUS} metres")));
    };
    let is_cut = gateway.config().answers.max_objects < NEAREST_COUNT;
    if is_cut && wants.iter().any(NearbyWant::is_by_nearest) {
        return Err(asker.unsupported(format!(
            "the nearest places are not known here, because `limits.answer_objects` of the gateway \
             is below {NEAREST_COUNT}: ask for more than 10 places within a radius"
        )));
    }
    let results = ask_all(gateway, asker, here, questions).await?;
    check_outcomes(&results)?;
    let results = wants.iter().zip(results);
    results.map(|(want, finished)| places(&plan, want, &finished)).collect()
}

/// Fails unless all queries of a request were answered.
fn check_outcomes(results: &[Finished]) -> Result<(), Problem> {
    let mut outcomes = results.iter().map(|finished| finished.outcome);
    let was_asked =
        outcomes.clone().any(|outcome| matches!(outcome, Outcome::Answered | Outcome::Failed));
    match outcomes.find(|outcome| *outcome != Outcome::Answered) {
        None => Ok(()),
        Some(outcome) if was_asked => Err(Problem::of_part(outcome)),
        Some(outcome) => Err(Problem::of_outcome(outcome)),
    }
}

/// Cuts the answer to a question to the places of a want.
fn places(
    plan: &NearbyPlan<'_>,
    want: &NearbyWant,
    finished: &Finished,
) -> Result<Vec<Place>, Problem> {
    let unreadable = |_| Problem::of_outcome(Outcome::Failed);
    let result: ResultJson = serde_json::from_slice(&finished.body).map_err(unreadable)?;
    if !result.receipt.is_some_and(|receipt| receipt.exact) {
        return Err(Problem::not_exact(
            "the answer is not complete: ask for a category or a smaller radius",
        ));
    }
    let last = result.answer.last().map_or(0.0, |found| found.metres);
    let complete_to = plan.complete_to(want, result.answer.len(), last);
    let mut places: Vec<Place> =
        result.answer.into_iter().map(|found| place(plan, found)).collect();
    let limit = match want.limit {
        Limit::All => usize::MAX,
        Limit::Nearest(count) => count,
    };
    places.retain(|place| place.metres <= want.radius.min(complete_to));
    sort(&mut places);
    if places.len() < limit && complete_to < want.radius {
        return Err(Problem::not_exact(
            "too many objects are close to each other to tell which are the nearest: ask within a \
             radius for more than 10, or for a category",
        ));
    }
    places.truncate(limit);
    Ok(places)
}

fn place(plan: &NearbyPlan<'_>, found: FoundJson) -> Place {
    let FoundJson { id, name, category, lon, lat, .. } = found;
    let metres = plan.metres(lon, lat);
    Place { id, name, category, lon, lat, metres }
}

/// Sorts places by distance, then by id.
fn sort(places: &mut [Place]) {
    places.sort_by(|a, b| a.metres.total_cmp(&b.metres).then_with(|| a.id.cmp(&b.id)));
}

/// Returns the nearest distinct places of several lists.
pub(super) fn merge(lists: Vec<Vec<Place>>, limit: usize) -> Vec<Place> {
    let mut places: Vec<Place> = lists.into_iter().flatten().collect();
    sort(&mut places);
    // Equal ids are equal places, so that they have the same distance.
    places.dedup_by(|later, first| later.id == first.id);
    places.truncate(limit);
    places
}

#[cfg(test)]
mod tests {
    use super::super::problem::ProblemKind;
    use super::*;

    #[test]
    fn an_error_claims_that_the_service_was_not_asked_only_if_no_part_was_asked() {
        use Outcome::{Answered, Expired, Failed, Refused};
        for (outcomes, kind, is_unasked) in [
            (&[Expired][..], ProblemKind::NotHidden, true),
            (&[Expired, Expired], ProblemKind::NotHidden, true),
            (&[Answered, Expired], ProblemKind::NotHidden, false),
            (&[Expired, Answered], ProblemKind::NotHidden, false),
            (&[Failed, Expired], ProblemKind::Failed, false),
            (&[Answered, Refused], ProblemKind::Busy, false),
            (&[Refused], ProblemKind::Busy, true),
            (&[Answered, Failed], ProblemKind::Failed, false),
        ] {
            let body = bytes::Bytes::new();
            let finished = |outcome: &Outcome| Finished { outcome: *outcome, body: body.clone() };
            let results: Vec<Finished> = outcomes.iter().map(finished).collect();
            let problem = check_outcomes(&results).unwrap_err();
            assert_eq!(problem.kind, kind, "{outcomes:?}");
            let sentence = "the service was not asked";
            assert_eq!(problem.message.contains(sentence), is_unasked, "{outcomes:?} {problem:?}");
        }
        assert_eq!(check_outcomes(&[]), Ok(()));
    }
}
