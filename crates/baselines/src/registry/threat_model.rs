//! The adversary that the authors of a scheme assume.

/// What the authors of a scheme assume and promise. `meshcloak attack --own` attacks a scheme under
/// these assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreatModel {
    /// Users that count towards k.
    pub crowd: Crowd,
    /// Whether users choose their k.
    pub k: KRule,
    /// The attack that the authors promise to withstand.
    pub attack: OwnAttack,
    /// The promise in one sentence.
    pub promise: &'static str,
}

impl ThreatModel {
    /// All registered users count, and the region holds k of them.
    pub const IN_REGION: ThreatModel = ThreatModel {
        crowd: Crowd::Registered,
        k: KRule::Personal,
        attack: OwnAttack::InRegion,
        promise: "k registered users are inside the region",
    };

    /// All registered users count, have the same k, and are known with their positions.
    pub const RECIPROCAL: ThreatModel = ThreatModel {
        crowd: Crowd::Registered,
        k: KRule::Common,
        attack: OwnAttack::Inversion,
        promise: "with one k, k users publish the same region",
    };

    /// All registered users count; the adversary runs the algorithm with other random seeds.
    pub const REPLAY: ThreatModel = ThreatModel {
        crowd: Crowd::Registered,
        k: KRule::Common,
        attack: OwnAttack::Replay,
        promise: "a replay without the random seed leaves many users possible",
    };

    /// Users with a waiting query count; their positions and k are known.
    pub const ASKING: ThreatModel = ThreatModel {
        crowd: Crowd::Asking,
        k: KRule::Personal,
        attack: OwnAttack::Inversion,
        promise: "k users publish the same region",
    };

    /// Users with a waiting query count; the adversary links regions and knows top speeds.
    pub const MOVEMENT: ThreatModel = ThreatModel {
        crowd: Crowd::Asking,
        k: KRule::Personal,
        attack: OwnAttack::Movement,
        promise: "no part of a region can be excluded by the region before it",
    };

    /// No crowd: the adversary has a prior over positions.
    pub const PRIOR: ThreatModel = ThreatModel {
        crowd: Crowd::Asking,
        k: KRule::Personal,
        attack: OwnAttack::Prior,
        promise: "the adversary's expected error is bounded from below",
    };
}

/// Users that count towards k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// Users with a waiting query.
    Asking,
    /// All registered users, at their last reported position.
    Registered,
}

/// Whether users choose their k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KRule {
    /// Each query has its own k.
    Personal,
    /// Each user has one k for all queries.
    Constant,
    /// All queries have the same k.
    Common,
}

/// An attack that the authors of a scheme promise to withstand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnAttack {
    /// Counts the users inside the region; the scheme states how many it must hold.
    InRegion,
    /// Runs the algorithm and counts the users who publish this region.
    Inversion,
    /// Runs a randomised algorithm often and counts the users who ever publish this region.
    Replay,
    /// Counts the users inside the region who are reachable from the target's last region.
    Movement,
    /// Weighs every position by the prior and the mechanism, and takes the best guess.
    Prior,
    /// Counts past visitors of the region, 2^entropy.
    Visitors,
    /// Counts places of different meaning in the region.
    Places,
    /// Intersects the candidates of all linked queries.
    Intersection,
}

impl OwnAttack {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            OwnAttack::InRegion => "in region",
            OwnAttack::Inversion => "inversion",
            OwnAttack::Replay => "replay",
            OwnAttack::Movement => "movement",
            OwnAttack::Prior => "prior",
            OwnAttack::Visitors => "visitors",
            OwnAttack::Places => "places",
            OwnAttack::Intersection => "intersection",
        }
    }
}
