//! What a run writes into its checkpoint.

use twinql_gmn::CheckpointInfo;

use crate::config::TrainConfig;

/// What a run's configuration and data say: the rest is of a network that nothing was measured of. `pretrained`
/// until a threshold is fitted.
pub(crate) fn info_of_run(config: &TrainConfig, data: String) -> CheckpointInfo {
    CheckpointInfo {
        seed: config.seed,
        signature: signature(config, &data, None),
        data,
        ..CheckpointInfo::untrained(&config.network)
    }
}

/// The signature of a run: what its weights depend on. A threshold has those of a trained network alone.
pub(crate) fn signature(config: &TrainConfig, data: &str, threshold: Option<f32>) -> String {
    let program = env!("CARGO_PKG_VERSION");
    let data = data.get(..12).unwrap_or(data);
    let metric = match threshold {
        Some(threshold) => format!(
            "metric:gmn|data:{data}|semantics:{}|threshold:{threshold:.2}",
            config.network.semantics.join("+")
        ),
        None => format!("metric:none|data:{data}"),
    };
    format!("twinql:{program}|{metric}|dtype:f32|seed:{}", config.seed)
}
