//! Where burn computes, and with which numbers.

use std::panic::AssertUnwindSafe;

use burn::tensor::{DType, Device, FloatDType, Int, Tensor, TensorCreationOptions, TensorData};

use crate::{
    config::{Compute, Precision},
    error::TrainError,
};

/// A device and the numbers that tensors there are made of. Weights, their gradients and moments are of 32 bits in any
/// case: what is narrow is what the network computes with.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    device: Device,
    float: DType,
    gathers: bool,
}

impl Place {
    /// # Errors
    /// [`TrainError::Device`] where the feature was not built in, or the device has no such numbers.
    pub(crate) fn new(compute: Compute, precision: Precision) -> Result<Place, TrainError> {
        let device = device(compute)?;
        let float = match precision {
            Precision::F32 => FloatDType::F32,
            Precision::F16 => FloatDType::F16,
            Precision::Bf16 => FloatDType::BF16,
        };
        if precision != Precision::F32 && !device.supports_dtype(float) {
            return Err(TrainError::Device {
                device: format!("{compute:?} with precision {precision:?}").to_lowercase(),
                remedy: "it cannot compute with such numbers; use --precision f32".into(),
            });
        }
        let place = Place { device, float: float.into(), gathers: compute == Compute::Flex };
        // A GPU is looked for when it is first used, and burn panics where there is none.
        guarded(compute, || {
            values(place.zeros([1]));
            Ok(place)
        })
    }

    /// The same with gradients.
    pub(crate) fn autodiff(&self) -> Place {
        Place { device: self.device.clone().autodiff(), ..self.clone() }
    }

    /// Whether rows are read by their numbers, and added to by them. On burn's GPU backends the gradient of such a reading is
    /// one thread a column, row after row, which took most of a training step: there, products with a matrix of zeros and
    /// ones take its place.
    pub(crate) fn gathers(&self) -> bool {
        self.gathers
    }

    /// The same as a GPU is treated, which needs none to be tested.
    #[cfg(test)]
    pub(crate) fn into_like_gpus(self) -> Place {
        Place { gathers: false, ..self }
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
    pub(crate) fn list<const D: usize>(&self, values: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
        Tensor::from_data(TensorData::new(values, shape), self.options())
    }

    /// In 32 bits, whatever the precision: weights, targets and losses.
    pub(crate) fn wide_list(&self, values: Vec<f32>) -> Tensor<1> {
        let count = values.len();
        Tensor::from_data(TensorData::new(values, [count]), (&self.device, DType::F32))
    }

    /// The same numbers in this place's.
    pub(crate) fn narrow<const D: usize>(&self, tensor: Tensor<D>) -> Tensor<D> {
        tensor.cast(self.float)
    }

    pub(crate) fn indices(&self, values: &[i32]) -> Tensor<1, Int> {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), &self.device)
    }

    /// A row for each code: 1 at that place of `size`, all 0 for a code that is none of them.
    pub(crate) fn one_hot(&self, codes: Tensor<1, Int>, [pairs, rows]: [usize; 2], size: usize) -> Tensor<3> {
        let all: Vec<i32> = (0..size as i32).collect();
        let codes: Tensor<2, Int> = codes.reshape([pairs * rows, 1]);
        let all: Tensor<2, Int> = self.indices(&all).reshape([1, size]);
        self.narrow(codes.equal(all).float()).reshape([pairs, rows, size])
    }
}

/// The same numbers in 32 bits.
pub(crate) fn wide<const D: usize>(tensor: Tensor<D>) -> Tensor<D> {
    tensor.cast(FloatDType::F32)
}

/// The values of a tensor of any precision. Waits for the device.
pub(crate) fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let data = tensor.into_data().convert::<f32>();
    // Converted to what is asked for in the line before.
    #[expect(clippy::expect_used)]
    data.try_to_vec::<f32>().expect("values of 32 bits")
}

/// Runs what a device may end: burn panics where there is no GPU, or where its memory does not suffice.
///
/// # Errors
/// [`TrainError::Device`] with what burn says, and those of `run`.
pub(crate) fn guarded<T>(
    compute: Compute,
    run: impl FnOnce() -> Result<T, TrainError>,
) -> Result<T, TrainError> {
    // What the run was about to change is dropped with it.
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it stopped");
        Err(TrainError::Device {
            device: format!("{compute:?}").to_lowercase(),
            remedy: format!(
                "{said}; see that a driver is installed, or use --device cpu. A smaller batch_size takes less memory, and \
                 --resume goes on after the last whole epoch"
            ),
        })
    })
}

/// burn's device for a configuration's name.
fn device(compute: Compute) -> Result<Device, TrainError> {
    match compute {
        Compute::Flex => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        Compute::Wgpu => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(feature = "cuda")]
        Compute::Cuda => Ok(Device::cuda(0usize)),
        other => Err(other.not_built_in()),
    }
}
