/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * What is in a model library, from its bytes alone: nothing is loaded, and no CUDA is needed
 * (docs/formats/cuda.md, sections 4.1 to 4.3). This is for good error messages. It is no defence
 * against a library that means harm; for that the user is asked (engine/base/trusted-files.h).
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

/** "Linux", "Windows"; "x86-64", "aarch64" */
const char *pt_cuda_image_kind_name (PtCudaImageKind kind);
const char *pt_cuda_cpu_name (PtCudaCpu cpu);

/** One kind of GPU code. */
typedef struct {
  guint target; /* compute capability, 90 for 9.0 */
  char suffix;  /* 'a': for this one only; 'f': for its family; '\0' */
  guint ptx;    /* PTX of this version, 87 for 8.7; 0: machine code */
  gboolean is_compressed;
} PtCudaCode;

#define PT_CUDA_MAX_CODES 64

/** A version of a system library that the model library wants: libc.so.6, GLIBC_2.34. */
typedef struct {
  char *file;
  char *name;
} PtCudaVersion;

typedef struct {
  PtCudaImageKind kind;
  PtCudaCpu cpu;
  gsize size;
  char **needed;  /* libraries that it is linked with, in order */
  char **imports; /* sorted; what it cannot do without */
  char **exports; /* sorted; those that begin with AOTInductor */
  PtCudaVersion *versions;
  guint n_versions;
  PtCudaCode *codes; /* no two are the same */
  guint n_codes;     /* at most PT_CUDA_MAX_CODES */
  guint64 *variants; /* sets of codes that kernels come in: bit i is codes[i]; no two are equal */
  guint n_variants;
  guint n_kernels; /* fat binaries and bare cubins */
} PtCudaImage;

/**
 * Look through @size bytes, a few hundred MB a second. PT_ERROR_FORMAT: no library at all;
 * PT_ERROR_PROGRAM: a damaged one. Any thread.
 */
PtCudaImage *pt_cuda_image_scan (const guint8 *bytes, gsize size, GError **error);
void pt_cuda_image_free (PtCudaImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaImage, pt_cuda_image_free)

/** "sm_90a", or "compute_90a (PTX 8.7)". Free with g_free(). */
char *pt_cuda_code_name (const PtCudaCode *code);

/** Whether @code runs on a GPU of @capability (90: 9.0), leaving aside what the driver knows. */
gboolean pt_cuda_code_fits (const PtCudaCode *code, guint capability);

/** The CUDA version whose driver understands PTX version @ptx: 13000 for 90. */
guint pt_cuda_ptx_driver (guint ptx);

/** What a library would run on. What is NULL or 0 is not known, and not held against it. */
typedef struct {
  PtCudaImageKind kind;
  PtCudaCpu cpu;
  const char *const *versions;  /* sorted, NULL-terminated: GLIBC_2.34, GLIBCXX_3.4.30, ... */
  const char *const *functions; /* [n_functions], sorted: what this process gives to a library */
  guint n_functions;
  gboolean (*has_library) (const char *name); /* whether it can be loaded here; any text */
  const char *device;                         /* name of the GPU */
  guint capability;                           /* of the GPU */
  guint driver;                               /* CUDA version of the driver, 12040 for 12.4 */
} PtCudaMachine;

/**
 * This system and processor, and what it has: on Linux the versions of its C and C++ libraries, for
 * the life of the process, on Windows the libraries themselves. The rest is 0. Any thread.
 */
PtCudaMachine pt_cuda_machine_here (void);

/**
 * Everything that keeps a library from running on @machine: sentences, to be freed with
 * g_ptr_array_unref(); none: it will run. Functions are held against it that begin with
 * aoti_torch_ or cuda.
 */
GPtrArray *pt_cuda_image_missing (const PtCudaImage *image, const PtCudaMachine *machine);

/** The missing functions alone, for reports. Free with g_strfreev(). */
char **pt_cuda_image_missing_functions (const PtCudaImage *image, const PtCudaMachine *machine);

/** What pt_cuda_image_missing() says, as one PT_ERROR_UNSUPPORTED. */
gboolean pt_cuda_image_check (const PtCudaImage *image, const PtCudaMachine *machine,
                              GError **error);

G_END_DECLS
