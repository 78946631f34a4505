//! Sorting a few things without a branch that depends on them: the members of a set come in any
//! order, and of what cannot be guessed every second guess is wrong.

/// So many at most are a few.
pub(crate) const FEW: usize = 8;

/// Sorts them, by a network of 19 exchanges.
#[inline]
pub(crate) fn sort<T: Copy + Ord>(few: &mut [T; FEW]) {
    let [a, b, c, d, e, f, g, h] = few;
    exchange(a, c);
    exchange(b, d);
    exchange(e, g);
    exchange(f, h);
    exchange(a, e);
    exchange(b, f);
    exchange(c, g);
    exchange(d, h);
    exchange(a, b);
    exchange(c, d);
    exchange(e, f);
    exchange(g, h);
    exchange(c, e);
    exchange(d, f);
    exchange(b, e);
    exchange(d, g);
    exchange(b, c);
    exchange(d, e);
    exchange(f, g);
}

/// Puts the smaller of two first.
#[inline]
fn exchange<T: Copy + Ord>(first: &mut T, second: &mut T) {
    (*first, *second) = ((*first).min(*second), (*first).max(*second));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_there_is_gets_sorted() {
        // A network that sorts all sequences of two different things sorts everything.
        for bits in 0..1_u32 << FEW {
            let mut few: [bool; FEW] = std::array::from_fn(|place| bits >> place & 1 == 1);
            sort(&mut few);
            assert!(few.is_sorted(), "{bits:08b} {few:?}");
            assert_eq!(few.iter().filter(|&&one| one).count() as u32, bits.count_ones());
        }
    }
}
