/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register the backend; from pt_init(). A build without Vulkan has none. */
void pt_vulkan_register (void);

/** A GPU that Vulkan can use. Texts are UTF-8. */
typedef struct {
  char *name;
  char *uuid;             /* "12345678-…": the same for all drivers of the GPU */
  char *pci;              /* "0000:03:00.0"; NULL: unknown, or not on that bus */
  guint64 luid;           /* Windows' number of it; 0: unknown, or another system */
  guint32 vendor;         /* PT_VENDOR_NVIDIA, … */
  gboolean integrated;    /* its memory is the computer's */
  guint64 memory, unused; /* bytes of its memory, and of those that programs could have */
} PtVulkanGpu;

#define PT_VENDOR_NVIDIA 0x10de

/**
 * The GPUs that Vulkan can use, the best one first: PtVulkanGpu, owned by the module; empty where
 * there is none. Asked once, in a process of its own, for 10 seconds at most. Any thread.
 */
const GPtrArray *pt_vulkan_gpus (void);

/** GPUs in the text that the process answers; what is no line of one is left out. Free the array
 * with g_ptr_array_unref(). For tests. */
GPtrArray *pt_vulkan_gpus_parse (const char *answer);

G_END_DECLS
