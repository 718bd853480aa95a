/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/program/program.h"

G_BEGIN_DECLS

/*
 * Memory of devices (docs/formats/program.md, section 11.3): planned buffers on a GPU, and the
 * copies between them and the host. One PtDevice for each device type; a build without that
 * device registers none, and programs that need it say so when they load.
 */

/** How to choose a token, as PtSampler describes it. */
typedef struct {
  double temperature; /* 0: the likeliest */
  guint top_k;        /* 0: all */
  double top_p;       /* of the probability; 1: all */
  double min_p;       /* 0: all */
  double coin;        /* uniform in [0, 1) */
  double repetition_penalty, presence_penalty, frequency_penalty;
  gconstpointer said; /* n_said pairs: an id (int32) and how often it was said (uint32) */
  guint n_said;       /* ids that the penalties are for, each once */
} PtDeviceSampling;

typedef struct {
  PtDeviceType type;

  /** Whether this machine has one; NULL: always. Called often, so it must remember the answer. */
  gboolean (*is_available) (GError **error);

  /** Optional. The name of device @index, as in "NVIDIA H200". Owned by the device. */
  const char *(*name) (int index);

  /** @size zero bytes on device @index, aligned to 256. */
  gpointer (*allocate) (int index, gsize size, GError **error);
  void (*free) (int index, gpointer data);
  gboolean (*clear) (int index, gpointer data, gsize size, GError **error);
  gboolean (*copy_to_device) (int index, gpointer to, gconstpointer from, gsize size,
                              GError **error);
  gboolean (*copy_to_host) (int index, gpointer to, gconstpointer from, gsize size, GError **error);

  /** Optional. Copy within the device, after the work that was started before it and before the
   * work that is started later. */
  gboolean (*copy) (int index, gpointer to, gconstpointer from, gsize size, GError **error);

  /** Optional. Wait until everything that was started is done. */
  gboolean (*synchronize) (int index, GError **error);

  /**
   * Optional. Begin to choose a token from @width logits (float32, float16 or bfloat16) that lie on
   * the device, as PtSampler does. FALSE also where the device cannot, with PT_ERROR_UNSUPPORTED.
   *
   * @next_id, @next_position: where the token goes on the device, as int64, and an int64 there that
   *   is increased by 1: the inputs of the next step, which can be started at once. May be NULL.
   */
  gboolean (*sample) (int index, const PtDeviceSampling *how, gconstpointer logits, PtDType dtype,
                      gsize width, gpointer next_id, gpointer next_position, GError **error);

  /** With @sample: wait for the token. -1 when the logits are not made of numbers. */
  gboolean (*take_sample) (int index, gint32 *id, GError **error);
} PtDevice;

/** @device must be static. Call from pt_init() or a test. */
void pt_device_register (const PtDevice *device);

/** NULL for the CPU and for a device that this build or machine lacks. */
const PtDevice *pt_device_find (PtDeviceType type);

/** "cpu" or "cuda". */
const char *pt_device_name (PtDeviceType type);

G_END_DECLS
