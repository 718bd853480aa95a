/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tests/fakes/fake-cuda.h"

G_BEGIN_DECLS

/**
 * Run a kernel of ours on the CPU, to be called by a hook of the stand-in for the CUDA driver.
 * Addresses in its argument are those of the stand-in's device.
 *
 * Fails the test when the kernel is unknown, waits for what never comes, or writes outside its
 * shared memory.
 */
void pt_emulate_launch (const FakeCuda *fake, const FakeLaunch *launch, const void *arguments);

G_END_DECLS
