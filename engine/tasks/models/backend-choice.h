/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * Where a program runs is decided when it is exported, because a delegate is for one kind of
 * device. The user's choice of a device can only be confirmed or refused.
 */

/** FALSE with an error when @program does not run on the device of @choice, or what it needs is not
 * there: a GPU, OpenVINO. */
gboolean pt_backend_choice_check (PtBackendChoice choice, const PtProgram *program, GError **error);

/**
 * For a program that needs more than our own code on the CPU (a GPU, OpenVINO, a backend that is
 * not here): the path of a program of the same family beside it that needs no more, "NAME.cpu.pte"
 * or one with "-xnnpack" or "_xnnpack" in its name; or NULL. Free with g_free(). @on_gpu: set to
 * whether the program at @path computes on a GPU or an NPU; may be NULL. Blocking; any thread.
 */
char *pt_backend_choice_find_cpu (const char *path, gboolean *on_gpu);

/** The name of what computes @program beside our own code on the CPU: of GPU @device, or of a
 * device of OpenVINO; NULL: nothing does. Owned by the library. */
const char *pt_backend_choice_foreign_name (const PtProgram *program, int device);

/** What @program runs on: "CPU", or the name of the other device. Owned by the library. */
const char *pt_backend_choice_device_name (const PtProgram *program, int device);

G_END_DECLS
