//! Checkpoints: one safetensors file, whose metadata holds all that a score depends on.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use serde::{Deserialize, Serialize};

use twinql_graph::Question;

use crate::{
    band::Band,
    calibrate::{Calibration, Quality},
    config::{GmnConfig, GraphConfig, Network},
    correction::Correction,
    error::ModelError,
    execution::ExecutionModel,
    header::{KEY, metadata, tensors},
    reading::Reading,
    seal::{self, Unsealed},
    tiers::Tiers,
    weights::{Layout, Slot},
};

/// Version of the checkpoint format.
pub const FORMAT: u32 = 1;
/// What a checkpoint says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointInfo {
    /// Version of the format.
    pub format: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// Shape of the network.
    pub model: GmnConfig,
    /// How a query becomes the graph that the network reads.
    #[serde(default)]
    pub graph: GraphConfig,
    /// The weights are those of pretraining: to start a training run with, not to score with.
    #[serde(default)]
    pub pretrained: bool,
    /// Hash of the feature vocabulary.
    pub vocabulary: String,
    /// Names of the semantics of the training labels: what the network can be asked for.
    pub semantics: Vec<String>,
    /// Seed of the training run.
    pub seed: u64,
    /// Hash of the training and validation pairs.
    pub data: String,
    /// From distance to probability.
    pub calibration: Calibration,
    /// Probability from which a pair is called equivalent.
    pub threshold: f32,
    /// Between which probabilities the network had better say nothing; none in checkpoints from
    /// before there was one.
    #[serde(default)]
    pub band: Option<Band>,
    /// Measured on the validation pairs.
    pub validation: Quality,
    /// How distances are read for each question under each semantics; none in checkpoints from before there were
    /// questions, whose one calibration is for all semantics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    /// Scores where proofs and the suite are asked first; none where validation pairs came
    /// without their verdicts.
    #[serde(default)]
    pub tiers: Option<Tiers>,
    /// How likely execution on a real database calls a prediction right, where it was fitted to pairs of the users' own;
    /// else the shipped weights are used ([`ExecutionModel::shipped`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ex: Option<ExecutionModel>,
    /// How probabilities are corrected by what a few databases show, for each question under each semantics; none before
    /// [`Correction::fit`] has seen pairs of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// The epoch whose weights these are, from 1; 0 before training.
    pub epoch: usize,
    /// The run's signature.
    pub signature: String,
}

impl CheckpointInfo {
    /// How distances are read for a question under a semantics: by its own reading, or by that of all semantics. None
    /// where the network was not trained for the question, or knows of none.
    pub fn reading(&self, question: Question, semantics: &str) -> Option<&Reading> {
        let own = || self.readings.iter().filter(|reading| reading.question == question);
        let of_semantics = own().find(|reading| reading.semantics.as_deref() == Some(semantics));
        of_semantics.or_else(|| own().find(|reading| reading.semantics.is_none()))
    }

    /// How probabilities for a question under a semantics are corrected by what databases show: by its own correction, or
    /// by that of another semantics.
    pub fn correction(&self, question: Question, semantics: &str) -> Option<&Correction> {
        let own = || self.corrections.iter().filter(|correction| correction.question == question);
        own().find(|correction| correction.semantics == semantics).or_else(|| own().next())
    }

    /// Of a network that nothing was measured of, not even whether it was trained.
    pub fn untrained(network: &Network) -> CheckpointInfo {
        CheckpointInfo {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            model: network.model.clone(),
            graph: network.graph,
            pretrained: true,
            vocabulary: network.vocabulary.clone(),
            semantics: network.semantics.clone(),
            seed: 0,
            data: String::new(),
            calibration: Calibration::UNMEASURED,
            threshold: 0.5,
            band: None,
            validation: Quality::UNMEASURED,
            readings: Vec::new(),
            tiers: None,
            ex: None,
            corrections: Vec::new(),
            epoch: 0,
            signature: String::new(),
        }
    }

    /// Whether it can be asked this.
    pub fn answers(&self, question: Question) -> bool {
        match self.readings.is_empty() {
            // From before there were questions.
            true => question.is_usual(),
            false => self.readings.iter().any(|reading| reading.question == question),
        }
    }
}

/// Weights and what is known of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Metadata.
    pub info: CheckpointInfo,
    /// All parameters, as [`Layout`] lays them out.
    pub weights: Vec<f32>,
}

impl Checkpoint {
    /// The file's bytes; the same checkpoint always gives the same bytes.
    ///
    /// # Errors
    /// [`ModelError::Checkpoint`] if it cannot be encoded.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let json = serde_json::to_string(&self.info)
            .map_err(|e| ModelError::damaged("the new checkpoint", e.to_string()))?;
        let layout = Layout::new(&self.info.model);
        encode(&layout, &[("", &self.weights)], json)
    }

    /// Reads a checkpoint's file, and gives its bytes too.
    ///
    /// # Errors
    /// [`ModelError::Io`], and those of [`Checkpoint::from_bytes`].
    pub fn read(path: &Path, vocabulary: Option<&str>) -> Result<(Checkpoint, Vec<u8>), ModelError> {
        let bytes = std::fs::read(path).map_err(|e| ModelError::io("read", path, e))?;
        let checkpoint = Checkpoint::from_bytes(&bytes, &path.display().to_string(), vocabulary)?;
        Ok((checkpoint, bytes))
    }

    /// Reads a checkpoint; `origin` names it in errors. `vocabulary`, where given, must be the
    /// one it was trained with.
    ///
    /// # Errors
    /// [`ModelError::Checkpoint`] for a truncated or foreign file or missing tensors,
    /// [`ModelError::Checksum`] and [`ModelError::NoChecksum`] for a damaged one,
    /// [`ModelError::Vocabulary`] for one of another feature vocabulary.
    pub fn from_bytes(
        bytes: &[u8],
        origin: &str,
        vocabulary: Option<&str>,
    ) -> Result<Checkpoint, ModelError> {
        let json = read_metadata(bytes, origin)?;
        let info: CheckpointInfo = serde_json::from_str(&json)
            .map_err(|e| ModelError::damaged(origin, format!("its metadata cannot be read ({e})")))?;
        if info.format != FORMAT {
            return Err(ModelError::damaged(
                origin,
                format!("it has format {}, this program reads {FORMAT}", info.format),
            ));
        }
        info.model.validate().map_err(|e| ModelError::damaged(origin, e.to_string()))?;
        let usable = info.calibration.is_usable()
            && (0.0..=1.0).contains(&info.threshold)
            && info.band.as_ref().is_none_or(Band::is_usable)
            && info.readings.iter().all(Reading::is_usable)
            && info.ex.as_ref().is_none_or(ExecutionModel::is_usable)
            && info.corrections.iter().all(Correction::is_usable);
        if !usable {
            return Err(ModelError::damaged(origin, "its calibration is not usable"));
        }
        let layout = Layout::new(&info.model);
        let weights = decode(bytes, origin, &layout, "")?;
        match vocabulary {
            Some(expected) if info.vocabulary != expected => Err(ModelError::Vocabulary {
                origin: origin.to_owned(),
                found: info.vocabulary,
                expected: expected.to_owned(),
            }),
            _ => Ok(Checkpoint { weights, info }),
        }
    }

    /// Writes the file whole or not at all.
    ///
    /// # Errors
    /// [`ModelError::Io`] names the file.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        write_whole(path, &self.to_bytes()?)
    }
}

/// Several copies of the weights, each under a prefix, as one safetensors file.
///
/// # Errors
/// [`ModelError::Checkpoint`] where a copy is not as long as the layout.
pub fn encode(layout: &Layout, copies: &[(&str, &[f32])], json: String) -> Result<Vec<u8>, ModelError> {
    let fail = |e: String| ModelError::damaged("the new checkpoint", e);
    let mut bytes: Vec<(String, [usize; 2], Vec<u8>)> = Vec::new();
    for (prefix, flat) in copies {
        // The metadata is public, and may say another shape than the weights have.
        if flat.len() != layout.total {
            let (has, asked) = (flat.len(), layout.total);
            return Err(fail(format!("it has {has} weights, its configuration asks for {asked}")));
        }
        for (name, slot) in layout.names.iter().zip(&layout.slots) {
            let part = slot.of(flat).iter().flat_map(|v| v.to_le_bytes()).collect();
            bytes.push((format!("{prefix}{name}"), [slot.rows, slot.cols], part));
        }
    }
    let mut views = Vec::with_capacity(bytes.len());
    for (name, shape, data) in &bytes {
        let view = TensorView::new(Dtype::F32, shape.to_vec(), data).map_err(|e| fail(e.to_string()))?;
        views.push((name.clone(), view));
    }
    // One key: maps of several would be written in random order.
    let metadata = HashMap::from([(KEY.to_owned(), json)]);
    let plain = safetensors::serialize(views, Some(metadata)).map_err(|e| fail(e.to_string()))?;
    seal::seal(&plain).ok_or_else(|| fail("its header has no place for a checksum".into()))
}

/// The JSON text that [`encode`] stored, in a file whose checksum is right.
///
/// # Errors
/// [`ModelError::Checkpoint`], [`ModelError::Checksum`] and [`ModelError::NoChecksum`] name the file.
pub fn read_metadata(bytes: &[u8], origin: &str) -> Result<String, ModelError> {
    let json = metadata(bytes, origin)?;
    let origin = || origin.to_owned();
    seal::check(bytes).map_err(|why| match why {
        Unsealed::Missing => ModelError::NoChecksum { origin: origin() },
        Unsealed::Wrong => ModelError::Checksum { origin: origin() },
    })?;
    Ok(json)
}

/// One copy of the weights.
///
/// # Errors
/// [`ModelError::Checkpoint`] where a tensor is missing, has another shape, or is not finite.
pub fn decode(bytes: &[u8], origin: &str, layout: &Layout, prefix: &str) -> Result<Vec<f32>, ModelError> {
    let tensors = tensors(bytes, origin)?;
    // Before memory is taken: sizes come from the file's own metadata.
    if layout.total > bytes.len() / 4 {
        return Err(ModelError::damaged(
            origin,
            format!("its configuration asks for {} parameters, more than the file holds", layout.total),
        ));
    }
    let mut flat = vec![0.0f32; layout.total];
    for (name, slot) in layout.names.iter().zip(&layout.slots) {
        let name = format!("{prefix}{name}");
        let view = tensors
            .tensor(&name)
            .map_err(|_| ModelError::damaged(origin, format!("it lacks the tensor {name}")))?;
        if view.dtype() != Dtype::F32 || view.shape() != [slot.rows, slot.cols] {
            let (kind, shape, Slot { rows, cols, .. }) = (view.dtype(), view.shape(), slot);
            let what = format!("tensor {name} is {kind:?} {shape:?}, expected F32 [{rows}, {cols}]");
            return Err(ModelError::damaged(origin, what));
        }
        let values = view.data().chunks_exact(4).map(|c| match c {
            [a, b, c, d] => f32::from_le_bytes([*a, *b, *c, *d]),
            _ => 0.0,
        });
        for (to, from) in slot.of_mut(&mut flat).iter_mut().zip(values) {
            if !from.is_finite() {
                return Err(ModelError::damaged(origin, format!("tensor {name} is not finite")));
            }
            *to = from;
        }
    }
    Ok(flat)
}

/// Writes a file so that a crash leaves the old one or the new one.
///
/// # Errors
/// [`ModelError::Access`] names the file.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
    Ok(twinql_files::write_whole(path, |out| out.write_all(bytes))?)
}
