/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-plan.h"

G_BEGIN_DECLS

/**
 * PtVkRecording: the command buffers of a plan, with the memory that they use. They are recorded
 * once and submitted in every call, until shapes change.
 */
typedef struct _PtVkRecording PtVkRecording;

/** The states of one conversation: a buffer for each state value, by value number. */
typedef struct {
  PtVkBuffer *buffers; /* [n_values]; on the GPU */
  guint8 **host;       /* [n_values]; on the host, with g_malloc() */
} PtVkStates;

PtVkRecording *pt_vk_recording_new (PtVkContext *context);
void pt_vk_recording_free (PtVkRecording *recording);

/**
 * Record @plan, with @states in use. Allocates what is missing. @max_bytes: a limit of the memory
 * on the GPU; 0: none.
 */
gboolean pt_vk_recording_make (PtVkRecording *recording, const PtVkPlan *plan,
                               const PtVkStates *states, guint64 max_bytes, GError **error);

/** Where place @index lies on the GPU. */
PtVkRange pt_vk_recording_range (const PtVkRecording *recording, guint32 index);

/** The memory of the host places. */
guint8 *pt_vk_recording_host (PtVkRecording *recording);

/**
 * A part of a recording: command buffer @commands, or the CPU call @call.
 */
typedef struct {
  VkCommandBuffer commands; /* NULL: a call */
  guint32 call;
} PtVkPiece;

guint pt_vk_recording_n_pieces (const PtVkRecording *recording);
/** How often commands wait for earlier ones. */
guint pt_vk_recording_n_barriers (const PtVkRecording *recording);
const PtVkPiece *pt_vk_recording_piece (const PtVkRecording *recording, guint i);

/** Write the current symbolic integers into the table that shaders read. */
void pt_vk_recording_write_symbols (PtVkRecording *recording, const PtVkPlan *plan);

/** Submit the commands of a piece. */
gboolean pt_vk_recording_submit (PtVkRecording *recording, guint piece, GError **error);
/** Wait for everything that was submitted. */
gboolean pt_vk_recording_wait (PtVkRecording *recording, GError **error);
/** Wait until at most @n submissions are unfinished. */
gboolean pt_vk_recording_wait_for_room (PtVkRecording *recording, guint n, GError **error);

G_END_DECLS
