/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The names that the shared library exports. */

/** Marks every function and variable that programs outside of libpteris may use:
 *
 *     PT_API PtEngine *pt_engine_new (...);
 *
 * The shared library exports these names and no others. Programs need not use it themselves. */
#ifndef PT_API
#if defined(_WIN32)
#define PT_API
#else
#define PT_API __attribute__ ((visibility ("default")))
#endif
#endif
