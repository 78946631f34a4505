//! All maximal cliques of a graph given as sorted lists of neighbours (Tomita et al. 2006).

/// How many steps the search from one node may take, and what was spent.
#[derive(Debug)]
pub(super) struct Budget {
    of_one: u32,
    left: u32,
    /// Steps of all searches together.
    pub(super) steps: u64,
    /// Whether a search spent its budget.
    pub(super) truncated: bool,
}

impl Budget {
    pub(super) fn new(of_one: u32) -> Budget {
        Budget { of_one, left: of_one, steps: 0, truncated: false }
    }

    fn step(&mut self) -> bool {
        self.steps += 1;
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        self.truncated |= !may;
        may
    }
}

/// Every maximal clique. Should a search spend its budget, some of those at its node are missing,
/// but every node is in at least one that was found.
pub(super) fn maximal_cliques(graph: &[Vec<u32>], budget: &mut Budget) -> Vec<Vec<u32>> {
    let mut cliques = Vec::new();
    for (node, neighbours) in graph.iter().enumerate() {
        let split = neighbours.partition_point(|&other| (other as usize) < node);
        budget.left = budget.of_one;
        let (done, open) = (neighbours[..split].to_vec(), neighbours[split..].to_vec());
        let found = cliques.len();
        expand(graph, &mut vec![node as u32], open, done, (&mut cliques, budget));
        if budget.left == 0 && cliques.len() == found {
            cliques.push(vec![node as u32]);
        }
    }
    cliques
}

/// Extends `clique` by nodes of `open`; cliques with a node of `done` were found before.
fn expand(
    graph: &[Vec<u32>],
    clique: &mut Vec<u32>,
    mut open: Vec<u32>,
    mut done: Vec<u32>,
    (cliques, budget): (&mut Vec<Vec<u32>>, &mut Budget),
) {
    if !budget.step() {
        cliques.push(clique.clone());
        return;
    }
    if open.is_empty() {
        if done.is_empty() {
            cliques.push(clique.clone());
        }
        return;
    }
    let shared = |node: &&u32| common(&open, &graph[**node as usize]).len();
    let pivot = *open.iter().chain(&done).max_by_key(shared).expect("open is not empty");
    let near_pivot = &graph[pivot as usize];
    let branches: Vec<u32> =
        open.iter().copied().filter(|node| near_pivot.binary_search(node).is_err()).collect();
    for node in branches {
        let near = &graph[node as usize];
        clique.push(node);
        expand(graph, clique, common(&open, near), common(&done, near), (cliques, budget));
        clique.pop();
        open.retain(|&other| other != node);
        done.insert(done.partition_point(|&other| other < node), node);
    }
}

/// What two sorted lists have in common.
fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut both = Vec::with_capacity(a.len().min(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                both.push(a[i]);
                i += 1;
                j += 1;
            }
        }
    }
    both
}
