/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Pictures: decoding them, options of PT_JOB_CLASSIFY, and its result.
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

/** Options of a classification. */
typedef struct {
  const char *const *images; /* paths; NULL-terminated */
  const char *labels;        /* a file with the name of a class in each line; NULL: beside the
                              * program */
  guint top;                 /* number of classes to report for each picture; 0: 5 */
} PtVisionOptions;

/** One class of a picture. */
typedef struct {
  guint index;        /* of the output of the model */
  const char *label;  /* NULL: the class has no name */
  double probability; /* 0 to 1 */
} PtClass;

/** The result of one picture. */
typedef struct {
  const char *path;       /* as in PtVisionOptions.images */
  const char *error;      /* a sentence that says why it was not classified; else NULL */
  double elapsed_s;       /* seconds; 0 with @error, like the next two */
  const PtClass *classes; /* the most probable first */
  guint n_classes;        /* how many there are */
} PtPicture;

/** The result of PT_JOB_CLASSIFY. Plain data; it owns all that it points to. */
typedef struct {
  const char *model;         /* its name */
  const char *device;        /* where it ran */
  double load_s;             /* seconds that loading took */
  const PtPicture *pictures; /* one for each image of the job, in the same order */
  guint n_pictures;          /* how many there are */
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
  gpointer owner;      /* private: the object that owns the pixels, or NULL */
} PtImage;

/** Limits of picture files; larger ones are refused. */
#define PT_IMAGE_MAX_BYTES (64 * 1024 * 1024)
/** The same in pixels. */
#define PT_IMAGE_MAX_PIXELS 50000000
/** Most pixels of a JPEG file times its scans; the usual ten scans always pass. */
#define PT_IMAGE_MAX_SCANNED ((guint64) 16 * PT_IMAGE_MAX_PIXELS)

/** Why a picture was not read, for translated messages. */
typedef enum {
  PT_IMAGE_FAULT_NONE,       /* it was read */
  PT_IMAGE_FAULT_UNREADABLE, /* the file cannot be opened */
  PT_IMAGE_FAULT_NO_FILE,    /* it is a folder, a pipe or a device */
  PT_IMAGE_FAULT_TOO_LONG,   /* PT_IMAGE_MAX_BYTES */
  PT_IMAGE_FAULT_UNKNOWN,    /* none of the formats */
  PT_IMAGE_FAULT_TOO_LARGE,  /* PT_IMAGE_MAX_PIXELS */
  PT_IMAGE_FAULT_SCANS,      /* PT_IMAGE_MAX_SCANNED */
  PT_IMAGE_FAULT_DAMAGED,    /* its bytes are not those of its format */
  PT_IMAGE_FAULT_MEMORY,     /* not enough memory */
  PT_IMAGE_FAULT_STOPPED,    /* the cancellable was cancelled */
} PtImageFault;

/**
 * Decode the file at @path: PNG, JPEG, WebP (where the system has a loader for it), GIF (its first
 * frame), BMP or TIFF. The EXIF orientation is applied; transparent pixels are blended with white.
 * Other files, other formats and pictures above a limit are refused by their header, before
 * anything is decoded. @cancellable (or NULL) is checked while it is decoded.
 *
 * NULL with PT_ERROR_FILE, PT_ERROR_MEMORY or PT_ERROR_CANCELLED and a sentence; @fault (or NULL)
 * is always set. Blocking; any thread. Free with pt_image_free().
 */
PT_API PtImage *pt_image_read (const char *path, GCancellable *cancellable, PtImageFault *fault,
                               GError **error);

/** A new black picture; NULL with PT_ERROR_MEMORY when it is too large. Free with pt_image_free().
 * Any thread. */
PT_API PtImage *pt_image_new (guint width, guint height, GError **error);
/** Free @image and its pixels. NULL: does nothing. Any thread. */
PT_API void pt_image_free (PtImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtImage, pt_image_free)

G_END_DECLS
