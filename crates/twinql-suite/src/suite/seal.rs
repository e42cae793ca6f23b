//! The checksum at the end of a suite file.
//!
//! A suite is a gzip stream; after it stands a second one of 101 bytes, which unpacks to a last line
//! with the SHA-256 of the first. Tools that unpack gzip show both. The second stream follows from
//! the first bit by bit, so every bit of the file is covered, and what signatures call a suite does
//! not depend on it.

use flate2::Crc;
use twinql_files::{hex, sha256};

/// A gzip header without name and time, and the beginning of the only block, which is stored as it
/// is.
const BEGIN: [u8; 11] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1];
const BEFORE: &str = "{\"sha256\":\"";
const DIGITS: usize = 64;
const AFTER: &str = "\"}\n";
/// Length of the last line.
const LINE: usize = BEFORE.len() + DIGITS + AFTER.len();
/// Length of the second stream: header, block, and 8 bytes at its end.
const LENGTH: usize = BEGIN.len() + 4 + LINE + 8;

/// Why a suite has no valid checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsealed {
    /// It carries none.
    Missing,
    /// It carries another one than its bytes have.
    Wrong,
}

fn digits(bytes: &[u8]) -> String {
    hex(sha256(bytes))
}

/// The second stream for a first one.
fn stamp(plain: &[u8]) -> Vec<u8> {
    let line = format!("{BEFORE}{}{AFTER}", digits(plain));
    let mut crc = Crc::new();
    crc.update(line.as_bytes());
    let length = LINE as u16;
    let mut out = Vec::with_capacity(LENGTH);
    out.extend(BEGIN);
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(line.bytes());
    out.extend(crc.sum().to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}

/// A suite with its checksum.
pub(super) fn seal(mut plain: Vec<u8>) -> Vec<u8> {
    let stamp = stamp(&plain);
    plain.extend(stamp);
    plain
}

/// The gzip stream of a suite whose checksum is right.
pub(super) fn open(bytes: &[u8]) -> Result<&[u8], Unsealed> {
    let (plain, found) = split(bytes).ok_or(Unsealed::Missing)?;
    if found == stamp(plain) { Ok(plain) } else { Err(Unsealed::Wrong) }
}

/// A suite and its checksum, right or wrong; `None` where there is none.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (plain, found) = bytes.split_at_checked(bytes.len().checked_sub(LENGTH)?)?;
    let line = found.get(BEGIN.len() + 4..)?;
    (found.starts_with(&BEGIN) && line.starts_with(BEFORE.as_bytes())).then_some((plain, found))
}

/// The SHA-256 of a suite's bytes as hexadecimal digits, its checksum left out: the same for a
/// file before and after it got one.
pub fn checksum(bytes: &[u8]) -> String {
    digits(split(bytes).map_or(bytes, |(plain, _)| plain))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_checksum_is_a_line_for_any_gzip() {
        let sealed = seal(b"anything".to_vec());
        assert_eq!(sealed.len(), 8 + LENGTH);
        let mut line = String::new();
        flate2::read::GzDecoder::new(&sealed[8..]).read_to_string(&mut line).unwrap();
        assert_eq!(line, format!("{{\"sha256\":\"{}\"}}\n", digits(b"anything")));
        assert_eq!(open(&sealed), Ok(&b"anything"[..]));
        assert_eq!(checksum(&sealed), checksum(b"anything"));
        assert_eq!(open(b"anything"), Err(Unsealed::Missing));
    }

    #[test]
    fn every_bit_is_covered() {
        let sealed = seal(b"a suite".to_vec());
        for bit in 0..sealed.len() * 8 {
            let mut bad = sealed.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&bad).is_err(), "bit {bit}");
        }
    }
}
