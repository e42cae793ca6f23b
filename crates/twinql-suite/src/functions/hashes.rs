//! Hashes, as keys are made of them: MD5 and SHA-256 in hexadecimal digits.

use sha2::{Digest, Sha256};
use twinql_sql::Value;

use super::{Returned, Stop, text};

/// The bytes of a value.
fn bytes(args: &[Value]) -> Result<Vec<u8>, Stop> {
    match args.first() {
        Some(Value::Blob(bytes)) => Ok(bytes.clone()),
        Some(value) => text(value).map(String::into_bytes).ok_or(Stop::Null),
        None => Err(Stop::Null),
    }
}

fn hexadecimal(bytes: impl IntoIterator<Item = u8>) -> Value {
    Value::Text(bytes.into_iter().map(|b| format!("{b:02x}")).collect())
}

/// SHA-256.
pub(super) fn sha256(args: &[Value]) -> Returned {
    Ok(hexadecimal(Sha256::digest(bytes(args)?)))
}

/// How far each step of a round turns.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// MD5 (RFC 1321).
pub(super) fn md5(args: &[Value]) -> Returned {
    let mut message = bytes(args)?;
    let length = (message.len() as u64).wrapping_mul(8);
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend(length.to_le_bytes());
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in message.chunks_exact(64) {
        let words: Vec<u32> = block
            .chunks_exact(4)
            .map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)))
            .collect();
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64_usize {
            let (mixed, word) = match step / 16 {
                0 => ((b & c) | (!b & d), step),
                1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
                2 => (b ^ c ^ d, (3 * step + 5) % 16),
                _ => (c ^ (b | !d), (7 * step) % 16),
            };
            let constant = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let word = words.get(word).copied().unwrap_or(0);
            let turn = TURNS.get(step / 16).and_then(|t| t.get(step % 4)).copied().unwrap_or(0);
            let sum = a.wrapping_add(mixed).wrapping_add(constant).wrapping_add(word).rotate_left(turn);
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum));
        }
        for (whole, part) in state.iter_mut().zip([a, b, c, d]) {
            *whole = whole.wrapping_add(part);
        }
    }
    Ok(hexadecimal(state.into_iter().flat_map(u32::to_le_bytes)))
}
