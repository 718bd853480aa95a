/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * OpenVINO's C library, loaded at run time (docs/formats/openvino.md, section 3). Its functions are
 * called on the engine thread.
 */

/* Handles. */
typedef struct PtOvCore PtOvCore;
typedef struct PtOvModel PtOvModel;
typedef struct PtOvRequest PtOvRequest;
typedef struct PtOvTensor PtOvTensor;

typedef struct {
  gint64 rank;
  gint64 *dims;
} PtOvShape;

typedef struct {
  char **names;
  gsize n;
} PtOvDevices;

typedef struct {
  const char *build, *description;
} PtOvVersion;

/* Result, name, parameters. */
#define PT_OPENVINO_FUNCTIONS(X)                                                                   \
  X (int, ov_get_openvino_version, (PtOvVersion * version))                                        \
  X (void, ov_version_free, (PtOvVersion * version))                                               \
  X (int, ov_core_create, (PtOvCore * *core))                                                      \
  X (void, ov_core_free, (PtOvCore * core))                                                        \
  X (int, ov_core_get_available_devices, (const PtOvCore *core, PtOvDevices *devices))             \
  X (void, ov_available_devices_free, (PtOvDevices * devices))                                     \
  X (int, ov_core_set_property, (const PtOvCore *core, const char *device, ...))                   \
  X (int, ov_core_import_model,                                                                    \
     (const PtOvCore *core, const char *bytes, gsize size, const char *device, PtOvModel **model)) \
  X (int, ov_compiled_model_inputs_size, (const PtOvModel *model, gsize *n))                       \
  X (int, ov_compiled_model_outputs_size, (const PtOvModel *model, gsize *n))                      \
  X (int, ov_compiled_model_create_infer_request, (const PtOvModel *model, PtOvRequest **request)) \
  X (void, ov_compiled_model_free, (PtOvModel * model))                                            \
  X (void, ov_infer_request_free, (PtOvRequest * request))                                         \
  X (int, ov_infer_request_set_input_tensor_by_index,                                              \
     (PtOvRequest * request, gsize index, const PtOvTensor *tensor))                               \
  X (int, ov_infer_request_set_output_tensor_by_index,                                             \
     (PtOvRequest * request, gsize index, const PtOvTensor *tensor))                               \
  X (int, ov_infer_request_get_output_tensor_by_index,                                             \
     (const PtOvRequest *request, gsize index, PtOvTensor **tensor))                               \
  X (int, ov_infer_request_infer, (PtOvRequest * request))                                         \
  X (int, ov_shape_create, (gint64 rank, const gint64 *dims, PtOvShape *shape))                    \
  X (int, ov_shape_free, (PtOvShape * shape))                                                      \
  X (int, ov_tensor_create_from_host_ptr,                                                          \
     (int type, PtOvShape shape, gpointer memory, PtOvTensor **tensor))                            \
  X (void, ov_tensor_free, (PtOvTensor * tensor))                                                  \
  X (int, ov_tensor_get_shape, (const PtOvTensor *tensor, PtOvShape *shape))                       \
  X (const char *, ov_get_last_err_msg, (void) )

/** The functions of the library; none is NULL. */
typedef struct {
#define MEMBER(result, name, parameters) result (*name) parameters;
  PT_OPENVINO_FUNCTIONS (MEMBER)
#undef MEMBER
  char *path;    /* of the library */
  char *version; /* "2025.4.1" */
} PtOpenvino;

/**
 * Load the library; it stays loaded, because it has threads. NULL with PT_ERROR_MISSING_BACKEND: it
 * is missing (@version: what to install, or NULL), cannot be loaded, lacks a function, or is too
 * old.
 */
const PtOpenvino *pt_openvino_open (const char *version, GError **error);

/** OpenVINO's own words about its last failure, in one line. Free with g_free(). */
char *pt_openvino_last_words (const PtOpenvino *ov);

/** A core with settings of ours; it lives as long as the process. */
typedef struct {
  const PtOpenvino *ov;
  PtOvCore *core;
  char **devices; /* "CPU", "GPU.0", ... */
} PtOpenvinoCore;

/**
 * The core for models that compute as they were exported (@exact), or in the precision that
 * OpenVINO finds best for the device. NULL with PT_ERROR_MISSING_BACKEND.
 */
const PtOpenvinoCore *pt_openvino_core (const PtOpenvino *ov, gboolean exact, GError **error);

G_END_DECLS
