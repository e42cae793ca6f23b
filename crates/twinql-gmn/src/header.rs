//! What a file of weights says before its weights.

use safetensors::tensor::SafeTensors;

use crate::error::ModelError;

/// The metadata key under which [`CheckpointInfo`](crate::CheckpointInfo) lies as JSON.
pub(crate) const KEY: &str = "twinql";

/// A file's tensors. Its header is valid, and it has exactly the length that this says.
pub(crate) fn tensors<'f>(bytes: &'f [u8], origin: &str) -> Result<SafeTensors<'f>, ModelError> {
    SafeTensors::deserialize(bytes)
        .map_err(|e| ModelError::damaged(origin, format!("it is truncated or no safetensors file ({e})")))
}

/// The JSON text that [`encode`](crate::checkpoint::encode) stored, whatever the checksum.
pub(crate) fn metadata(bytes: &[u8], origin: &str) -> Result<String, ModelError> {
    tensors(bytes, origin)?;
    let (_, metadata) = SafeTensors::read_metadata(bytes)
        .map_err(|e| ModelError::damaged(origin, format!("its header cannot be read ({e})")))?;
    metadata
        .metadata()
        .as_ref()
        .and_then(|m| m.get(KEY))
        .cloned()
        .ok_or_else(|| ModelError::damaged(origin, "it is a safetensors file of another program"))
}
