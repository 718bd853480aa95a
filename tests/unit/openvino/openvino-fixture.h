/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/openvino/openvino-model.h"
#include "tests/fakes/fake-openvino.h"

/* A program with a delegate for OpenVINO, and the stand-in for its library. */

/** Prepares the process: the stand-in, a folder for the user's data, a place in a host. */
void openvino_begin (const char *library);
/** Removes the folder. */
void openvino_end (void);

/** The program of tests/data/openvino/NAME. */
PtProgram *openvino_program (const char *name);

/** A context for the first delegate of @program, with consent. */
PtDelegateContext openvino_context (const PtProgram *program);

/** Makes a model, which must fail with @code and a message that has @words, and leave nothing. */
void openvino_refuse (const PtDelegateContext *context, PtError code, const char *words);

/** Calls of the stand-in since the last time. */
const char *openvino_calls (void);
int openvino_alive (void);
