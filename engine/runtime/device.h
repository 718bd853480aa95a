/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * Memory of devices (docs/formats/program.md, section 11.3): planned buffers on a GPU, and copies
 * between them and the host. There is one PtDevice for each device type. A build without GPU
 * support registers none; programs that need one then fail to load.
 *
 * PT_DEVICE_VULKAN has no planned buffers, but only outputs that its delegates left on the GPU
 * (pt_method_keep_output_on_device()): it has the functions that read those, and no other.
 */

/** The options of a token choice, as in PtSampler. */
typedef struct {
  double temperature; /* 0: take the most likely token */
  guint top_k;        /* 0: all tokens */
  double top_p;       /* a probability; 1: all tokens */
  double min_p;       /* 0: all tokens */
  double coin;        /* uniform in [0, 1) */
  double repetition_penalty, presence_penalty, frequency_penalty;
  gconstpointer said; /* n_said pairs: a token id (int32) and its number of occurrences (uint32) */
  guint n_said;       /* the ids that penalties apply to, each one once */
} PtDeviceSampling;

typedef struct {
  PtDeviceType type;

  /**
   * Whether this machine has such a device; NULL: always. It is called often, so the device must
   * cache the answer.
   */
  gboolean (*is_available) (GError **error);

  /** Optional. The name of device @index, such as "NVIDIA H200". Owned by the device. */
  const char *(*name) (int index);

  /** Allocate @size zero bytes on device @index, aligned to 256. NULL: see above. */
  gpointer (*allocate) (int index, gsize size, GError **error);
  void (*free) (int index, gpointer data);
  gboolean (*clear) (int index, gpointer data, gsize size, GError **error);
  gboolean (*copy_to_device) (int index, gpointer to, gconstpointer from, gsize size,
                              GError **error);
  gboolean (*copy_to_host) (int index, gpointer to, gconstpointer from, gsize size, GError **error);

  /** Optional. Copy within the device, in order with all work of the device. */
  gboolean (*copy) (int index, gpointer to, gconstpointer from, gsize size, GError **error);

  /** Optional. Wait until all started work is done. */
  gboolean (*synchronize) (int index, GError **error);

  /**
   * Optional. Start choosing a token, by the rules of PtSampler, from @width logits (float32,
   * float16 or bfloat16) on the device. FALSE with PT_ERROR_UNSUPPORTED when the device cannot.
   *
   * @next_id, @next_position: inputs of the next decode step, int64 on the device. The token is
   * written to @next_id and @next_position is increased by 1, so that the next step can start at
   * once. May be NULL.
   */
  gboolean (*sample) (int index, const PtDeviceSampling *how, gconstpointer logits, PtDType dtype,
                      gsize width, gpointer next_id, gpointer next_position, GError **error);

  /** With @sample: wait for the token and return its id. -1 when no logit is a number. */
  gboolean (*take_sample) (int index, gint32 *id, GError **error);
} PtDevice;

/** Register a device. @device must be static. Call from pt_init() or a test. */
void pt_device_register (const PtDevice *device);

/** The device of @type. NULL for the CPU, and for a device that this build or machine lacks. */
const PtDevice *pt_device_find (PtDeviceType type);

/** The name of a device type: "cpu", "cuda" or "vulkan". */
const char *pt_device_name (PtDeviceType type);

G_END_DECLS
