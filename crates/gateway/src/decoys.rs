//! Decoys: categories that a region is asked although no user asked them (`questions.*`).
//!
//! Categories are partitioned into groups ([`Companions`]) by how often users of this gateway asked
//! them, and a category is asked with its whole group: same operation, same rung. Replacing a
//! question by one about another category of its group changes no byte that is sent and no time of
//! a release. The groups stay the same from batch to batch and in all regions, so that comparing
//! the requests of several batches does not tell decoys from questions.
//!
//! Groups are drawn from the objects of the map at the start, and every `questions.period` from the
//! number of regions in which each category was asked, known to a power of two.

#[cfg(test)]
mod tests;

use crate::config::QuestionsConfig;
use crate::question::{Along, Category, Find, QuestionKind};
use meshcloak::companions::Companions;
use meshcloak::map::StreetMap;
use meshcloak::units::Time;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of categories in groups. Further ones are asked without decoys; a service has
/// fewer.
const MAX_CATEGORIES: usize = 4096;

/// Kinds of questions about a region with their largest rungs.
pub(crate) type Rungs = BTreeMap<QuestionKind, u8>;

/// Kinds that are asked together, by kind: the answer to one is released when all have ended.
pub(crate) type Joined = BTreeMap<QuestionKind, Vec<QuestionKind>>;

/// Groups of categories of a city, and the past from which they are drawn.
#[derive(Debug)]
pub(crate) struct Decoys {
    config: QuestionsConfig,
    companions: Companions<Category>,
    /// Number of regions and batches in which each category was asked.
    asked: BTreeMap<Category, u64>,
    drawn_at: Option<Time>,
}

impl Decoys {
    /// Creates the decoys of a city; `None` if the settings have none.
    pub(crate) fn new(config: QuestionsConfig, map: &StreetMap) -> Option<Decoys> {
        if !config.has_decoys() {
            return None;
        }
        let mut objects = BTreeMap::from([(Category::Any, map.pois().len() as u64)]);
        for poi in map.pois() {
            if let Ok(category) = Category::named(map.category(poi)) {
                let count = objects.entry(category).or_default();
                *count = u64::saturating_add(*count, 1);
            }
        }
        objects = objects.into_iter().take(MAX_CATEGORIES).collect();
        let asked = objects.keys().map(|category| (category.clone(), 0)).collect();
        let companions = Companions::new(objects, config.decoys.saturating_add(1));
        Some(Decoys { config, companions, asked, drawn_at: None })
    }

    /// Records the categories of a batch, one for each region in which it is asked, and draws the
    /// groups again when their time is over or many categories are new.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub(crate) fn record<'a>(&mut self, at: Time, asked: impl Iterator<Item = &'a Category>) {
        let drawn_at = *self.drawn_at.get_or_insert(at);
        if at - drawn_at >= self.config.period {
            self.draw(at);
        }
        let mut is_new = BTreeSet::new();
        for category in asked {
            match self.asked.get_mut(category) {
                Some(count) => *count = count.saturating_add(1),
                None => {
                    is_new.insert(category.clone());
                }
            }
        }
        for category in is_new {
            if self.asked.len() < MAX_CATEGORIES {
                self.asked.insert(category.clone(), 1);
                self.companions.insert(category);
            }
        }
        if self.companions.is_overfull() {
            self.draw(at);
        }
    }

    /// Draws the groups from the past, and lets half of the past be forgotten.
    fn draw(&mut self, at: Time) {
        let counts = self.asked.iter().map(|(category, count)| (category.clone(), *count));
        self.companions = Companions::new(counts, self.config.decoys.saturating_add(1));
        self.asked.values_mut().for_each(|count| *count /= 2);
        self.drawn_at = Some(at);
    }

    /// Adds decoys to the kinds of a region, and returns which kinds belong together.
    pub(crate) fn add(&self, rungs: &mut Rungs) -> Joined {
        let mut joined = Joined::new();
        let shapes: BTreeSet<(Find, Along)> =
            rungs.keys().map(|kind| (kind.find, kind.along)).collect();
        for (find, along) in shapes {
            let is_of_shape = |kind: &&QuestionKind| (kind.find, kind.along) == (find, along);
            let categories: BTreeSet<Category> =
                rungs.keys().filter(is_of_shape).map(|kind| kind.category.clone()).collect();
            for group in self.groups(&categories) {
                let kind = |category: Category| QuestionKind { find, along, category };
                let kinds: Vec<QuestionKind> = group.into_iter().map(kind).collect();
                let largest = kinds.iter().filter_map(|kind| rungs.get(kind)).max();
                let largest = largest.copied().unwrap_or_default();
                for kind in &kinds {
                    rungs.insert(kind.clone(), largest);
                    joined.insert(kind.clone(), kinds.clone());
                }
            }
        }
        joined
    }

    /// Returns the distinct groups of categories, or wider ones if they have too few categories
    /// together.
    fn groups(&self, categories: &BTreeSet<Category>) -> BTreeSet<Vec<Category>> {
        let alone = |category: &Category| vec![category.clone()];
        let group = |category: &Category| {
            self.companions.group(category).map_or_else(|| alone(category), <[Category]>::to_vec)
        };
        let groups: BTreeSet<Vec<Category>> = categories.iter().map(group).collect();
        let count: usize = groups.iter().map(Vec::len).sum();
        if count >= self.config.diversity {
            return groups;
        }
        let wider = |category: &Category| {
            let wider = self.companions.wider_group(category, self.config.diversity);
            wider.map_or_else(|| alone(category), |group| group.into_iter().cloned().collect())
        };
        categories.iter().map(wider).collect()
    }
}
