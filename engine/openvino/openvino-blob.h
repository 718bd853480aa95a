/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * The payload of a delegate: what OpenVINO wrote for one device (docs/formats/openvino.md, section
 * 1). Only OpenVINO can read all of it; here is what can be known without it.
 */

#define PT_OPENVINO_MAX_DEVICE 32

typedef struct {
  const char *bytes; /* of the program; OpenVINO reads them as long as the model lives */
  gsize size;
  char device[PT_OPENVINO_MAX_DEVICE + 1]; /* "CPU", "GPU", "GPU.1", "NPU" */
  char *version; /* of the OpenVINO that made it, "2026.4.1"; NULL: it does not say */
  char *target;  /* the processors that it was made for; NULL: it does not say */
} PtOpenvinoBlob;

/** Read what the payload of @spec says. NULL with PT_ERROR_PROGRAM for a damaged one. */
PtOpenvinoBlob *pt_openvino_blob_new (const PtDelegateSpec *spec, GError **error);
void pt_openvino_blob_free (PtOpenvinoBlob *blob);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtOpenvinoBlob, pt_openvino_blob_free)

/** Whether the blob is for the processor. */
gboolean pt_openvino_blob_is_cpu (const PtOpenvinoBlob *blob);

/** The kind of a device: the length of "GPU" in "GPU.1". */
gsize pt_openvino_kind_length (const char *device);

/**
 * The one of @devices (NULL-terminated) that runs a blob for @device: the same; else one of its
 * kind, since numbers differ from one computer to the next. @index: which one of several; 0: the
 * first. NULL with PT_ERROR_MISSING_BACKEND, which names what there is.
 */
const char *pt_openvino_choose_device (const char *device, const char *const *devices, int index,
                                       GError **error);

G_END_DECLS
