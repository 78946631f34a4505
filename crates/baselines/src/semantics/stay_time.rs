//! How long people stay at places, by category.
//!
//! The authors learn stay times from recorded stays. Here each category has a typical one, in classes
//! that double from 5 minutes; the difference of two categories is 0.2, since their names differ,
//! plus 0.8 times the difference of the classes.

/// Number of classes: 5, 10, 20, 40, 80, 160, 320 and 640 minutes.
pub(super) const CLASSES: u8 = 8;

/// Class of categories without an entry: 40 minutes.
const USUAL: u8 = 3;

/// Words of categories, and their class; the first that occurs counts.
const TYPICAL: &[(&str, u8)] = &[
    ("atm", 0),
    ("post_box", 0),
    ("vending", 0),
    ("telephone", 0),
    ("recycling", 0),
    ("toilets", 0),
    ("artwork", 0),
    ("information", 0),
    ("waste_basket", 0),
    ("drinking_water", 0),
    ("bench", 1),
    ("fountain", 1),
    ("shelter", 1),
    ("bus_station", 1),
    ("car_wash", 1),
    ("charging_station", 4),
    ("fuel", 1),
    ("bakery", 1),
    ("kiosk", 1),
    ("taxi", 1),
    ("viewpoint", 1),
    ("pharmacy", 2),
    ("bank", 2),
    ("post_office", 2),
    ("convenience", 2),
    ("butcher", 2),
    ("florist", 2),
    ("parking", 2),
    ("fast_food", 3),
    ("supermarket", 3),
    ("cafe", 3),
    ("clothes", 3),
    ("playground", 3),
    ("doctors", 4),
    ("dentist", 4),
    ("clinic", 4),
    ("restaurant", 4),
    ("hairdresser", 4),
    ("library", 4),
    ("place_of_worship", 4),
    ("police", 4),
    ("townhall", 4),
    ("veterinary", 4),
    ("museum", 5),
    ("gallery", 5),
    ("cinema", 5),
    ("theatre", 5),
    ("nightclub", 6),
    ("bar", 5),
    ("pub", 5),
    ("park", 4),
    ("pitch", 5),
    ("sport", 5),
    ("sports", 5),
    ("fitness", 5),
    ("swimming", 5),
    ("attraction", 5),
    ("kindergarten", 6),
    ("school", 6),
    ("college", 6),
    ("university", 6),
    ("hospital", 6),
    ("office", 6),
    ("company", 6),
    ("hotel", 7),
    ("hostel", 7),
    ("guest_house", 7),
    ("apartment", 7),
    ("camp_site", 7),
    ("nursing_home", 7),
];

/// Class of a category.
pub(super) fn class(category: &str) -> u8 {
    let category = category.to_lowercase();
    let found = TYPICAL.iter().find(|(word, _)| has_words(&category, word));
    found.map_or(USUAL, |(_, class)| *class)
}

/// Whether a text has these words as a whole: `parking_space` has `parking`, not `park`.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + words.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    })
}

/// Number of classes by which two categories must differ for a difference of θ; 0 if different names
/// suffice, `None` if no two categories differ that much.
pub(super) fn class_distance(theta: f64) -> Option<u8> {
    let classes = (theta - 0.2).max(0.0) / 0.8 * f64::from(CLASSES - 1);
    // Against rounding, as in θ = 0.2 + 0.8 / 7.
    let whole = (classes - 1e-9).ceil().max(0.0) as u8;
    (whole < CLASSES).then_some(whole)
}

/// Size of the largest set of categories that differ pairwise by θ; `classes` holds the class of each
/// category, ascending.
pub(super) fn most_different(classes: &[u8], theta: f64) -> u32 {
    let one = u32::from(!classes.is_empty());
    class_distance(theta).map_or(one, |distance| diversity(classes, distance))
}

/// Size of the largest set of categories that differ pairwise by that many classes; `classes` holds
/// the class of each category, ascending.
///
/// Greedy from the lowest class: the lowest one is in some largest set.
fn diversity(classes: &[u8], distance: u8) -> u32 {
    let mut last: Option<u8> = None;
    let mut count = 0;
    for &class in classes {
        if last.is_none_or(|last| class >= last + distance) {
            last = Some(class);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_have_their_typical_class() {
        let classes = ["Fast_Food", "hotel", "atm", "unheard of", "university"].map(class);
        assert_eq!(classes, [3, 7, 0, USUAL, 6]);
        let of_several = ["car;bar", "dog_park", "parking_space", "sports_centre"].map(class);
        assert_eq!(of_several, [5, 4, 2, 5]);
        let parts_of_words = ["public_building", "water_treatment", "transport", "barber"];
        assert_eq!(parts_of_words.map(class), [USUAL; 4]);
        assert!(TYPICAL.iter().all(|(_, class)| *class < CLASSES));
    }

    #[test]
    fn the_distance_of_classes_grows_with_theta() {
        let distances = [0.0, 0.2, 0.3, 0.4, 0.2 + 1.6 / 7.0, 1.0].map(class_distance);
        assert_eq!(distances, [0, 0, 1, 2, 2, 7].map(Some));
    }

    #[test]
    fn the_diversity_is_that_of_the_largest_set() {
        for pattern in 0..3_u32.pow(6) {
            // Up to two categories of each of six classes.
            let counts = (0..6).map(|class| (class, pattern / 3_u32.pow(class) % 3));
            let classes: Vec<u8> =
                counts.flat_map(|(class, n)| vec![class as u8; n as usize]).collect();
            for distance in 0..4 {
                let differs = |a: usize, b: usize| classes[a].abs_diff(classes[b]) >= distance;
                let is_diverse = |subset: u32| {
                    let inside = |i: &usize| subset >> i & 1 == 1;
                    let all: Vec<usize> = (0..classes.len()).filter(inside).collect();
                    all.iter().all(|&a| all.iter().all(|&b| a == b || differs(a, b)))
                };
                let subsets = 0..1_u32 << classes.len();
                let largest = subsets.filter(|&s| is_diverse(s)).map(u32::count_ones).max();
                assert_eq!(Some(diversity(&classes, distance)), largest, "{classes:?} {distance}");
            }
        }
    }
}
