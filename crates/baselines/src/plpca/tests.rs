use super::clusters::Cluster;
use super::*;
use crate::testing::Scene;
use meshcloak::map::StreetId;
use meshcloak::query::Query;
use meshcloak::region::Region;
use std::collections::{BTreeMap, BTreeSet};

/// Reference: the same growth over sets of segments, without buffers.
struct Naive<'a> {
    stars: &'a Stars,
    lengths: Vec<f64>,
    /// By segment: k of its users.
    users: BTreeMap<u32, Vec<u32>>,
}

impl Naive<'_> {
    fn density(&self, segment: u32) -> f64 {
        self.users.get(&segment).map_or(0, Vec::len) as f64 / self.lengths[segment as usize]
    }

    fn best(&self, among: &BTreeSet<u32>) -> Option<u32> {
        let length = |segment: u32| self.lengths[segment as usize];
        let compare = |a: &&u32, b: &&u32| {
            let by_density = self.density(**b).total_cmp(&self.density(**a));
            by_density.then(length(**a).total_cmp(&length(**b))).then(a.cmp(b))
        };
        among.iter().min_by(compare).copied()
    }

    fn touches(&self, a: u32, b: u32) -> bool {
        self.stars.ends(a).any(|star| self.stars.ends(b).any(|other| star == other))
    }

    fn clusters(&self, segments: usize) -> Vec<BTreeSet<u32>> {
        let mut free: BTreeSet<u32> = (0..self.stars.segment_count() as u32).collect();
        let mut clusters: Vec<BTreeSet<u32>> = Vec::new();
        while let Some(seed) = self.best(&free).filter(|&seed| self.density(seed) > 0.0) {
            let mut cluster = BTreeSet::from([seed]);
            free.remove(&seed);
            let is_complete = |cluster: &BTreeSet<u32>| {
                let k: Vec<u32> =
                    cluster.iter().filter_map(|s| self.users.get(s)).flatten().copied().collect();
                k.len() >= k.iter().max().map_or(0, |&k| k as usize) && cluster.len() >= segments
            };
            while !is_complete(&cluster) {
                let near = |segment: &&u32| cluster.iter().any(|&own| self.touches(own, **segment));
                let border: BTreeSet<u32> = free.iter().filter(near).copied().collect();
                let Some(next) = self.best(&border) else { break };
                free.remove(&next);
                cluster.insert(next);
            }
            let near = |other: &BTreeSet<u32>| {
                cluster.iter().any(|&a| other.iter().any(|&b| self.touches(a, b)))
            };
            let adjacent = clusters.iter().position(near).filter(|_| !is_complete(&cluster));
            match adjacent {
                Some(number) => clusters[number].extend(cluster),
                None => clusters.push(cluster),
            }
        }
        clusters
    }
}

#[test]
fn clusters_are_those_of_the_slow_growth() {
    let mut compared = 0;
    for scene in Scene::many() {
        let mut plpca = Plpca::new(&scene.atlas, 1 + scene.seed as usize % 5);
        let waiting = &scene.state.waiting;
        let indices = plpca.users.select(waiting).to_vec();
        plpca.segment_users.fill(&plpca.stars, waiting, &indices);
        let Plpca { segments, stars, lengths, segment_users, clusters, .. } = &mut plpca;
        let plan = SegmentPlan { stars, lengths, users: segment_users, waiting };
        let found: Vec<BTreeSet<u32>> = clusters
            .build(plan, *segments)
            .into_iter()
            .map(|Cluster { segments }| segments.into_iter().collect())
            .collect();
        let mut users: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for query in indices.iter().map(|&index| &waiting[index as usize]) {
            users.entry(stars.segment_of(query.position.street)).or_default().push(query.k);
        }
        let lengths = lengths.iter().map(|&length| length as f64).collect();
        let expected = Naive { stars, lengths, users }.clusters(*segments);
        assert_eq!(found, expected, "seed {}\n{}", scene.seed, scene.town);
        compared += found.len();
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn all_members_of_a_cluster_publish_its_segments() {
    let mut served = 0;
    for scene in Scene::many() {
        let segments = 1 + scene.seed as usize % 5;
        let cloaked = scene.cloaked(&mut Plpca::new(&scene.atlas, segments));
        let stars = Stars::new(&scene.town.map);
        let mut owner: BTreeMap<StreetId, Vec<meshcloak::query::QueryId>> = BTreeMap::new();
        for (query, shown) in scene.state.waiting.iter().zip(&cloaked) {
            let Some((members, Region::Mesh(streets))) = shown else { continue };
            let of = |id: &meshcloak::query::QueryId| -> &Query {
                scene.state.waiting.iter().find(|query| query.id == *id).unwrap()
            };
            let count: BTreeSet<u32> = streets.iter().map(|&s| stars.segment_of(s)).collect();
            assert!(count.len() >= segments && streets.contains(&query.position.street));
            assert!(members.iter().all(|id| of(id).k as usize <= members.len()));
            for id in members {
                let index = scene.state.waiting.iter().position(|q| q.id == *id).unwrap();
                assert_eq!(cloaked[index], *shown, "reciprocal, seed {}", scene.seed);
            }
            for &street in streets.iter() {
                let known = owner.entry(street).or_insert_with(|| members.clone());
                assert_eq!(known, members, "clusters are disjoint, seed {}", scene.seed);
            }
            served += 1;
        }
    }
    assert!(served > 5_000, "{served}");
}
