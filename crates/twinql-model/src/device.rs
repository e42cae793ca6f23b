//! Which execution of the network a configuration names.

use crate::{
    backend::Backend,
    config::{Compute, TrainConfig},
    error::ModelError,
    native::NativeBackend,
    weights::Layout,
};

/// The execution that a configuration names.
///
/// # Errors
/// [`ModelError::Device`] for one that is not built in, or has no numbers of the precision asked for.
pub(crate) fn backend(config: &TrainConfig, layout: &Layout) -> Result<Box<dyn Backend>, ModelError> {
    match config.compute {
        Compute::Native => Ok(Box::new(NativeBackend::new(config.network.model.clone(), layout.clone()))),
        #[cfg(feature = "burn")]
        compute => Ok(Box::new(crate::burn::BurnBackend::new(
            config.network.model.clone(),
            layout.clone(),
            compute,
            config.precision,
        )?)),
        #[cfg(not(feature = "burn"))]
        compute => Err(compute.not_built_in()),
    }
}

#[cfg(all(test, not(feature = "burn")))]
mod tests {
    #![allow(clippy::panic)]
    use super::*;

    #[test]
    fn a_device_that_is_not_built_in_says_how_to_build_it() {
        for compute in [Compute::Flex, Compute::Wgpu, Compute::Cuda] {
            let config = TrainConfig { compute, ..TrainConfig::default() };
            let Err(error) = backend(&config, &Layout::new(&config.network.model)) else {
                panic!("{compute:?} is not built in");
            };
            assert!(error.to_string().contains("--features"), "{error}");
        }
    }
}
