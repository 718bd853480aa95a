/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All functions that a model library may import (docs/formats/cuda.md, sections 8 and 9), one line
 * each: result type, name, parameters, arguments. Three things are generated from this list: the
 * functions that libpteris-cuda-shims exports, the table of pointers to their definitions in
 * libpteris, and the names that are checked before a library is loaded.
 *
 * Functions that return int32_t return 0, or 1 after noting an error.
 */

typedef struct _PtShimTensor *PtShimHandle; /* AtenTensorHandle */
typedef void *PtShimGuard;                  /* CUDAGuardHandle, CUDAStreamGuardHandle */

/* F (name, number), by torch's numbers. */
#define PT_SHIM_DTYPES(F) \
  F (uint8, 0)            \
  F (int8, 1)             \
  F (int16, 2)            \
  F (int32, 3)            \
  F (int64, 4)            \
  F (float16, 5)          \
  F (float32, 6)          \
  F (float64, 7)          \
  F (complex32, 8)        \
  F (complex64, 9)        \
  F (complex128, 10)      \
  F (bool, 11)            \
  F (bfloat16, 15)        \
  F (float8_e5m2, 23)     \
  F (float8_e4m3fn, 24)   \
  F (float8_e5m2fnuz, 25) \
  F (float8_e4m3fnuz, 26) \
  F (uint16, 27)          \
  F (uint32, 28)          \
  F (uint64, 29)

/* F (name, number, C type) */
#define PT_SHIM_SCALARS(F) \
  F (uint8, 0, uint8_t)    \
  F (int8, 1, int8_t)      \
  F (int16, 2, int16_t)    \
  F (int32, 3, int32_t)    \
  F (int64, 4, int64_t)    \
  F (float32, 6, float)    \
  F (float64, 7, double)   \
  F (bool, 11, bool)       \
  F (uint16, 27, uint16_t) \
  F (uint32, 28, uint32_t) \
  F (uint64, 29, uint64_t)

#define PT_SHIM_CONSTANT_FUNCTIONS(F)                                 \
  F (int32_t, aoti_torch_device_type_cpu, (void), ())                 \
  F (int32_t, aoti_torch_device_type_cuda, (void), ())                \
  F (int32_t, aoti_torch_layout_strided, (void), ())                  \
  F (int32_t, aoti_torch_memory_format_contiguous_format, (void), ()) \
  F (int32_t, aoti_torch_memory_format_preserve_format, (void), ())   \
  F (int32_t, aoti_torch_memory_format_channels_last, (void), ())     \
  F (int32_t, aoti_torch_memory_format_channels_last_3d, (void), ())  \
  F (int32_t, aoti_torch_dtype_uint8, (void), ())                     \
  F (int32_t, aoti_torch_dtype_int8, (void), ())                      \
  F (int32_t, aoti_torch_dtype_int16, (void), ())                     \
  F (int32_t, aoti_torch_dtype_int32, (void), ())                     \
  F (int32_t, aoti_torch_dtype_int64, (void), ())                     \
  F (int32_t, aoti_torch_dtype_float16, (void), ())                   \
  F (int32_t, aoti_torch_dtype_float32, (void), ())                   \
  F (int32_t, aoti_torch_dtype_float64, (void), ())                   \
  F (int32_t, aoti_torch_dtype_complex32, (void), ())                 \
  F (int32_t, aoti_torch_dtype_complex64, (void), ())                 \
  F (int32_t, aoti_torch_dtype_complex128, (void), ())                \
  F (int32_t, aoti_torch_dtype_bool, (void), ())                      \
  F (int32_t, aoti_torch_dtype_bfloat16, (void), ())                  \
  F (int32_t, aoti_torch_dtype_float8_e5m2, (void), ())               \
  F (int32_t, aoti_torch_dtype_float8_e4m3fn, (void), ())             \
  F (int32_t, aoti_torch_dtype_float8_e5m2fnuz, (void), ())           \
  F (int32_t, aoti_torch_dtype_float8_e4m3fnuz, (void), ())           \
  F (int32_t, aoti_torch_dtype_uint16, (void), ())                    \
  F (int32_t, aoti_torch_dtype_uint32, (void), ())                    \
  F (int32_t, aoti_torch_dtype_uint64, (void), ())                    \
  F (size_t, aoti_torch_dtype_element_size, (int32_t dtype), (dtype)) \
  F (bool, aoti_torch_grad_mode_is_enabled, (void), ())               \
  F (int32_t, aoti_torch_grad_mode_set_enabled, (bool enabled), (enabled))

#define PT_SHIM_METADATA_FUNCTIONS(F)                                                              \
  F (int32_t, aoti_torch_get_data_ptr, (PtShimHandle tensor, void **value), (tensor, value))       \
  F (int32_t, aoti_torch_get_sizes, (PtShimHandle tensor, int64_t * *value), (tensor, value))      \
  F (int32_t, aoti_torch_get_strides, (PtShimHandle tensor, int64_t * *value), (tensor, value))    \
  F (int32_t, aoti_torch_get_storage_offset, (PtShimHandle tensor, int64_t * value),               \
     (tensor, value))                                                                              \
  F (int32_t, aoti_torch_get_storage_size, (PtShimHandle tensor, int64_t * value),                 \
     (tensor, value))                                                                              \
  F (int32_t, aoti_torch_get_storage_numel, (PtShimHandle tensor, int64_t * value),                \
     (tensor, value))                                                                              \
  F (int32_t, aoti_torch_get_dtype, (PtShimHandle tensor, int32_t * value), (tensor, value))       \
  F (int32_t, aoti_torch_get_layout, (PtShimHandle tensor, int32_t * value), (tensor, value))      \
  F (int32_t, aoti_torch_get_device_type, (PtShimHandle tensor, int32_t * value), (tensor, value)) \
  F (int32_t, aoti_torch_get_device_index, (PtShimHandle tensor, int32_t * value),                 \
     (tensor, value))                                                                              \
  F (int32_t, aoti_torch_get_dim, (PtShimHandle tensor, int64_t * value), (tensor, value))         \
  F (int32_t, aoti_torch_get_numel, (PtShimHandle tensor, int64_t * value), (tensor, value))       \
  F (int32_t, aoti_torch_get_size, (PtShimHandle tensor, int64_t dim, int64_t * value),            \
     (tensor, dim, value))                                                                         \
  F (int32_t, aoti_torch_get_stride, (PtShimHandle tensor, int64_t dim, int64_t * value),          \
     (tensor, dim, value))                                                                         \
  F (int32_t, aoti_torch_is_contiguous, (PtShimHandle tensor, bool *value), (tensor, value))       \
  F (int32_t, aoti_torch_is_defined, (PtShimHandle tensor, bool *value), (tensor, value))

#define PT_SHIM_TENSOR_FUNCTIONS(F)                                                                \
  F (int32_t, aoti_torch_create_tensor_from_blob,                                                  \
     (void *data, int64_t rank, const int64_t *sizes, const int64_t *strides, int64_t offset,      \
      int32_t dtype, int32_t device_type, int32_t device_index, PtShimHandle *out),                \
     (data, rank, sizes, strides, offset, dtype, device_type, device_index, out))                  \
  F (int32_t, aoti_torch_create_tensor_from_blob_v2,                                               \
     (void *data, int64_t rank, const int64_t *sizes, const int64_t *strides, int64_t offset,      \
      int32_t dtype, int32_t device_type, int32_t device_index, PtShimHandle *out, int32_t layout, \
      const uint8_t *opaque_metadata, int64_t opaque_metadata_size),                               \
     (data, rank, sizes, strides, offset, dtype, device_type, device_index, out, layout,           \
      opaque_metadata, opaque_metadata_size))                                                      \
  F (int32_t, aoti_torch_empty_strided,                                                            \
     (int64_t rank, const int64_t *sizes, const int64_t *strides, int32_t dtype,                   \
      int32_t device_type, int32_t device_index, PtShimHandle *out),                               \
     (rank, sizes, strides, dtype, device_type, device_index, out))                                \
  F (int32_t, aoti_torch_empty_strided_pinned,                                                     \
     (int64_t rank, const int64_t *sizes, const int64_t *strides, int32_t dtype,                   \
      int32_t device_type, int32_t device_index, PtShimHandle *out),                               \
     (rank, sizes, strides, dtype, device_type, device_index, out))                                \
  F (int32_t, aoti_torch_delete_tensor_object, (PtShimHandle tensor), (tensor))                    \
  F (int32_t, aoti_torch_new_tensor_handle, (PtShimHandle tensor, PtShimHandle * out),             \
     (tensor, out))                                                                                \
  F (int32_t, aoti_torch_assign_tensors_out, (PtShimHandle tensor, PtShimHandle * out),            \
     (tensor, out))                                                                                \
  F (int32_t, aoti_torch__reinterpret_tensor,                                                      \
     (PtShimHandle tensor, int64_t rank, const int64_t *sizes, const int64_t *strides,             \
      int64_t offset, PtShimHandle *out),                                                          \
     (tensor, rank, sizes, strides, offset, out))                                                  \
  F (int32_t, aoti_torch_as_strided,                                                               \
     (PtShimHandle tensor, const int64_t *sizes, const int64_t *strides, PtShimHandle *out),       \
     (tensor, sizes, strides, out))                                                                \
  F (int32_t, aoti_torch__alloc_from_pool,                                                         \
     (PtShimHandle tensor, int64_t offset_bytes, int32_t dtype, int64_t rank,                      \
      const int64_t *sizes, const int64_t *strides, PtShimHandle *out),                            \
     (tensor, offset_bytes, dtype, rank, sizes, strides, out))                                     \
  F (int32_t, aoti_torch_clone, (PtShimHandle tensor, PtShimHandle * out), (tensor, out))          \
  F (int32_t, aoti_torch_clone_preserve_strides, (PtShimHandle tensor, PtShimHandle * out),        \
     (tensor, out))                                                                                \
  F (int32_t, aoti_torch_copy_, (PtShimHandle to, PtShimHandle from, int32_t non_blocking),        \
     (to, from, non_blocking))                                                                     \
  F (int32_t, aoti_torch_zero_, (PtShimHandle tensor), (tensor))

#define PT_SHIM_SCALAR_FUNCTIONS(F)                                                                \
  F (int32_t, aoti_torch_item_uint8, (PtShimHandle tensor, uint8_t * value), (tensor, value))      \
  F (int32_t, aoti_torch_item_int8, (PtShimHandle tensor, int8_t * value), (tensor, value))        \
  F (int32_t, aoti_torch_item_int16, (PtShimHandle tensor, int16_t * value), (tensor, value))      \
  F (int32_t, aoti_torch_item_int32, (PtShimHandle tensor, int32_t * value), (tensor, value))      \
  F (int32_t, aoti_torch_item_int64, (PtShimHandle tensor, int64_t * value), (tensor, value))      \
  F (int32_t, aoti_torch_item_float16, (PtShimHandle tensor, uint16_t * bits), (tensor, bits))     \
  F (int32_t, aoti_torch_item_bfloat16, (PtShimHandle tensor, uint16_t * bits), (tensor, bits))    \
  F (int32_t, aoti_torch_item_float32, (PtShimHandle tensor, float *value), (tensor, value))       \
  F (int32_t, aoti_torch_item_float64, (PtShimHandle tensor, double *value), (tensor, value))      \
  F (int32_t, aoti_torch_item_bool, (PtShimHandle tensor, bool *value), (tensor, value))           \
  F (int32_t, aoti_torch_item_uint16, (PtShimHandle tensor, uint16_t * value), (tensor, value))    \
  F (int32_t, aoti_torch_item_uint32, (PtShimHandle tensor, uint32_t * value), (tensor, value))    \
  F (int32_t, aoti_torch_item_uint64, (PtShimHandle tensor, uint64_t * value), (tensor, value))    \
  F (int32_t, aoti_torch_scalar_to_tensor_uint8, (uint8_t value, PtShimHandle * out),              \
     (value, out))                                                                                 \
  F (int32_t, aoti_torch_scalar_to_tensor_int8, (int8_t value, PtShimHandle * out), (value, out))  \
  F (int32_t, aoti_torch_scalar_to_tensor_int16, (int16_t value, PtShimHandle * out),              \
     (value, out))                                                                                 \
  F (int32_t, aoti_torch_scalar_to_tensor_int32, (int32_t value, PtShimHandle * out),              \
     (value, out))                                                                                 \
  F (int32_t, aoti_torch_scalar_to_tensor_int64, (int64_t value, PtShimHandle * out),              \
     (value, out))                                                                                 \
  F (int32_t, aoti_torch_scalar_to_tensor_float32, (float value, PtShimHandle *out), (value, out)) \
  F (int32_t, aoti_torch_scalar_to_tensor_float64, (double value, PtShimHandle *out),              \
     (value, out))                                                                                 \
  F (int32_t, aoti_torch_scalar_to_tensor_bool, (bool value, PtShimHandle *out), (value, out))     \
  F (int32_t, aoti_torch_scalar_to_tensor_uint16, (uint16_t value, PtShimHandle * out),            \
     (value, out))                                                                                 \
  F (int32_t, aoti_torch_scalar_to_tensor_uint32, (uint32_t value, PtShimHandle * out),            \
     (value, out))                                                                                 \
  F (int32_t, aoti_torch_scalar_to_tensor_uint64, (uint64_t value, PtShimHandle * out),            \
     (value, out))

#define PT_SHIM_STREAM_FUNCTIONS(F)                                                       \
  F (int32_t, aoti_torch_create_cuda_stream_guard,                                        \
     (void *stream, int32_t device_index, PtShimGuard *out), (stream, device_index, out)) \
  F (int32_t, aoti_torch_delete_cuda_stream_guard, (PtShimGuard guard), (guard))          \
  F (int32_t, aoti_torch_create_cuda_guard, (int32_t device_index, PtShimGuard * out),    \
     (device_index, out))                                                                 \
  F (int32_t, aoti_torch_delete_cuda_guard, (PtShimGuard guard), (guard))                 \
  F (int32_t, aoti_torch_cuda_guard_set_index, (PtShimGuard guard, int32_t device_index), \
     (guard, device_index))                                                               \
  F (int32_t, aoti_torch_get_current_cuda_stream, (int32_t device_index, void **out),     \
     (device_index, out))

/* Functions for debugging exports, and functions that abort a run. */
#define PT_SHIM_MESSAGE_FUNCTIONS(F)                                                               \
  F (void, aoti_torch_warn,                                                                        \
     (const char *function, const char *file, uint32_t line, const char *message),                 \
     (function, file, line, message))                                                              \
  F (void, aoti_torch_check,                                                                       \
     (bool condition, const char *function, const char *file, uint32_t line, const char *message), \
     (condition, function, file, line, message))                                                   \
  F (void, aoti_torch_print_tensor_handle, (PtShimHandle tensor, const char *message),             \
     (tensor, message))                                                                            \
  F (void, aoti_torch_save_tensor_handle,                                                          \
     (PtShimHandle tensor, const char *name, const char *prefix, const char *kernel),              \
     (tensor, name, prefix, kernel))                                                               \
  F (int32_t, aoti_torch_check_inf_and_nan, (const char *name, PtShimHandle tensor),               \
     (name, tensor))                                                                               \
  F (int32_t, aoti_torch_proxy_executor_call_function,                                             \
     (void *executor, int index, int n_ints, int64_t *ints, int n_tensors, PtShimHandle *tensors), \
     (executor, index, n_ints, ints, n_tensors, tensors))                                          \
  F (int32_t, aoti_torch_index_put_out,                                                            \
     (PtShimHandle tensor, const PtShimHandle *indices, uint32_t n_indices, PtShimHandle values,   \
      bool accumulate),                                                                            \
     (tensor, indices, n_indices, values, accumulate))

/* Operators for which libraries have no kernel (docs/formats/cuda.md, section 9). */
#define PT_SHIM_OPERATOR_FUNCTIONS(F)                                                              \
  F (int32_t, aoti_torch_cuda__weight_int4pack_mm,                                                 \
     (PtShimHandle self, PtShimHandle weight, int64_t group_size, PtShimHandle scale_and_zero,     \
      PtShimHandle * out),                                                                         \
     (self, weight, group_size, scale_and_zero, out))                                              \
  F (int32_t, aoti_torch_cuda_int4_plain_mm,                                                       \
     (void *a0, void *a1, void *a2, void *a3, void *a4, void *a5, int64_t a6, void *a7),           \
     (a0, a1, a2, a3, a4, a5, a6, a7))                                                             \
  F (int32_t, aoti_torch_cuda_int5_plain_mm,                                                       \
     (PtShimHandle self, PtShimHandle low, PtShimHandle high, PtShimHandle scale,                  \
      PtShimHandle scale_step, PtShimHandle zero, PtShimHandle zero_step, int64_t group_size,      \
      PtShimHandle * out),                                                                         \
     (self, low, high, scale, scale_step, zero, zero_step, group_size, out))                       \
  F (int32_t, aoti_torch_cuda_int6_plain_mm,                                                       \
     (PtShimHandle self, PtShimHandle low, PtShimHandle high, PtShimHandle scale,                  \
      PtShimHandle scale_step, int64_t group_size, PtShimHandle * out),                            \
     (self, low, high, scale, scale_step, group_size, out))                                        \
  F (int32_t, aoti_torch_cuda_int8_plain_mm,                                                       \
     (PtShimHandle self, PtShimHandle weight, PtShimHandle scale, PtShimHandle zero,               \
      int64_t group_size, PtShimHandle * out),                                                     \
     (self, weight, scale, zero, group_size, out))                                                 \
  F (int32_t, aoti_torch_cuda_sort_stable,                                                         \
     (PtShimHandle self, int32_t * stable, int64_t dim, int32_t descending, PtShimHandle * values, \
      PtShimHandle * indices),                                                                     \
     (self, stable, dim, descending, values, indices))                                             \
  F (int32_t, aoti_torch_cuda_randint_low_out,                                                     \
     (PtShimHandle out, int64_t low, int64_t high, const int64_t *sizes, int64_t rank),            \
     (out, low, high, sizes, rank))                                                                \
  F (int32_t, aoti_torch_cuda_rand,                                                                \
     (const int64_t *sizes, int64_t rank, int32_t *dtype, int32_t *layout, int32_t *device,        \
      int32_t device_index, int32_t *pin_memory, PtShimHandle *out),                               \
     (sizes, rank, dtype, layout, device, device_index, pin_memory, out))

/* The part of the CUDA runtime that generated code uses; results are cudaError_t. */
#define PT_SHIM_RUNTIME_FUNCTIONS(F)                                                               \
  F (int, cudaEventCreate, (void **event), (event))                                                \
  F (int, cudaEventDestroy, (void *event), (event))                                                \
  F (int, cudaEventQuery, (void *event), (event))                                                  \
  F (int, cudaEventRecord, (void *event, void *stream), (event, stream))                           \
  F (int, cudaEventSynchronize, (void *event), (event))                                            \
  F (int, cudaFree, (void *data), (data))                                                          \
  F (int, cudaGetDevice, (int *index), (index))                                                    \
  F (const char *, cudaGetErrorString, (int code), (code))                                         \
  F (int, cudaGetLastError, (void), ())                                                            \
  F (int, cudaMalloc, (void **data, size_t size), (data, size))                                    \
  F (int, cudaMemcpy, (void *to, const void *from, size_t size, int kind), (to, from, size, kind)) \
  F (int, cudaSetDevice, (int index), (index))

/*
 * Functions of the driver that libraries call through us, so that we can record loaded modules and
 * name the kernel that fails.
 */
#define PT_SHIM_DRIVER_FUNCTIONS(F)                                                              \
  F (int, cuModuleLoadData, (void **module, const void *image), (module, image))                 \
  F (int, cuModuleUnload, (void *module), (module))                                              \
  F (int, cuModuleGetFunction, (void **function, void *module, const char *name),                \
     (function, module, name))                                                                   \
  F (int, cuFuncSetAttribute, (void *function, int attribute, int value),                        \
     (function, attribute, value))                                                               \
  F (int, cuLaunchKernel,                                                                        \
     (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,       \
      unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments, \
      void **extra),                                                                             \
     (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,         \
      arguments, extra))

/* On Windows a library imports these names from nvcuda.dll: see model-imports.h. */
#ifdef _WIN32
#define PT_SHIM_EXPORTED_DRIVER_FUNCTIONS(F)
#else
#define PT_SHIM_EXPORTED_DRIVER_FUNCTIONS(F) PT_SHIM_DRIVER_FUNCTIONS (F)
#endif

#define PT_SHIM_FUNCTIONS(F)     \
  PT_SHIM_CONSTANT_FUNCTIONS (F) \
  PT_SHIM_METADATA_FUNCTIONS (F) \
  PT_SHIM_TENSOR_FUNCTIONS (F)   \
  PT_SHIM_SCALAR_FUNCTIONS (F)   \
  PT_SHIM_STREAM_FUNCTIONS (F)   \
  PT_SHIM_MESSAGE_FUNCTIONS (F)  \
  PT_SHIM_OPERATOR_FUNCTIONS (F) \
  PT_SHIM_RUNTIME_FUNCTIONS (F)  \
  PT_SHIM_EXPORTED_DRIVER_FUNCTIONS (F)

/** The table of the definitions. libpteris fills it before a model library is loaded. */
typedef struct {
  size_t size; /* size of this struct: equal when both sides were built from the same list */
#define PT_SHIM_MEMBER(result, name, parameters, arguments) result (*name) parameters;
  PT_SHIM_FUNCTIONS (PT_SHIM_MEMBER)
#undef PT_SHIM_MEMBER
} PtShimTable;

/**
 * Exported by libpteris-cuda-shims as "pt_shims_install". Returns 0, or 1 when the sizes differ.
 */
typedef int32_t (*PtShimInstall) (const PtShimTable *table);
