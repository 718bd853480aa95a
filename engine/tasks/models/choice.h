/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/program/program.h"

G_BEGIN_DECLS

/*
 * Where a program runs is decided when it is exported: a delegate is for one kind of machine. What
 * a person chooses can only be agreed with, or refused in words that help.
 */

/** FALSE when @program does not run where @choice says, or its GPU is missing. */
gboolean pt_choice_check (PtBackendChoice choice, const PtProgram *program, GError **error);

/**
 * For a program that needs a GPU: the path of one beside it that does the same on the CPU alone,
 * "NAME.cpu.pte" or any with "-xnnpack" in its name; or NULL. Free with g_free(). Blocking; any
 * thread.
 */
char *pt_choice_find_cpu (const char *program);

/** What @program runs on: "CPU", or the name of GPU number @device. Owned by the library. */
const char *pt_choice_device_name (const PtProgram *program, int device);

G_END_DECLS
