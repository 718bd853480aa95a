/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A stand-in for OpenVINO's C library, which records its calls and fails on demand. It reads no
 * blob: how many inputs and outputs there are, the environment says. An output gets its number of
 * elements + 1, + 2, ...; with as many dimensions as input 0, its first size is that of input 0.
 *
 * Environment variables, read at each call:
 *
 * FAKE_OPENVINO_VERSION   "2025.4.1"
 * FAKE_OPENVINO_DEVICES   "CPU,GPU.0"; or "none"
 * FAKE_OPENVINO_INPUTS    "1"
 * FAKE_OPENVINO_OUTPUTS   "1"
 * FAKE_OPENVINO_FAIL      the name of a function that fails
 * FAKE_OPENVINO_CRASH     the name of a function that reads from address 0
 * FAKE_OPENVINO_HANG      the name of a function that never returns
 */

/** What fails says this, as OpenVINO does, behind names of its files. */
#define FAKE_OPENVINO_WORDS "The stand-in was asked to fail."

/** The calls since the last one of it, one in a line; valid until the next one. Exported. */
typedef const char *(*FakeOpenvinoCalls) (void);

/** Handles that were made and not freed. Exported. */
typedef int (*FakeOpenvinoAlive) (void);
