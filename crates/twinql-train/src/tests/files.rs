//! Files that are not checkpoints, or damaged ones, are refused.

use std::path::Path;

use twinql_gmn::checkpoint::{encode, read_metadata};
use twinql_gmn::{ModelError, Scorer, checksum, weights::Layout};

use super::{quick, quick_checkpoint, quick_data};
use crate::{Silent, TrainConfig, train};

#[test]
fn foreign_and_damaged_checkpoints_are_refused() {
    let checkpoint = quick_checkpoint();
    let bytes = checkpoint.to_bytes().unwrap();
    let foreign =
        safetensors::serialize(Vec::<(String, safetensors::tensor::TensorView<'_>)>::new(), None).unwrap();
    let mut wider = checkpoint.clone();
    wider.info.model.walk_steps += 1;
    wider.weights.clear();
    let cases: [(&[u8], &str); 5] = [
        (b"", "truncated"),
        (b"SQLite format 3\0 and so on, quite a long file", "truncated"),
        (&bytes[..bytes.len() / 2], "truncated"),
        (&bytes[..40], "truncated"),
        (&foreign, "another program"),
    ];
    for (bytes, reason) in cases {
        let error = Scorer::from_bytes(bytes, None).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(error.contains("twinql train"), "{error}");
    }
    assert!(wider.to_bytes().is_err());
    // Metadata that contradicts the tensors, or that no program of ours would write.
    let mut huge = checkpoint.info.clone();
    huge.model.node_dim = 4_096;
    huge.model.words = 65_536;
    let mut deeper = checkpoint.info.clone();
    deeper.model.propagation_steps += 1;
    deeper.model.graph_dim -= 1;
    let mut rising = checkpoint.info.clone();
    rising.calibration.slope = -1.0;
    let mut newer = checkpoint.info.clone();
    newer.format += 1;
    let layout = Layout::new(&checkpoint.info.model);
    for (info, reason) in [
        (huge, "more than the file holds"),
        (deeper, "expected F32"),
        (rising, "calibration"),
        (newer, "format"),
    ] {
        let json = serde_json::to_string(&info).unwrap();
        let bytes = encode(&layout, &[("", &checkpoint.weights)], json).unwrap();
        let error = Scorer::from_bytes(&bytes, None).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let json = serde_json::to_string(&checkpoint.info).unwrap();
    let renamed = encode(&layout, &[("x.", &checkpoint.weights)], json).unwrap();
    let error = Scorer::from_bytes(&renamed, None).unwrap_err().to_string();
    assert!(error.contains("lacks the tensor node.word"), "{error}");
    let error = Scorer::from_bytes(&bytes, Some("v2")).unwrap_err();
    assert!(matches!(error, ModelError::Vocabulary { .. }), "{error}");
    let error = Scorer::from_file(Path::new("/nowhere/x"), None).unwrap_err();
    assert!(error.to_string().contains("/nowhere/x"), "{error}");
}

/// Some hundred bits of a file of weights: of its header's length, its checksum, its metadata, its
/// list of tensors, and its tensors.
fn bits_of_all_parts(bytes: &[u8]) -> Vec<usize> {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut bits: Vec<usize> = (0..8 * 110).step_by(5).chain(0..64).collect();
    for (from, to) in [(0, header), (header, bytes.len())] {
        let range = (8 * (to - from)) as u64;
        bits.extend((0..150).map(|_| 8 * from + (rng.next_u64() % range) as usize));
    }
    bits
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bad = bytes.to_vec();
    bad[bit / 8] ^= 1 << (bit % 8);
    bad
}

#[test]
fn a_checkpoint_with_a_flipped_bit_is_refused() {
    let bytes = quick_checkpoint().to_bytes().unwrap();
    for bit in bits_of_all_parts(&bytes) {
        assert!(Scorer::from_bytes(&flipped(&bytes, bit), None).is_err(), "bit {bit}");
    }
    // In the middle of a tensor nothing but the checksum can tell.
    let error = Scorer::from_bytes(&flipped(&bytes, 8 * (bytes.len() - 50)), None).unwrap_err();
    assert!(matches!(error, ModelError::Checksum { .. }), "{error}");
}

#[test]
fn a_checkpoint_without_its_checksum_is_refused() {
    let checkpoint = quick_checkpoint();
    let bytes = checkpoint.to_bytes().unwrap();
    let json = read_metadata(&bytes, "x").unwrap();
    assert_eq!(serde_json::to_string(&checkpoint.info).unwrap(), json);
    // The length of the checksum's entry is 80.
    let mut without = bytes.clone();
    without.drain(25..105);
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) - 80;
    without[..8].copy_from_slice(&length.to_le_bytes());
    let error = Scorer::from_bytes(&without, None).unwrap_err();
    assert!(matches!(error, ModelError::NoChecksum { .. }), "{error}");
    assert_eq!(checksum(&without), checksum(&bytes));
}

#[test]
fn a_state_with_a_flipped_bit_is_refused() {
    let (learn, valid) = quick_data();
    let dir = tempfile::tempdir().unwrap();
    let config = TrainConfig { run_dir: Some(dir.path().to_path_buf()), resume: true, ..quick(1) };
    train(&config, &learn, &valid, &mut Silent).unwrap();
    let path = dir.path().join("state.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    for bit in bits_of_all_parts(&bytes) {
        std::fs::write(&path, flipped(&bytes, bit)).unwrap();
        let error = train(&config, &learn, &valid, &mut Silent).unwrap_err();
        assert!(error.to_string().contains("remove it to begin the run anew"), "bit {bit}: {error}");
    }
}
