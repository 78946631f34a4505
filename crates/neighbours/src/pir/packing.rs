//! Bytes as words of 14 bits, the plaintext of the scheme.

/// Bits of a plaintext word.
const BITS: u32 = 14;

/// Packs bytes into words, lowest bits first; the last word is padded with zeros.
pub(super) fn to_words(bytes: &[u8]) -> Vec<u16> {
    let mut words = Vec::with_capacity((bytes.len() * 8).div_ceil(BITS as usize));
    let (mut buffer, mut filled) = (0_u32, 0);
    for &byte in bytes {
        buffer |= u32::from(byte) << filled;
        filled += 8;
        if filled >= BITS {
            words.push((buffer & ((1 << BITS) - 1)) as u16);
            buffer >>= BITS;
            filled -= BITS;
        }
    }
    if filled > 0 {
        words.push(buffer as u16);
    }
    words
}

/// Unpacks the first `length` bytes; missing words count as zero.
pub(super) fn to_bytes(words: &[u64], length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    let (mut buffer, mut filled) = (0_u64, 0);
    let mut words = words.iter();
    while bytes.len() < length {
        if filled < 8 {
            buffer |= words.next().copied().unwrap_or(0) << filled;
            filled += BITS;
        }
        bytes.push(buffer as u8);
        buffer >>= 8;
        filled -= 8;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn bytes_survive_packing() {
        for seed in 0..200 {
            let mut random = Town::generator(seed);
            let length = random.random_range(0..70);
            let bytes: Vec<u8> = (0..length).map(|_| random.random()).collect();
            let words = to_words(&bytes);
            assert!(words.iter().all(|&word| word < 1 << 14), "seed {seed}");
            let words: Vec<u64> = words.into_iter().map(u64::from).collect();
            assert_eq!(to_bytes(&words, length), bytes, "seed {seed}");
        }
    }
}
