/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/cpu.h"

G_BEGIN_DECLS

/* What Linux says about 64-bit ARM processors. The functions read no files and work everywhere. */

/** The best level of a processor with these values of AT_HWCAP and AT_HWCAP2. */
PtCpuLevel pt_cpu_arm_level (guint64 hwcap, guint64 hwcap2);

/**
 * The name of a processor, owned by the caller; NULL: not known. Kinds of cores are joined, those
 * of the highest numbers first, which are the fast ones: "Cortex-A76 + Cortex-A55".
 * @cpuinfo: the content of /proc/cpuinfo; @model: that of the device tree's "model", or NULL.
 */
char *pt_cpu_arm_name (const char *cpuinfo, const char *model);

G_END_DECLS
