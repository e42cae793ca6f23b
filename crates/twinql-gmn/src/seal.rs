//! The checksum that files of weights carry, and that is checked whenever one is read.
//!
//! It stands in the header's metadata as `sha256_sum`, at a fixed place and of a fixed length, and is
//! the SHA-256 of the file without it. So a file with a checksum and the same file without one
//! are each other's only counterparts, every bit is covered (those of the checksum too, since
//! it must stand there letter by letter), and what signatures call a checkpoint does not depend on it.

use sha2::{Digest, Sha256};

use twinql_files::hex;

/// How the header of each file of ours begins. The number before it is the header's length.
const BEGIN: &[u8] = br#"{"__metadata__":{"#;
/// What stands before and after the checksum's digits: 80 bytes in all, since headers are as
/// long as a multiple of 8.
const BEFORE: &[u8] = br#""sha256_sum":""#;
const DIGITS: usize = 64;
const AFTER: &[u8] = br#"","#;
const LENGTH: usize = BEFORE.len() + DIGITS + AFTER.len();
/// Where it stands.
const PLACE: usize = 8 + BEGIN.len();

/// Why a file of weights has no valid checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsealed {
    /// It carries none.
    Missing,
    /// It carries another one than its bytes have.
    Wrong,
}

/// The file with its checksum; `None` for one that carries one already, or is not ours.
pub(crate) fn seal(plain: &[u8]) -> Option<Vec<u8>> {
    let rest = plain.get(PLACE..)?;
    if plain.get(8..PLACE)? != BEGIN || rest.starts_with(BEFORE) || !rest.starts_with(b"\"") {
        return None;
    }
    let length = u64::from_le_bytes(plain.get(..8)?.try_into().ok()?);
    let mut out = Vec::with_capacity(plain.len() + LENGTH);
    out.extend(length.checked_add(LENGTH as u64)?.to_le_bytes());
    out.extend(BEGIN);
    out.extend(BEFORE);
    out.extend(hex(Sha256::digest(plain)).bytes());
    out.extend(AFTER);
    out.extend(rest);
    Some(out)
}

/// The file without its checksum, whether that is right or wrong; `None` where there is none.
fn unsealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let stamp = bytes.get(PLACE..PLACE + LENGTH)?;
    if bytes.get(8..PLACE)? != BEGIN || !stamp.starts_with(BEFORE) || !stamp.ends_with(AFTER) {
        return None;
    }
    let length = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let mut out = Vec::with_capacity(bytes.len() - LENGTH);
    out.extend(length.checked_sub(LENGTH as u64)?.to_le_bytes());
    out.extend(BEGIN);
    out.extend(bytes.get(PLACE + LENGTH..)?);
    Some(out)
}

/// Checks a file's checksum.
pub(crate) fn check(bytes: &[u8]) -> Result<(), Unsealed> {
    let plain = unsealed(bytes).ok_or(Unsealed::Missing)?;
    match seal(&plain) {
        Some(sealed) if sealed == bytes => Ok(()),
        _ => Err(Unsealed::Wrong),
    }
}

/// The SHA-256 of a file of weights as hexadecimal digits, its checksum left out: the same for a
/// file before and after it got one.
pub fn checksum(bytes: &[u8]) -> String {
    hex(digest(bytes))
}

/// [`checksum`] as bytes.
pub fn digest(bytes: &[u8]) -> Vec<u8> {
    let plain = unsealed(bytes);
    Sha256::digest(plain.as_deref().unwrap_or(bytes)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Vec<u8> {
        let header = br#"{"__metadata__":{"twinql":"{}"}}"#;
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header);
        file.extend([7; 12]);
        file
    }

    #[test]
    fn a_checksum_comes_and_goes() {
        let plain = plain();
        let sealed = seal(&plain).unwrap();
        assert_eq!(sealed.len(), plain.len() + 80);
        assert_eq!(LENGTH % 8, 0);
        assert_eq!(unsealed(&sealed).unwrap(), plain);
        assert_eq!(check(&sealed), Ok(()));
        assert_eq!(checksum(&sealed), checksum(&plain));
        assert_eq!(check(&plain), Err(Unsealed::Missing));
        assert_eq!((seal(&sealed), unsealed(&plain)), (None, None));
        for short in [&b""[..], b"abc", &sealed[..90], &plain[..20]] {
            assert!(check(short).is_err() && seal(short).is_none());
        }
    }

    #[test]
    fn every_bit_is_covered() {
        let sealed = seal(&plain()).unwrap();
        for bit in 0..sealed.len() * 8 {
            let mut bad = sealed.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&bad).is_err(), "bit {bit}");
        }
    }
}
