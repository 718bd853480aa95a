/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Pictures: reading them, options of PT_JOB_CLASSIFY, and what it finds.
 *
 *     const char *images[] = { "fern.jpg", NULL };
 *     PtJob job = PT_JOB_INIT (PT_JOB_CLASSIFY);
 *
 *     job.model.path = "mobilenet.pte";
 *     job.vision.images = images;
 *     pt_engine_submit (engine, &job);
 *
 * The events are PROGRESS*, REPORT, whose classification says what was found, and DONE.
 */

/** What to classify. */
typedef struct {
  const char *const *images; /* paths; NULL-terminated */
  const char *labels;        /* a file with the name of a class in each line; NULL: beside the
                              * program */
  guint top;                 /* classes to report of each picture; 0: 5 */
} PtVisionOptions;

/** One class of a picture. */
typedef struct {
  guint index;
  const char *label; /* NULL: the class has no name */
  double probability;
} PtClass;

/** A picture that was classified. */
typedef struct {
  const char *path;
  const char *error;      /* a sentence: why it could not be; else NULL */
  double elapsed_s;       /* seconds it took; 0 with @error, as are the next two */
  const PtClass *classes; /* the most probable first */
  guint n_classes;
} PtPicture;

/** What PT_JOB_CLASSIFY found. Plain data; everything in it belongs to it. */
typedef struct {
  const char *model;         /* its name */
  const char *device;        /* where it ran */
  double load_s;             /* seconds that loading took */
  const PtPicture *pictures; /* as many as the job has images, in their order */
  guint n_pictures;
} PtClassification;

/**
 * One line of JSON, for scripts:
 *
 *     { "model", "device", "load_s",
 *       "images": [{ "path", "elapsed_s", "classes": [{ "index", "label" or null,
 *                                                       "probability" }] }
 *                  or { "path", "error": a sentence }],
 *       "ok": all could be read, "failed": how many could not }
 *
 * Free with g_free().
 */
PT_API char *pt_classification_to_json (const PtClassification *classification);

/** A picture in memory: @height rows of @width pixels, from the top left, of 3 bytes each: red,
 * green and blue (0 to 255), without gaps. */
typedef struct {
  guint width, height; /* both at least 1 */
  guint8 *pixels;      /* 3 * width * height */
  gpointer owner;      /* private: the object whose pixels these are, or NULL */
} PtImage;

/** What of a picture's file is read at most: every limit of pictures is one of these. */
#define PT_IMAGE_MAX_BYTES (64 * 1024 * 1024)
#define PT_IMAGE_MAX_PIXELS 50000000
/** Times the scans of a JPEG file: so many that the usual ten always pass. */
#define PT_IMAGE_MAX_SCANNED ((guint64) 16 * PT_IMAGE_MAX_PIXELS)

/** Why a picture was not read, for who says it in another language. */
typedef enum {
  PT_IMAGE_FAULT_NONE,
  PT_IMAGE_FAULT_UNREADABLE, /* the file cannot be opened */
  PT_IMAGE_FAULT_NO_FILE,    /* it is a folder, a pipe, a device */
  PT_IMAGE_FAULT_TOO_LONG,   /* PT_IMAGE_MAX_BYTES */
  PT_IMAGE_FAULT_UNKNOWN,    /* none of the formats */
  PT_IMAGE_FAULT_TOO_LARGE,  /* PT_IMAGE_MAX_PIXELS */
  PT_IMAGE_FAULT_SCANS,      /* PT_IMAGE_MAX_SCANNED */
  PT_IMAGE_FAULT_DAMAGED,
  PT_IMAGE_FAULT_MEMORY,
  PT_IMAGE_FAULT_STOPPED,
} PtImageFault;

/**
 * Decode the file at @path: PNG, JPEG, WebP (where the system has a loader for it), GIF (its first
 * frame), BMP or TIFF. Upright, whatever its EXIF orientation; what is transparent lies on white.
 * What is no plain file, none of these formats, or above a limit is refused by what its header
 * says, before anything is decoded. @cancellable (or NULL) is looked at while it is decoded.
 *
 * NULL with PT_ERROR_FILE, PT_ERROR_MEMORY or PT_ERROR_CANCELLED and a sentence; @fault (or NULL)
 * is always set. Blocking; any thread. Free with pt_image_free().
 */
PT_API PtImage *pt_image_read (const char *path, GCancellable *cancellable, PtImageFault *fault,
                               GError **error);

/** Black; NULL with PT_ERROR_MEMORY when it is too large. Free with pt_image_free(). Any thread. */
PT_API PtImage *pt_image_new (guint width, guint height, GError **error);
PT_API void pt_image_free (PtImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtImage, pt_image_free)

G_END_DECLS
