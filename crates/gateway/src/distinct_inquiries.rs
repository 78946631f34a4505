//! Distinct inquiries of a batch: sets with equal regions share one inquiry per question kind,
//! with the largest radius or count of all of them (docs/SPEC.md §9).
//!
//! Bytes and order of the inquiries are a function of the distinct (region, kind, largest rung)
//! and of random numbers. How many sets or members share an inquiry, which kinds a set has, and
//! the order of arrival do not enter.

use crate::decoys::{Decoys, Joined, Rungs};
use crate::inquiry::Inquiry;
use crate::question::{Category, Question, QuestionKind};
use meshcloak::map::StreetId;
use rand::Rng;
use rand::seq::SliceRandom as _;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Regions of a batch with their question kinds.
#[derive(Default)]
pub(crate) struct InquiryBuilder {
    index_of: FxHashMap<Arc<[StreetId]>, usize>,
    regions: Vec<RegionKinds>,
}

/// Question kinds about one region.
struct RegionKinds {
    region: Arc<[StreetId]>,
    /// Largest rung of each kind.
    rungs: Rungs,
    /// Kinds with decoys, by kind.
    joined: Joined,
}

/// The inquiries of a batch.
pub(crate) struct DistinctInquiries {
    /// In the order of sending.
    pub inquiries: Vec<Inquiry>,
    /// Index of the inquiry of each kind, by region.
    indices: Vec<BTreeMap<QuestionKind, usize>>,
    /// Kinds with decoys, by region and kind.
    joined: Vec<Joined>,
}

impl InquiryBuilder {
    /// Returns the number of a region; equal regions have equal numbers.
    pub(crate) fn region(&mut self, region: Arc<[StreetId]>) -> usize {
        let regions = &mut self.regions;
        *self.index_of.entry(region).or_insert_with_key(|region| {
            let number = regions.len();
            let (rungs, joined) = (Rungs::new(), Joined::new());
            regions.push(RegionKinds { region: Arc::clone(region), rungs, joined });
            number
        })
    }

    /// Adds a question about a region, given by its number.
    ///
    /// # Panics
    /// The radius or count is not on the ladder: intake checks every question.
    pub(crate) fn add(&mut self, region: usize, question: &Question) {
        let rung = question.rung().expect("intake has checked every question");
        let Some(region) = self.regions.get_mut(region) else { return };
        let largest = region.rungs.entry(question.kind()).or_default();
        *largest = rung.max(*largest);
    }

    /// Returns the categories that each region is asked.
    pub(crate) fn categories(&self) -> impl Iterator<Item = &Category> {
        self.regions.iter().flat_map(|region| {
            let categories: BTreeSet<&Category> =
                region.rungs.keys().map(|kind| &kind.category).collect();
            categories
        })
    }

    /// Adds decoys to the questions about each region.
    pub(crate) fn add_decoys(&mut self, decoys: &Decoys) {
        for RegionKinds { rungs, joined, .. } in &mut self.regions {
            *joined = decoys.add(rungs);
        }
    }

    /// Builds the inquiries: regions in random order, and for each region its kinds in random
    /// order. Inquiries about one region are adjacent, so that its answers are held for a short
    /// time. Without randomness they are sorted by region and kind, which depends on no user either.
    pub(crate) fn build(self, mut random: Option<&mut impl Rng>) -> DistinctInquiries {
        let mut indices = vec![BTreeMap::new(); self.regions.len()];
        let mut order: Vec<_> = self.regions.iter().zip(&mut indices).collect();
        order.sort_unstable_by(|(a, _), (b, _)| a.region.cmp(&b.region));
        if let Some(random) = &mut random {
            order.shuffle(random);
        }
        let mut inquiries = Vec::with_capacity(order.len());
        for (RegionKinds { region, rungs, .. }, indices) in order {
            let mut kinds: Vec<(&QuestionKind, &u8)> = rungs.iter().collect();
            if let Some(random) = &mut random {
                kinds.shuffle(random);
            }
            for (kind, &rung) in kinds {
                indices.insert(kind.clone(), inquiries.len());
                inquiries.push(Inquiry::new(Arc::clone(region), kind.clone(), rung));
            }
        }
        let joined = self.regions.into_iter().map(|region| region.joined).collect();
        DistinctInquiries { inquiries, indices, joined }
    }
}

impl DistinctInquiries {
    /// Returns the index of the inquiry about a region and kind; `None` if no such question was
    /// added.
    pub(crate) fn index(&self, region: usize, kind: &QuestionKind) -> Option<usize> {
        self.indices.get(region)?.get(kind).copied()
    }

    /// Returns the indices of the inquiries about a region that must end before the answer to a
    /// question of this kind is released: its own and those of its decoys.
    pub(crate) fn joined(&self, region: usize, kind: &QuestionKind) -> impl Iterator<Item = usize> {
        let joined = self.joined.get(region).and_then(|joined| joined.get(kind));
        let decoys = joined.into_iter().flatten().filter_map(move |kind| self.index(region, kind));
        self.index(region, kind).into_iter().chain(decoys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{Along, Category, Operation};
    use meshcloak::region::Region;
    use meshcloak::scheme::Disclosure;
    use meshcloak::town::{Town, town};
    use meshcloak::units::{Length, Time};
    use rand::RngExt as _;

    /// Region and questions of a set.
    type Set = (Vec<StreetId>, Vec<Question>);

    fn question(random: &mut impl Rng) -> Question {
        let along = [Along::Plane, Along::Streets][random.random_range(0..2)];
        let radius = Length::metres(random.random_range(1.0..2000.0));
        let operation = match random.random_bool(0.5) {
            true => Operation::Within { radius, along },
            false => Operation::Nearest { count: random.random_range(1..=30), along },
        };
        let category = ["cafe", "bank"][random.random_range(0..2)];
        Question { operation, category: Category::named(category).unwrap() }
    }

    fn sets(random: &mut impl Rng) -> Vec<Set> {
        let regions: Vec<Vec<StreetId>> = (0..3)
            .map(|_| (0..4).filter(|_| random.random_bool(0.5)).map(StreetId).collect())
            .collect();
        let mut sets = Vec::new();
        for _ in 0..random.random_range(0..8) {
            let region = regions[random.random_range(0..3)].clone();
            let count = random.random_range(1..6);
            sets.push((region, (0..count).map(|_| question(random)).collect()));
        }
        sets
    }

    /// The inquiries of `sets`, and for each set those of its questions.
    fn built(sets: &[Set], random: Option<&mut impl Rng>) -> (Vec<Inquiry>, Vec<Vec<Inquiry>>) {
        let mut builder = InquiryBuilder::default();
        let regions: Vec<usize> =
            sets.iter().map(|(region, _)| builder.region(region.as_slice().into())).collect();
        for ((_, questions), &region) in sets.iter().zip(&regions) {
            questions.iter().for_each(|question| builder.add(region, question));
        }
        let distinct = builder.build(random);
        let of_set = |((_, questions), &region): (&Set, &usize)| {
            let inquiry = |question: &Question| {
                distinct.inquiries[distinct.index(region, &question.kind()).unwrap()].clone()
            };
            questions.iter().map(inquiry).collect()
        };
        let of_sets = sets.iter().zip(&regions).map(of_set).collect();
        (distinct.inquiries, of_sets)
    }

    /// Naive twin: the inquiries of each set alone, merged pair by pair. Sorted.
    fn naive(sets: &[Set]) -> Vec<Inquiry> {
        let town = town("A 0,0  B 100,0  C 200,0  D 300,0  E 400,0 | A-B B-C C-D D-E");
        let mut all: Vec<Inquiry> = Vec::new();
        for (region, questions) in sets {
            let region = Region::Mesh(region.clone().into());
            let disclosure = Disclosure { at: Time::from_millis(0), region };
            for inquiry in Inquiry::of(&town.map, &disclosure, questions).unwrap() {
                let same = |other: &&mut Inquiry| {
                    (other.region(), other.kind()) == (inquiry.region(), inquiry.kind())
                };
                match all.iter_mut().find(same) {
                    Some(other) => *other = inquiry.max(other.clone()),
                    None => all.push(inquiry),
                }
            }
        }
        all.sort();
        all
    }

    #[test]
    fn inquiries_are_distinct_and_equal_those_of_the_naive_twin() {
        for seed in 0..500 {
            let mut random = Town::generator(seed);
            let sets = sets(&mut random);
            let (mut inquiries, of_sets) = built(&sets, Some(&mut random));
            for ((region, questions), inquiries) in sets.iter().zip(&of_sets) {
                for (question, inquiry) in questions.iter().zip(inquiries) {
                    assert_eq!(
                        (&**inquiry.region(), inquiry.kind()),
                        (&**region, &question.kind())
                    );
                    assert!(
                        inquiry.question().rung().unwrap() >= question.rung().unwrap(),
                        "seed {seed}"
                    );
                }
            }
            inquiries.sort();
            assert_eq!(inquiries, naive(&sets), "seed {seed}");
        }
    }

    #[test]
    fn bytes_and_order_do_not_depend_on_sets_members_or_arrival() {
        for seed in 0..500 {
            let mut random = Town::generator(seed);
            let sets = sets(&mut random);
            let mut other = sets.clone();
            // More members with the same questions, in another order, in other sets.
            for (region, questions) in &sets {
                let questions = questions.iter().filter(|_| random.random_bool(0.5)).cloned();
                let questions: Vec<Question> = questions.collect();
                other.push((region.clone(), questions));
            }
            other.shuffle(&mut random);
            other.iter_mut().for_each(|(_, questions)| questions.shuffle(&mut random));
            for number in 0..4 {
                let [one, two] =
                    [&sets, &other].map(|sets| built(sets, Some(&mut Town::generator(number))).0);
                assert_eq!(one, two, "seed {seed}");
            }
            let none = None::<&mut rand_pcg::Pcg64Mcg>;
            assert_eq!(built(&sets, none).0, built(&other, None::<&mut rand_pcg::Pcg64Mcg>).0);
        }
    }

    #[test]
    fn the_order_is_random() {
        let cafe = |count| Question {
            operation: Operation::Nearest { count, along: Along::Plane },
            category: Category::Any,
        };
        let sets: Vec<Set> = (0..8).map(|street| (vec![StreetId(street)], vec![cafe(1)])).collect();
        let orders: BTreeSet<Vec<Inquiry>> =
            (0..50).map(|seed| built(&sets, Some(&mut Town::generator(seed))).0).collect();
        assert!(orders.len() > 45, "{}", orders.len());
    }
}
