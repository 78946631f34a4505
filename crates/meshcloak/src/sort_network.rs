//! Branchless sort of up to eight elements.
//!
//! Set members arrive in arbitrary order, so the comparisons of an insertion sort mispredict about
//! every second time. A sorting network compiles to minimum and maximum instructions.

/// Number of elements of the network. Shorter inputs are padded with a maximum element.
pub(crate) const NETWORK_LEN: usize = 8;

/// Sorts eight elements in ascending order with 19 compare-exchange operations.
#[inline]
pub(crate) fn sort_eight<T: Copy + Ord>(elements: &mut [T; NETWORK_LEN]) {
    let [a, b, c, d, e, f, g, h] = elements;
    compare_exchange(a, c);
    compare_exchange(b, d);
    compare_exchange(e, g);
    compare_exchange(f, h);
    compare_exchange(a, e);
    compare_exchange(b, f);
    compare_exchange(c, g);
    compare_exchange(d, h);
    compare_exchange(a, b);
    compare_exchange(c, d);
    compare_exchange(e, f);
    compare_exchange(g, h);
    compare_exchange(c, e);
    compare_exchange(d, f);
    compare_exchange(b, e);
    compare_exchange(d, g);
    compare_exchange(b, c);
    compare_exchange(d, e);
    compare_exchange(f, g);
}

/// Moves the smaller element to `first`.
#[inline]
fn compare_exchange<T: Copy + Ord>(first: &mut T, second: &mut T) {
    (*first, *second) = ((*first).min(*second), (*first).max(*second));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_sorts_every_input() {
        // Zero-one principle: a network that sorts all inputs of zeros and ones sorts every input.
        for bits in 0..1_u32 << NETWORK_LEN {
            let mut elements: [bool; NETWORK_LEN] =
                std::array::from_fn(|index| bits >> index & 1 == 1);
            sort_eight(&mut elements);
            assert!(elements.is_sorted(), "{bits:08b} {elements:?}");
            assert_eq!(elements.iter().filter(|&&one| one).count() as u32, bits.count_ones());
        }
    }
}
