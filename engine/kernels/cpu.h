/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Instruction sets that kernels are written for. Higher levels of one kind of processor include its
 * lower ones. PT_CPU_PORTABLE is plain C and works everywhere.
 */
typedef enum {
  PT_CPU_PORTABLE,
  PT_CPU_AVX2,        /* AVX2, FMA, F16C */
  PT_CPU_AVX2_VNNI,   /* and AVX-VNNI (256 bit) */
  PT_CPU_AVX512,      /* F, BW, DQ, VL */
  PT_CPU_AVX512_VNNI, /* and VNNI */
  PT_CPU_AMX,         /* and tiles of 8-bit integers */
  PT_CPU_NEON,        /* 64-bit ARM: Advanced SIMD, which all have */
  PT_CPU_DOTPROD,     /* and dot products of four bytes */
  PT_CPU_I8MM,        /* and matrix products of bytes */
  PT_N_CPU_LEVELS
} PtCpuLevel;

/**
 * The best level of this CPU that the operating system also supports, detected once. The
 * environment variable PTERIS_CPU (portable, avx2, avx2-vnni, avx512, avx512-vnni, amx, neon,
 * dotprod, i8mm; also baseline, avxvnni, and all without hyphens) lowers it. For AMX, the operating
 * system is asked for permission to use tiles, which it grants to the whole process.
 */
PtCpuLevel pt_cpu_level (void);

/**
 * For tests: use @level, or the best level of the CPU if that is lower. A level that this kind of
 * processor does not have becomes a lower one that it has. Returns the level in use.
 */
PtCpuLevel pt_cpu_set_level (PtCpuLevel level);

const char *pt_cpu_level_name (PtCpuLevel level);

/** Model name of the CPU, for reports; never NULL. */
const char *pt_cpu_name (void);

/**
 * Whether memory that is read once should be prefetched past the L2 cache (PREFETCHNTA), so that
 * reused data stay in L2. FALSE on Intel CPUs, which lose such lines before they are read.
 */
gboolean pt_cpu_fetches_past_caches (void);

/** Prefetch @size bytes. */
static inline void
pt_fetch (gconstpointer data, gsize size)
{
  for (gsize i = 0; data != NULL && i < size; i += 64)
    __builtin_prefetch ((const guint8 *) data + i);
}

G_END_DECLS
