//! Where burn computes, and with which numbers.

use burn::tensor::{Bool, DType, Device, FloatDType, Int, Tensor, TensorCreationOptions, TensorData};

use crate::{
    config::{Compute, Precision},
    error::ModelError,
};

/// A device and the numbers that tensors there are made of. Weights, gradients and the optimizer live
/// outside, in 32 bits: what is narrow is what the device computes with.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    device: Device,
    float: DType,
}

impl Place {
    /// # Errors
    /// [`ModelError::Device`] where the feature was not built in, or the device has no such numbers.
    pub(crate) fn new(compute: Compute, precision: Precision) -> Result<Place, ModelError> {
        let device = device(compute)?;
        let float = match precision {
            Precision::F32 => FloatDType::F32,
            Precision::F16 => FloatDType::F16,
            Precision::Bf16 => FloatDType::BF16,
        };
        if precision != Precision::F32 && !device.supports_dtype(float) {
            return Err(ModelError::Device {
                device: format!("{compute:?} with precision {precision:?}").to_lowercase(),
                remedy: "it cannot compute with such numbers; use --precision f32".into(),
            });
        }
        Ok(Place { device, float: float.into() })
    }

    /// The same with gradients.
    pub(crate) fn autodiff(&self) -> Place {
        Place { device: self.device.clone().autodiff(), float: self.float }
    }

    /// What losses are multiplied by before, and gradients divided by after a backward pass: numbers of
    /// 16 bits with short exponents are 0 below 6e-8, where gradients of single weights lie.
    pub(crate) fn loss_scale(&self) -> f32 {
        if self.float == DType::F16 { 256.0 } else { 1.0 }
    }

    fn options(&self) -> TensorCreationOptions {
        (&self.device, self.float).into()
    }

    pub(crate) fn zeros<const D: usize>(&self, shape: [usize; D]) -> Tensor<D> {
        Tensor::zeros(shape, self.options())
    }

    /// Of row-major values.
    pub(crate) fn matrix(&self, values: Vec<f32>, rows: usize, cols: usize) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values, [rows, cols]), self.options())
    }

    /// In 32 bits, whatever the precision: targets and losses are few, and may be infinite.
    pub(crate) fn wide_list(&self, values: Vec<f32>) -> Tensor<1> {
        let count = values.len();
        Tensor::from_data(TensorData::new(values, [count]), (&self.device, DType::F32))
    }

    /// 1 where something holds and 0 elsewhere.
    pub(crate) fn narrow(&self, holds: Tensor<2, Bool>) -> Tensor<2> {
        holds.float().cast(self.float)
    }

    pub(crate) fn indices(&self, values: &[i32]) -> Tensor<1, Int> {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &self.device)
    }
}

/// The same numbers in 32 bits.
pub(crate) fn wide<const D: usize>(tensor: Tensor<D>) -> Tensor<D> {
    tensor.cast(FloatDType::F32)
}

/// The values of a tensor of any precision.
pub(crate) fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let data = tensor.into_data().convert::<f32>();
    // Converted to what is asked for in the line before.
    #[expect(clippy::expect_used)]
    data.try_to_vec::<f32>().expect("values of 32 bits")
}

/// burn's device for a configuration's name.
fn device(compute: Compute) -> Result<Device, ModelError> {
    match compute {
        #[cfg(feature = "flex")]
        Compute::Flex => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        Compute::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(feature = "cuda")]
        Compute::Cuda => Ok(Device::cuda(0usize)),
        other => Err(other.not_built_in()),
    }
}
