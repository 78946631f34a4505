//! Faults in the simulated gateway, to show that the checks find them.

use crate::plan::Plan;
use gateway::batch::Round;
use gateway::inquiry::Inquiry;
use gateway::outcome::Outcome;
use gateway::question::{Along, QuestionKind};
use gateway::requests::ServedSet;
use std::sync::Arc;

/// A fault in the simulated gateway, to show that the checks find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A round is not delivered.
    LoseRound,
    /// A request of a round is sent twice.
    RepeatRequest,
    /// The members of a set are delivered as two sets.
    SplitSet,
    /// A set has one member less than the largest k in it.
    ShrinkSet,
    /// A set is published twice.
    RepeatSet,
    /// Results are delivered half a minute late.
    DelayRound,
    /// After a restart every user counts as new.
    ForgetUsers,
    /// Batches and deadlines follow the wall clock.
    FollowWallClock,
    /// Each set has a decoy that depends on the question of its first member.
    DecoyOfMember,
}

impl Fault {
    pub const ALL: [Fault; 8] = [
        Fault::LoseRound,
        Fault::RepeatRequest,
        Fault::SplitSet,
        Fault::ShrinkSet,
        Fault::RepeatSet,
        Fault::DelayRound,
        Fault::ForgetUsers,
        Fault::FollowWallClock,
    ];

    /// Whether the fault can show in a schedule.
    pub fn concerns(self, plan: &Plan) -> bool {
        self != Fault::ForgetUsers || (plan.is_history && plan.has_restart())
    }
}

/// Delivers each member of a set as a set of its own.
pub fn split_sets(round: &mut Round) {
    for ServedSet { members, present, .. } in std::mem::take(&mut round.sets) {
        round.ended.extend(present.into_iter().map(|pending| (pending, Outcome::Present)));
        round.sets.extend(members.into_iter().map(|member| ServedSet {
            requests: vec![member.request],
            present: Vec::new(),
            members: vec![member],
        }));
    }
}

/// Adds a request for each set that depends on the question of its first member.
pub fn add_decoys_of_members(round: &mut Round) {
    for set in &round.sets {
        let first = &round.requests[set.members[0].request];
        let kind = QuestionKind { along: Along::Plane, ..first.kind().clone() };
        let decoy = Inquiry::new(Arc::clone(first.region()), kind, first.rung());
        if !round.requests.contains(&decoy) {
            round.requests.push(decoy);
        }
    }
}
