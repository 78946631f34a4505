//! Gradient boosting of trees of depth two, on features in quantile bins.

/// Bins of a feature.
const BINS: usize = 16;
const ROUNDS: usize = 80;
const RATE: f64 = 0.3;
/// Prior weight of a leaf; keeps leaves of few pairs small.
const PENALTY: f64 = 5.0;

/// A trained classifier.
pub struct Learner {
    /// Upper bounds of the bins of each feature.
    bounds: Vec<Vec<f64>>,
    trees: Vec<Tree>,
}

/// A feature and a bin: rows up to the bin go left.
#[derive(Clone, Copy)]
struct Split {
    feature: usize,
    bin: u8,
}

/// A split, and for each side a split with its two values.
struct Tree {
    root: Split,
    sides: [(Split, [f64; 2]); 2],
}

impl Split {
    fn side(self, row: &[u8]) -> usize {
        usize::from(row[self.feature] > self.bin)
    }
}

impl Tree {
    fn value(&self, row: &[u8]) -> f64 {
        let (split, values) = &self.sides[self.root.side(row)];
        values[split.side(row)]
    }
}

/// Gradient and curvature of the logistic loss of each row.
struct Slopes {
    gradients: Vec<f64>,
    curvatures: Vec<f64>,
}

impl Slopes {
    fn of(labels: &[bool], scores: &[f64]) -> Slopes {
        let probability = |score: &f64| 1.0 / (1.0 + (-score).exp());
        let gradients = labels.iter().zip(scores);
        Slopes {
            gradients: gradients.map(|(&l, s)| f64::from(u8::from(l)) - probability(s)).collect(),
            curvatures: scores.iter().map(|s| probability(s) * (1.0 - probability(s))).collect(),
        }
    }

    /// Returns the best split of some rows, with the values of its sides and their gain.
    fn split(&self, rows: &[usize], table: &[Vec<u8>]) -> (Split, [f64; 2], f64) {
        let mut best = (Split { feature: 0, bin: u8::MAX }, [0.0; 2], f64::MIN);
        for feature in 0..table.first().map_or(0, Vec::len) {
            let mut sums = [[0.0; 2]; BINS];
            for &row in rows {
                let bin = &mut sums[usize::from(table[row][feature])];
                bin[0] += self.gradients[row];
                bin[1] += self.curvatures[row];
            }
            let total = sums.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            let mut left = [0.0; 2];
            for (bin, sum) in sums.iter().enumerate() {
                left = [left[0] + sum[0], left[1] + sum[1]];
                let right = [total[0] - left[0], total[1] - left[1]];
                let gain = |side: [f64; 2]| side[0] * side[0] / (side[1] + PENALTY);
                let value = |side: [f64; 2]| RATE * side[0] / (side[1] + PENALTY);
                if gain(left) + gain(right) > best.2 {
                    let split = Split { feature, bin: bin as u8 };
                    best = (split, [value(left), value(right)], gain(left) + gain(right));
                }
            }
        }
        best
    }

    fn tree(&self, table: &[Vec<u8>]) -> Tree {
        // A greedy root misses pairs of features that tell something only together: every feature
        // is tried as the root, split at its median.
        let rows: Vec<usize> = (0..table.len()).collect();
        let greedy = self.split(&rows, table).0;
        let medians = (0..table.first().map_or(0, Vec::len))
            .map(|feature| Split { feature, bin: (BINS / 2 - 1) as u8 });
        let built = [greedy].into_iter().chain(medians).map(|root| {
            let (right, left) = rows.iter().partition(|&&row| root.side(&table[row]) == 1);
            let (right, left): (Vec<usize>, Vec<usize>) = (right, left);
            let sides = [self.split(&left, table), self.split(&right, table)];
            let gain = sides[0].2 + sides[1].2;
            (gain, Tree { root, sides: sides.map(|(split, values, _)| (split, values)) })
        });
        built.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a greedy root").1
    }
}

impl Learner {
    /// Learns from rows of features.
    pub fn train(features: &[Vec<f64>], labels: &[bool]) -> Learner {
        let bounds = (0..features[0].len())
            .map(|feature| {
                let mut values: Vec<f64> = features.iter().map(|row| row[feature]).collect();
                values.sort_by(f64::total_cmp);
                (1..BINS).map(|bin| values[bin * values.len() / BINS]).collect()
            })
            .collect();
        let mut learner = Learner { bounds, trees: Vec::new() };
        let table = learner.binned(features);
        let mut scores = vec![0.0; labels.len()];
        for _ in 0..ROUNDS {
            let tree = Slopes::of(labels, &scores).tree(&table);
            scores.iter_mut().zip(&table).for_each(|(score, row)| *score += tree.value(row));
            learner.trees.push(tree);
        }
        learner
    }

    /// Returns the score of each row: the larger, the more probably of one user.
    pub fn scores(&self, features: &[Vec<f64>]) -> Vec<f64> {
        let score = |row: &Vec<u8>| self.trees.iter().map(|tree| tree.value(row)).sum();
        self.binned(features).iter().map(score).collect()
    }

    fn binned(&self, features: &[Vec<f64>]) -> Vec<Vec<u8>> {
        let bin = |(value, bounds): (&f64, &Vec<f64>)| {
            bounds.partition_point(|bound| bound < value) as u8
        };
        features.iter().map(|row| row.iter().zip(&self.bounds).map(bin).collect()).collect()
    }
}
