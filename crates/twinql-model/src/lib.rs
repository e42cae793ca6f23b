//! The graph matching network: training, checkpoints and batched inference.
