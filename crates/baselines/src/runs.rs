//! Lists in one array (compressed sparse rows).

/// Numbered lists, concatenated.
#[derive(Clone, Debug)]
pub(crate) struct Runs<T> {
    /// Start of each list in `items`; one more entry than lists.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Runs<T> {
    fn default() -> Runs<T> {
        Runs { starts: vec![0], items: Vec::new() }
    }
}

impl<T: Copy> Runs<T> {
    /// Replaces all lists by `count` lists of `items`, each given with the number of its list. Items
    /// of a list keep their order.
    pub(crate) fn fill(&mut self, count: usize, items: impl Iterator<Item = (usize, T)> + Clone) {
        let Runs { starts, items: sorted } = self;
        starts.clear();
        starts.resize(count + 2, 0);
        sorted.clear();
        for (list, item) in items.clone() {
            starts[list + 2] += 1;
            // Reserves the slot; the value is overwritten below.
            sorted.push(item);
        }
        for list in 2..starts.len() {
            starts[list] += starts[list - 1];
        }
        // `starts[list + 1]` advances from the start of the list to its end.
        for (list, item) in items {
            sorted[starts[list + 1] as usize] = item;
            starts[list + 1] += 1;
        }
        starts.pop();
    }

    /// Appends an item to the list that [`Runs::end_run`] ends.
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Ends the last list.
    pub(crate) fn end_run(&mut self) {
        self.starts.push(self.items.len() as u32);
    }

    /// Items of a list.
    pub(crate) fn get(&self, list: u32) -> &[T] {
        let start = self.starts[list as usize] as usize;
        &self.items[start..self.starts[list as usize + 1] as usize]
    }

    /// Items of all lists.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// Number of lists.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;

    #[test]
    fn items_are_grouped_by_list_in_their_order() {
        let mut runs = Runs::default();
        for items in [vec![(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd'), (0, 'e')], vec![(1, 'x')]] {
            runs.fill(5, items.iter().copied());
            assert_eq!((runs.len(), runs.items().len()), (5, items.len()));
            for list in 0..5 {
                let of_list = items.iter().filter(|item| item.0 == list).map(|item| item.1);
                let expected: Vec<char> = of_list.collect();
                assert_eq!(runs.get(list as u32), expected);
            }
        }
    }
}
