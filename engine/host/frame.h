/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/host/messages.h"

G_BEGIN_DECLS

/*
 * Frames: how messages follow each other in the pipe. A frame is a header of 8 bytes and a payload.
 * A payload of more than PT_FRAME_MAX_INLINE bytes lies in shared memory; the pipe then carries a
 * PtSharedNote in its place.
 */

/** Changes with everything that both processes must agree on and the tables do not show. */
#define PT_FRAME_VERSION 2
/** Most bytes of a payload in the pipe. */
#define PT_FRAME_MAX_INLINE (64 * 1024)
/** Most bytes of a payload in shared memory. */
#define PT_FRAME_MAX_SHARED ((guint64) 4 << 30)

/** The kind of a frame. */
typedef enum {
  PT_FRAME_HELLO,  /* both: PtHello, the first frame */
  PT_FRAME_FILE,   /* to the host: 0, PtGivenFile; its descriptor comes with it */
  PT_FRAME_JOB,    /* to the host: number, PtJob */
  PT_FRAME_CANCEL, /* to the host: number */
  PT_FRAME_FINISH, /* to the host: number */
  PT_FRAME_PING,   /* to the host: number, which comes back */
  PT_FRAME_PONG,   /* from the host: that number */
  PT_FRAME_EVENT,  /* from the host: number, PtEvent */
  PT_FRAME_END,    /* from the host, which ends itself: PtHostExit */
  PT_N_FRAMES,
} PtFrameKind;

/** PtHello: who the other process is. */
typedef struct {
  guint version;     /* PT_FRAME_VERSION */
  guint print;       /* of all tables, pt_hello_init() */
  const char *build; /* version of Pteris */
  guint threads;     /* to the host: of its worker pool; 0: one per fast core */
} PtHello;

extern const PtStructInfo pt_hello_fields;

/** The hello of this program. */
PtHello pt_hello_init (void);
/** Whether the other process, which sent @hello, is of this build; @detail: else says which. */
gboolean pt_hello_check (const PtHello *hello, char **detail);

/** PtGivenFile: a file that the host reads with its next job and may not open itself. */
typedef struct {
  const char *path;
} PtGivenFile;

extern const PtStructInfo pt_given_file_fields;

/** In the pipe in place of a payload in shared memory. */
typedef struct {
  guint64 size;   /* of the payload */
  guint64 handle; /* Windows: of the file mapping in the process that sends; else 0 */
} PtSharedNote;

/** A frame that was received. */
typedef struct {
  PtFrameKind kind;
  GBytes *payload; /* at a multiple of 8 */
} PtFrame;

void pt_frame_clear (PtFrame *frame);

/** Maps the payload of a frame; NULL with an error. */
typedef GBytes *(*PtSharedFunc) (const PtSharedNote *note, gpointer user_data, GError **error);

/**
 * PtFrames: takes bytes as they arrive, and gives frames.
 */
typedef struct _PtFrames PtFrames;

PtFrames *pt_frames_new (PtSharedFunc func, gpointer user_data);
void pt_frames_free (PtFrames *frames);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtFrames, pt_frames_free)

/** At most PT_FRAME_MAX_INLINE bytes at once. */
void pt_frames_put (PtFrames *frames, gconstpointer bytes, gsize size);
/** The next complete frame. FALSE without an error: there is none yet. After an error nothing more
 * can be read. */
gboolean pt_frames_next (PtFrames *frames, PtFrame *frame, GError **error);

/** The header of a frame, 8 bytes. */
void pt_frame_header (guint8 header[8], PtFrameKind kind, guint32 size, gboolean shared);

/**
 * Reads a payload: the number in front, if @number is not NULL, then a struct of @info, if that is
 * not NULL. @heap owns what the struct points to, and @payload. FALSE with PT_ERROR_HOST: the bytes
 * are not what a Pteris writes.
 */
gboolean pt_frame_read (const PtFrame *frame, guint64 *number, const PtStructInfo *info,
                        gpointer self, PtHeap *heap, GError **error);

G_END_DECLS
