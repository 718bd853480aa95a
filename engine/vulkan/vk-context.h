/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-instance.h"
#include "engine/vulkan/vk-matrix.h"
#include "engine/vulkan/vk-shaders.h"

G_BEGIN_DECLS

/**
 * PtVkContext: one GPU in use, with its queue, pipelines and buffers. All delegates on one GPU
 * share it. Engine thread.
 */
typedef struct _PtVkContext PtVkContext;
struct _PtVkContext {
  guint n_references;
  GThread *thread; /* the engine thread that uses it */
  int index;       /* number of the GPU among the usable ones */
  const PtVkInstance *instance;
  const PtVkGpu *gpu;
  VkDevice device;
  PtVkFunctions vk;
  VkQueue queue;
  VkPhysicalDeviceMemoryProperties memory;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceLimits limits;
  guint64 max_allocation; /* bytes of one allocation and one buffer */
  guint64 max_range;      /* bytes that a shader can reach in one buffer */
  guint subgroup_size;
  gboolean has_dot;      /* products of four signed bytes at once */
  PtVkMatrixSize matrix; /* products of matrices of bytes; .m is 0: none */
  gboolean has_times;    /* shaders are timed (vk-times.h) */
  gboolean is_unified;   /* the GPU computes in the memory of the CPU */
  gboolean is_lost;      /* the driver refuses all further work */
  gboolean is_slow;      /* the last wait was long: the next one gives way to other threads */
  gboolean is_stuck;     /* the GPU does not answer: what it may still use is never freed */
  VkPipelineCache cache;
  char *kept_path; /* vk-pipeline-cache.h; NULL: nothing is kept */
  guint n_kept;
  VkPipelineLayout layouts[PT_VK_MAX_BINDINGS + 1];
  VkDescriptorSetLayout set_layouts[PT_VK_MAX_BINDINGS + 1];
  GHashTable *pipelines;          /* of vk-context.c */
  guint64 n_plans;                /* how often delegates arranged their memory */
  gboolean is_ahead;              /* the queue may have work that nobody waited for */
  GPtrArray *handed;              /* PtVkHanded: outputs that stayed on the GPU */
  struct _PtVkSampling *sampling; /* vk-sampling.c; with the function that frees it */
  void (*free_sampling) (PtVkContext *context);
};

/**
 * A new reference to the context of GPU @index of the usable ones. NULL with an error.
 * @cache_folder: where a new context keeps what the driver compiles; NULL: nowhere.
 */
PtVkContext *pt_vk_context_get (int index, const char *cache_folder, GError **error);
void pt_vk_context_unref (PtVkContext *context);
/** The context of GPU @index that this thread has, without a reference; NULL: none. */
PtVkContext *pt_vk_context_find (int index);

/**
 * TRUE for VK_SUCCESS. Else FALSE with an error that says what failed: PT_ERROR_MEMORY, or
 * PT_ERROR_GPU, after which a lost GPU is not used again.
 */
gboolean pt_vk_check (PtVkContext *context, VkResult code, const char *what, GError **error);

/** FALSE with PT_ERROR_MEMORY; @needed: bytes, 0: unknown. */
gboolean pt_vk_fail_memory (PtVkContext *context, const char *what, guint64 needed, GError **error);

/**
 * Waits until the GPU has signalled @fence, and resets it. FALSE with an error as of pt_vk_check(),
 * also when the GPU has not answered for a minute; then it is not used again.
 */
gboolean pt_vk_wait (PtVkContext *context, const VkFence *fence, const char *what, GError **error);
/** Waits until the GPU does nothing, before objects that it uses are freed; not if it is stuck. */
void pt_vk_wait_idle (PtVkContext *context);

#define PT_VK_MAX_CONSTANTS 9

/**
 * The pipeline of @shader with the specialisation constants 0 .. @n - 1; made at its first use and
 * owned by @context. VK_NULL_HANDLE with an error.
 */
VkPipeline pt_vk_pipeline (PtVkContext *context, PtVkShader shader, const guint32 *constants,
                           guint n, GError **error);

/* ---- Buffers ---- */

typedef enum {
  PT_VK_MEMORY_DEVICE,   /* fast for the GPU */
  PT_VK_MEMORY_UPLOAD,   /* written by the CPU in order */
  PT_VK_MEMORY_EXCHANGE, /* read and written by the CPU */
  PT_VK_MEMORY_SYMBOLS,  /* written by the CPU, a little, and read often by the GPU */
} PtVkMemoryKind;

typedef struct {
  VkBuffer buffer;
  VkDeviceMemory memory;
  guint8 *host; /* not NULL: mapped */
  guint64 size;
} PtVkBuffer;

/** Make a buffer of @size > 0 bytes; its content is undefined. */
gboolean pt_vk_buffer_init (PtVkContext *context, PtVkBuffer *buffer, guint64 size,
                            PtVkMemoryKind kind, const char *what, GError **error);
/** Free it; all zeros: nothing. */
void pt_vk_buffer_clear (PtVkContext *context, PtVkBuffer *buffer);

G_END_DECLS
