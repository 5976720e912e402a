// SPDX-License-Identifier: Apache-2.0
// A GPU without arithmetic, behind the functions of the CUDA runtime: memory
// can be allocated and is all zeros, kernels do nothing, time is the host's.
//
// PyTorch's allocator, its counters, its streams and its launches are the real
// ones. What is copied to the device is left out; what is copied from it is
// zeros, but for single bytes, which are ones: whoever asks whether all is well
// is told so. build.py makes the functions that are not here: they succeed and
// do nothing.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include "device.h"

#undef cudaGetDeviceProperties
#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr std::size_t kTotal = std::size_t{139} << 30;
constexpr std::size_t kPage = std::size_t{2} << 20;

std::mutex guard;
std::map<void*, std::size_t> blocks;
std::atomic<std::size_t> used = 0;
bool is_capturing = false;
cudaStream_t captured = nullptr;

double milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch())
      .count();
}

double& time_of(cudaEvent_t event) { return *reinterpret_cast<double*>(event); }

bool is_on_device(const void* place) {
  const std::lock_guard lock(guard);
  auto next = blocks.upper_bound(const_cast<void*>(place));
  if (next == blocks.begin()) return false;
  --next;
  return static_cast<const char*>(place) <
         static_cast<const char*>(next->first) + next->second;
}

void copy(void* to, const void* from, std::size_t bytes) {
  if (is_on_device(to)) return;
  if (is_on_device(from)) {
    std::memset(to, bytes == 1 ? 1 : 0, bytes);
  } else {
    std::memmove(to, from, bytes);
  }
}

}  // namespace

// Zeros on the device, also for the driver; null if there are none left. Pages
// appear when somebody writes to them, which kernels do not.
EXPORT void* hollow_reserve(std::size_t bytes) {
  const std::lock_guard lock(guard);
  void* const found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  blocks[found] = bytes;
  return found;
}

// Returns how many bytes there were.
EXPORT std::size_t hollow_release(void* block) {
  const std::lock_guard lock(guard);
  const auto found = blocks.find(block);
  if (found == blocks.end()) return 0;
  const std::size_t bytes = found->second;
  munmap(block, bytes);
  blocks.erase(found);
  return bytes;
}

// -- the device --------------------------------------------------------------

EXPORT cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDriverGetVersion(int* version) {
  *version = hollow::kVersion;
  return cudaSuccess;
}

EXPORT cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = hollow::kVersion;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetDeviceProperties(cudaDeviceProp* found, int) {
  std::memset(found, 0, sizeof *found);
  std::strcpy(found->name, "hollow GPU");
  found->totalGlobalMem = kTotal;
  const std::pair<int*, CUdevice_attribute> known[] = {
      {&found->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {&found->multiProcessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {&found->maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {&found->maxThreadsPerMultiProcessor,
       CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {&found->maxBlocksPerMultiProcessor,
       CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
      {&found->regsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {&found->regsPerMultiprocessor,
       CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
      {&found->warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      {&found->l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {&found->maxThreadsDim[0], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
      {&found->maxThreadsDim[1], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
      {&found->maxThreadsDim[2], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
      {&found->maxGridSize[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
      {&found->maxGridSize[1], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
      {&found->maxGridSize[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
  };
  for (const auto& [field, which] : known) *field = hollow::attribute(which);
  found->sharedMemPerBlock = static_cast<std::size_t>(
      hollow::attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  found->sharedMemPerBlockOptin = static_cast<std::size_t>(
      hollow::attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  found->sharedMemPerMultiprocessor =
      static_cast<std::size_t>(hollow::attribute(
          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  found->textureAlignment = 512;
  found->concurrentKernels = found->unifiedAddressing = 1;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which,
                                          int) {
  *value = hollow::attribute(which);
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}

EXPORT const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "hollow";
}

// -- memory ------------------------------------------------------------------

EXPORT cudaError_t cudaMalloc(void** block, std::size_t bytes) {
  bytes = (bytes + kPage - 1) / kPage * kPage;
  if (used + bytes > kTotal) return cudaErrorMemoryAllocation;
  *block = hollow_reserve(bytes);
  if (*block == nullptr) return cudaErrorMemoryAllocation;
  used += bytes;
  return cudaSuccess;
}

EXPORT cudaError_t cudaFree(void* block) {
  used -= hollow_release(block);
  return cudaSuccess;
}

EXPORT cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = kTotal;
  *free = kTotal - used;
  return cudaSuccess;
}

EXPORT cudaError_t cudaHostAlloc(void** block, std::size_t bytes, unsigned) {
  *block = std::malloc(bytes);
  return cudaSuccess;
}

EXPORT cudaError_t cudaMallocHost(void** block, std::size_t bytes) {
  return cudaHostAlloc(block, bytes, 0);
}

EXPORT cudaError_t cudaFreeHost(void* block) {
  std::free(block);
  return cudaSuccess;
}

EXPORT cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes,
                              cudaMemcpyKind) {
  copy(to, from, bytes);
  return cudaSuccess;
}

EXPORT cudaError_t cudaMemcpyAsync(void* to, const void* from,
                                   std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  copy(to, from, bytes);
  return cudaSuccess;
}

EXPORT cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found,
                                            const void*) {
  std::memset(found, 0, sizeof *found);
  return cudaSuccess;
}

// -- streams, events and graphs ----------------------------------------------

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned,
                                                int) {
  *stream = reinterpret_cast<cudaStream_t>(new char);
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new double(0));
  return cudaSuccess;
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<double*>(event);
  return cudaSuccess;
}

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  time_of(event) = milliseconds();
  return cudaSuccess;
}

EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t,
                                            unsigned) {
  time_of(event) = milliseconds();
  return cudaSuccess;
}

EXPORT cudaError_t cudaEventElapsedTime(float* time, cudaEvent_t begin,
                                        cudaEvent_t end) {
  *time = static_cast<float>(time_of(end) - time_of(begin));
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                          cudaStreamCaptureMode) {
  is_capturing = true;
  captured = stream;
  return cudaSuccess;
}

// Waiting for what is recorded cannot be recorded.
EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return is_capturing && stream == captured ? cudaErrorStreamCaptureUnsupported
                                            : cudaSuccess;
}

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  is_capturing = false;
  hollow::make(graph);
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t,
                                         cudaStreamCaptureStatus* status) {
  *status = is_capturing ? cudaStreamCaptureStatusActive
                         : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus* status,
    unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t**,
    const cudaGraphEdgeData**, std::size_t* count) {
  if (id != nullptr) *id = 1;
  if (graph != nullptr) hollow::make(graph);
  if (count != nullptr) *count = 0;
  return cudaStreamIsCapturing(stream, status);
}

EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*,
                                     std::size_t* count) {
  *count = 1;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t,
                                        unsigned long long) {
  hollow::make(made);
  return cudaSuccess;
}

// -- kernels -----------------------------------------------------------------

EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* found,
                                         const void*) {
  std::memset(found, 0, sizeof *found);
  found->maxThreadsPerBlock = 1024;
  found->numRegs = 32;
  found->binaryVersion = found->ptxVersion = 90;
  found->maxDynamicSharedSizeBytes = 232448;
  return cudaSuccess;
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* count, const void*, int, std::size_t, unsigned) {
  *count = 2;
  return cudaSuccess;
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count,
                                                                 const void*,
                                                                 int,
                                                                 std::size_t) {
  *count = 2;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(
    const char* name, void** function, unsigned, unsigned long long,
    cudaDriverEntryPointQueryResult* result) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  *function = driver == nullptr ? nullptr : dlsym(driver, name);
  if (result != nullptr) *result = cudaDriverEntryPointSuccess;
  return *function == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
}

// What a launch in C++ is made of.
EXPORT void** __cudaRegisterFatBinary(void*) {
  static void* something[4];
  return something;
}

EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* entry) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(entry));
  return cudaSuccess;
}

EXPORT unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t,
                                            CUstream_st*) {
  return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                              std::size_t* shared,
                                              void* stream) {
  *grid = *block = dim3{1, 1, 1};
  *shared = 0;
  *static_cast<void**>(stream) = nullptr;
  return cudaSuccess;
}

// -- libraries ---------------------------------------------------------------

// The last argument says how many ways there are to multiply: one.
EXPORT int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*,
                                          void*, void*, int, void* ways,
                                          int* count) {
  std::memset(ways, 0, 96);  // One cublasLtMatmulHeuristicResult_t.
  *count = 1;
  return 0;
}
