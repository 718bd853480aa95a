/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * A Vulkan loader and driver without a GPU, loaded by PTERIS_VULKAN. Buffers are memory of the
 * process, copies and fills are done, and dispatches compute nothing. What it is told of a wrong
 * use (an object that is gone, a range behind the end of its buffer) ends the process.
 *
 * The environment variable FAKE_VULKAN has words of what it lies about:
 *
 *     old-loader old-driver lacks=vkFUNCTION no-queue no-bytes no-halves no-subgroups list=CODE
 *     small-range small-allocation few-buffers small-groups no-host-memory software full twice
 *
 * "lost=N": the device is lost when it is given work the Nth time, counted from 0.
 */

/* By their names in the module, with "fake_vulkan_" before. */

/** "fail": let @function ("vkQueueSubmit") answer @code from its call @nth on, counted from 0 now.
 * NULL: none. */
typedef void (*FakeVulkanFail) (const char *function, guint nth, int code);
/** "calls": number of calls of that function since then. */
typedef guint (*FakeVulkanCalls) (void);
/** "alive": objects that were made and not freed. */
typedef int (*FakeVulkanAlive) (void);

G_END_DECLS
