/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * Where a program runs is decided when it is exported, because a delegate is for one kind of
 * device. The user's choice of a device can only be confirmed or refused.
 */

/** FALSE with an error when @program does not run on the device of @choice, or no GPU is there. */
gboolean pt_backend_choice_check (PtBackendChoice choice, const PtProgram *program, GError **error);

/**
 * For a program that needs a GPU: the path of a program of the same family beside it that runs on
 * the CPU alone, "NAME.cpu.pte" or one with "-xnnpack" in its name; or NULL. Free with g_free().
 * Blocking; any thread.
 */
char *pt_backend_choice_find_cpu (const char *program);

/** The name of GPU @device, when @program runs on a GPU; else NULL. Owned by the library. */
const char *pt_backend_choice_gpu_name (const PtProgram *program, int device);

/** The device that @program runs on: "CPU", or the name of GPU @device. Owned by the library. */
const char *pt_backend_choice_device_name (const PtProgram *program, int device);

G_END_DECLS
