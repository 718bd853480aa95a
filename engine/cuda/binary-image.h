/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Analysis of the bytes of a model library; nothing is loaded, and CUDA is not needed
 * (docs/formats/cuda.md, sections 4.1 to 4.3). It serves good error messages. It does not protect
 * against malicious libraries; for that the user is asked (engine/base/trusted-files.h).
 */

typedef enum {
  PT_CUDA_IMAGE_ELF, /* Linux */
  PT_CUDA_IMAGE_PE,  /* Windows */
} PtCudaImageKind;

typedef enum {
  PT_CUDA_CPU_OTHER,
  PT_CUDA_CPU_X86_64,
  PT_CUDA_CPU_AARCH64,
} PtCudaCpu;

/** "Linux" or "Windows"; "x86-64" or "aarch64". */
const char *pt_cuda_image_kind_name (PtCudaImageKind kind);
const char *pt_cuda_cpu_name (PtCudaCpu cpu);

/** One kind of GPU code in a library. */
typedef struct {
  guint target; /* compute capability, 90 for 9.0 */
  char suffix;  /* 'a': runs on this one only; 'f': on its family; '\0': on later ones too */
  guint ptx;    /* version of PTX, 87 for 8.7; 0: machine code */
  gboolean is_compressed;
} PtCudaCode;

#define PT_CUDA_MAX_CODES 64

/** A required version of a system library, such as libc.so.6, GLIBC_2.34. */
typedef struct {
  char *file;
  char *name;
} PtCudaVersion;

typedef struct {
  PtCudaImageKind kind;
  PtCudaCpu cpu;
  gsize size;
  char **needed;  /* names of the libraries that it is linked with, in order */
  char **imports; /* sorted; functions that it imports and that must exist */
  char **exports; /* sorted; exported functions that begin with AOTInductor */
  PtCudaVersion *versions;
  guint n_versions;
  PtCudaCode *codes; /* no duplicates */
  guint n_codes;     /* at most PT_CUDA_MAX_CODES */
  guint64 *variants; /* variants of kernels: bit i stands for codes[i]; no duplicates */
  guint n_variants;
  guint n_kernels; /* number of fat binaries and bare cubins */
} PtCudaImage;

/**
 * Analyse @size bytes, at a few hundred MB a second. NULL with PT_ERROR_FORMAT: not a library, or
 * PT_ERROR_PROGRAM: damaged. Any thread.
 */
PtCudaImage *pt_cuda_image_scan (const guint8 *bytes, gsize size, GError **error);
void pt_cuda_image_free (PtCudaImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaImage, pt_cuda_image_free)

/** The name of a code: "sm_90a", or "compute_90a (PTX 8.7)". Free with g_free(). */
char *pt_cuda_code_name (const PtCudaCode *code);

/** Whether @code runs on a GPU of @capability (90 for 9.0), with any driver. */
gboolean pt_cuda_code_fits (const PtCudaCode *code, guint capability);

/** The CUDA version whose driver understands PTX version @ptx: 13000 for 90. */
guint pt_cuda_ptx_driver (guint ptx);

/** A machine to compare a library with. Fields that are NULL or 0 are unknown and not compared. */
typedef struct {
  PtCudaImageKind kind;
  PtCudaCpu cpu;
  const char *const *versions;  /* sorted, NULL-terminated: GLIBC_2.34, GLIBCXX_3.4.30, ... */
  const char *const *functions; /* [n_functions], sorted: functions that this process provides */
  guint n_functions;
  gboolean (*has_library) (const char *name); /* can be loaded here; @name is any text */
  const char *device;                         /* name of the GPU */
  guint capability;                           /* of the GPU */
  guint driver;                               /* CUDA version of the driver, 12040 for 12.4 */
} PtCudaMachine;

/**
 * Describe this system and processor, and its libraries: on Linux the versions of the C and C++
 * libraries, valid for the life of the process; on Windows the libraries themselves. All other
 * fields are 0. Any thread.
 */
PtCudaMachine pt_cuda_machine_here (void);

/**
 * List all requirements of a library that @machine does not meet, as sentences; empty: it will run.
 * Only functions that begin with aoti_torch_ or cuda are compared. Free with g_ptr_array_unref().
 */
GPtrArray *pt_cuda_image_missing (const PtCudaImage *image, const PtCudaMachine *machine);

/** The names of the missing functions alone, for reports. Free with g_strfreev(). */
char **pt_cuda_image_missing_functions (const PtCudaImage *image, const PtCudaMachine *machine);

/**
 * Check the requirements. FALSE with one PT_ERROR_UNSUPPORTED, made of the sentences of
 * pt_cuda_image_missing().
 */
gboolean pt_cuda_image_check (const PtCudaImage *image, const PtCudaMachine *machine,
                              GError **error);

G_END_DECLS
