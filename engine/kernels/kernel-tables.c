/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"

/* NULL: pt_cpu_level() is never this level here. */
#ifdef __x86_64__
#define FAST(NAME) &NAME
#else
#define FAST(NAME) NULL
#endif
#ifdef __aarch64__
#define ARM(NAME) &NAME
#else
#define ARM(NAME) NULL
#endif

/* Float loops gain nothing from VNNI and AMX. */
const PtVectorKernels *
pt_vector_kernels (void)
{
  static const PtVectorKernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_PORTABLE] = &pt_vector_kernels_portable,
    [PT_CPU_AVX2] = FAST (pt_vector_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_vector_kernels_avx2),
    [PT_CPU_AVX512] = FAST (pt_vector_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_vector_kernels_avx512),
    [PT_CPU_AMX] = FAST (pt_vector_kernels_avx512),
    [PT_CPU_NEON] = ARM (pt_vector_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_vector_kernels_neon),
    [PT_CPU_I8MM] = ARM (pt_vector_kernels_neon),
  };

  return levels[pt_cpu_level ()];
}

const PtF32Kernels *
pt_f32_kernels (void)
{
  static const PtF32Kernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_PORTABLE] = &pt_f32_kernels_portable,
    [PT_CPU_AVX2] = FAST (pt_f32_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_f32_kernels_avx2),
    [PT_CPU_AVX512] = FAST (pt_f32_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_f32_kernels_avx512),
    [PT_CPU_AMX] = FAST (pt_f32_kernels_avx512),
    [PT_CPU_NEON] = ARM (pt_f32_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_f32_kernels_neon),
    [PT_CPU_I8MM] = ARM (pt_f32_kernels_neon),
  };

  return levels[pt_cpu_level ()];
}

const PtConvKernels *
pt_conv_kernels (void)
{
  static const PtConvKernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_PORTABLE] = &pt_conv_kernels_portable,
    [PT_CPU_AVX2] = FAST (pt_conv_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_conv_kernels_avx2),
    [PT_CPU_AVX512] = FAST (pt_conv_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_conv_kernels_avx512),
    [PT_CPU_AMX] = FAST (pt_conv_kernels_avx512),
    [PT_CPU_NEON] = ARM (pt_conv_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_conv_kernels_neon),
    [PT_CPU_I8MM] = ARM (pt_conv_kernels_neon),
  };

  return levels[pt_cpu_level ()];
}

const PtInt8Kernels *
pt_int8_kernels (void)
{
  static const PtInt8Kernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_PORTABLE] = &pt_int8_kernels_portable,
    [PT_CPU_AVX2] = FAST (pt_int8_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_int8_kernels_avx2_vnni),
    [PT_CPU_AVX512] = FAST (pt_int8_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_int8_kernels_avx512_vnni),
    [PT_CPU_AMX] = FAST (pt_int8_kernels_avx512_vnni),
    [PT_CPU_NEON] = ARM (pt_int8_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_int8_kernels_dotprod),
    [PT_CPU_I8MM] = ARM (pt_int8_kernels_i8mm),
  };

  return levels[pt_cpu_level ()];
}

const PtInt8TileKernels *
pt_int8_tile_kernels (void)
{
  static const PtInt8TileKernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_AVX2] = FAST (pt_int8_tile_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_int8_tile_kernels_avx2_vnni),
    [PT_CPU_AVX512] = FAST (pt_int8_tile_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_int8_tile_kernels_avx512_vnni),
    [PT_CPU_AMX] = FAST (pt_int8_tile_kernels_amx),
    [PT_CPU_NEON] = ARM (pt_int8_tile_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_int8_tile_kernels_dotprod),
    [PT_CPU_I8MM] = ARM (pt_int8_tile_kernels_i8mm),
  };

  return levels[pt_cpu_level ()];
}

const PtQ8Kernels *
pt_q8_kernels (void)
{
  static const PtQ8Kernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_AVX2] = FAST (pt_q8_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_q8_kernels_avx2_vnni),
    [PT_CPU_AVX512] = FAST (pt_q8_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_q8_kernels_avx512_vnni),
    [PT_CPU_AMX] = FAST (pt_q8_kernels_avx512_vnni),
    [PT_CPU_NEON] = ARM (pt_q8_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_q8_kernels_dotprod),
    [PT_CPU_I8MM] = ARM (pt_q8_kernels_i8mm),
  };

  return levels[pt_cpu_level ()];
}

const PtQ8Kernels *
pt_q8_half_kernels (void)
{
  static const PtQ8Kernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_AVX512] = FAST (pt_q8_kernels_avx512_half),
    [PT_CPU_AVX512_VNNI] = FAST (pt_q8_kernels_avx512_vnni_half),
    [PT_CPU_AMX] = FAST (pt_q8_kernels_avx512_vnni_half),
  };

  return levels[pt_cpu_level ()];
}

const PtQ8Kernels *
pt_q8_panel_kernels (gsize left)
{
  const PtQ8Kernels *half = pt_q8_half_kernels ();

  return half != NULL && left <= half->nr ? half : pt_q8_kernels ();
}

const PtWinogradQ8Kernels *
pt_winograd_q8_kernels (void)
{
  static const PtWinogradQ8Kernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_AVX2] = FAST (pt_winograd_q8_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_winograd_q8_kernels_avx2_vnni),
    [PT_CPU_AVX512] = FAST (pt_winograd_q8_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_winograd_q8_kernels_avx512_vnni),
    [PT_CPU_AMX] = FAST (pt_winograd_q8_kernels_avx512_vnni),
  };

  return levels[pt_cpu_level ()];
}

const PtQ8Loops *
pt_q8_loops (void)
{
  static const PtQ8Loops *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_PORTABLE] = &pt_q8_loops_portable,        [PT_CPU_AVX2] = FAST (pt_q8_loops_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_q8_loops_avx2),     [PT_CPU_AVX512] = FAST (pt_q8_loops_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_q8_loops_avx512), [PT_CPU_AMX] = FAST (pt_q8_loops_avx512),
    [PT_CPU_NEON] = ARM (pt_q8_loops_neon),           [PT_CPU_DOTPROD] = ARM (pt_q8_loops_neon),
    [PT_CPU_I8MM] = ARM (pt_q8_loops_neon),
  };

  return levels[pt_cpu_level ()];
}

const PtQ4Kernels *
pt_q4_kernels (void)
{
  static const PtQ4Kernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_PORTABLE] = &pt_q4_kernels_portable,
    [PT_CPU_AVX2] = FAST (pt_q4_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_q4_kernels_avx2_vnni),
    [PT_CPU_AVX512] = FAST (pt_q4_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_q4_kernels_avx512_vnni),
    [PT_CPU_AMX] = FAST (pt_q4_kernels_avx512_vnni),
    [PT_CPU_NEON] = ARM (pt_q4_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_q4_kernels_dotprod),
    [PT_CPU_I8MM] = ARM (pt_q4_kernels_i8mm),
  };

  return levels[pt_cpu_level ()];
}

const PtQ4TileKernels *
pt_q4_tile_kernels (gsize group)
{
  static const PtQ4TileKernels *const levels[PT_N_CPU_LEVELS] = {
    [PT_CPU_AVX2] = FAST (pt_q4_tile_kernels_avx2),
    [PT_CPU_AVX2_VNNI] = FAST (pt_q4_tile_kernels_avx2_vnni),
    [PT_CPU_AVX512] = FAST (pt_q4_tile_kernels_avx512),
    [PT_CPU_AVX512_VNNI] = FAST (pt_q4_tile_kernels_avx512_vnni),
    [PT_CPU_AMX] = FAST (pt_q4_tile_kernels_amx),
    [PT_CPU_NEON] = ARM (pt_q4_tile_kernels_neon),
    [PT_CPU_DOTPROD] = ARM (pt_q4_tile_kernels_dotprod),
    [PT_CPU_I8MM] = ARM (pt_q4_tile_kernels_i8mm),
  };

  const PtQ4TileKernels *kernels = levels[pt_cpu_level ()];

  if (pt_cpu_level () == PT_CPU_AMX && group > kernels->max_depth)
    kernels = levels[PT_CPU_AVX512_VNNI];
  return kernels != NULL && group <= kernels->max_depth ? kernels : NULL;
}

void
pt_depthwise_f32 (const PtDepthwise *d, gsize first, gsize n)
{
  pt_conv_kernels ()->depthwise (d, first, n);
}

void
pt_largest_f32 (gsize n, gsize taps, const float *const *x, float min, float max, float *y)
{
  pt_conv_kernels ()->largest (n, taps, x, min, max, y);
}
