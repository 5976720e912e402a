// SPDX-License-Identifier: Apache-2.0
// The driver of a GPU without arithmetic, as Triton and PyTorch's launchers of
// its kernels use it. build.py makes the functions that are not here: they
// succeed and do nothing.
#include <cstddef>
#include <cstring>

#include <cuda.h>

#include "device.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// In runtime.cc.
extern "C" void* hollow_reserve(std::size_t bytes);
extern "C" std::size_t hollow_release(void* block);

namespace {

template <typename Handle>
CUresult made(Handle* handle) {
  hollow::make(handle);
  return CUDA_SUCCESS;
}

}  // namespace

EXPORT CUresult cuDriverGetVersion(int* version) {
  *version = hollow::kVersion;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "hollow";
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which,
                                     CUdevice) {
  *value = hollow::attribute(which);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return made(context);
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags,
                                           int* is_active) {
  if (flags != nullptr) *flags = 0;
  *is_active = 1;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext* context) { return made(context); }

EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  return cuDeviceGet(device, 0);
}

// -- memory that is mapped, of expandable segments ---------------------------

EXPORT CUresult
cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*,
                              CUmemAllocationGranularity_flags) {
  *bytes = std::size_t{2} << 20;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr* place, std::size_t bytes,
                                    std::size_t, CUdeviceptr,
                                    unsigned long long) {
  void* const found = hollow_reserve(bytes);
  *place = reinterpret_cast<CUdeviceptr>(found);
  return found == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr place, std::size_t) {
  hollow_release(reinterpret_cast<void*>(place));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t,
                            const CUmemAllocationProp*, unsigned long long) {
  *handle = 1;
  return CUDA_SUCCESS;
}

// -- kernels -----------------------------------------------------------------

EXPORT CUresult cuModuleLoad(CUmodule* module, const char*) {
  return made(module);
}

EXPORT CUresult cuModuleLoadData(CUmodule* module, const void*) {
  return made(module);
}

EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule,
                                    const char*) {
  return made(function);
}

EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                   CUfunction) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuPointerGetAttribute(void* value, CUpointer_attribute,
                                      CUdeviceptr pointer) {
  std::memcpy(value, &pointer, sizeof pointer);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxActiveClusters(int* count, CUfunction,
                                             const CUlaunchConfig*) {
  *count = 16;
  return CUDA_SUCCESS;
}
