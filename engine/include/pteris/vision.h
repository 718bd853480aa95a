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
 *
 * PT_JOB_LOOK is the same for all models that take a picture: classifiers, detectors, segmentation,
 * style, writing (OCR), CLIP. Its REPORT has a PtLookResult:
 *
 *     case PT_EVENT_REPORT:
 *       self->found = pt_look_result_ref (event->look);
 */

/** Options of a classification and of PT_JOB_LOOK. */
typedef struct {
  const char *const *images; /* paths; NULL-terminated */
  const char *labels;        /* a file with the name of a class in each line; NULL: beside the
                              * program, or those of the data set that the model is known for. For
                              * writing: a file with the characters of the alphabet */
  guint top;                 /* number of classes to report for each picture; 0: 5 */
  /* LOOK only. */
  double threshold;         /* least score of a finding, up to 1; 0: the model's usual one */
  guint size;               /* side of the input, of a model that has several; 0: the smallest */
  const char *const *texts; /* texts to compare the picture with; CLIP only; NULL: none */
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

/* ---- PT_JOB_LOOK ---- */

/** The kind of a vision model's results. */
typedef enum {
  PT_LOOK_CLASSES,   /* @classes of the whole picture */
  PT_LOOK_OBJECTS,   /* @objects */
  PT_LOOK_POSES,     /* @objects with points */
  PT_LOOK_INSTANCES, /* @objects with masks */
  PT_LOOK_SEGMENTS,  /* @segments and @regions */
  PT_LOOK_PERSON,    /* the same with two classes: 0 the background, 1 the person */
  PT_LOOK_STYLE,     /* @styled */
  PT_LOOK_WRITING,   /* @lines */
  PT_LOOK_EMBEDDING, /* @vector and @similarities */
  PT_N_LOOK_KINDS,   /* how many there are */
} PtLookKind;

/** "classes", "objects", "poses", "instances", "segments", "person", "style", "writing",
 * "embedding", for scripts. */
PT_API const char *pt_look_kind_name (PtLookKind kind);

/** A point of an object, such as an elbow. */
typedef struct {
  const char *name;  /* in English; NULL: it has none */
  double x, y;       /* in pixels of the picture */
  double visibility; /* 0 to 1 */
  gboolean is_found; /* FALSE: it is hidden, or not in the picture; @x and @y mean nothing */
} PtKeypoint;

/**
 * Which pixels of a rectangle of the picture belong to an object. Pixels are counted row by row
 * from the top left; @runs are lengths of stretches, the first of which is outside of the object
 * (and may be 0), the next inside, and so on. They add up to @width * @height.
 */
typedef struct {
  guint x, y, width, height; /* the rectangle; within the picture; @width 0: no mask */
  guint64 area;              /* pixels inside */
  const guint32 *runs;       /* as said above */
  guint n_runs;
} PtMask;

/** An object in a picture. */
typedef struct {
  double x1, y1, x2, y2; /* corners of its box in pixels of the picture, beyond which it may reach;
                            x1 <= x2, y1 <= y2 */
  double score;          /* 0 to 1 */
  guint index;           /* of its class, as the model counts */
  const char *label;     /* name of its class, or NULL */
  const PtKeypoint *points; /* POSES */
  guint n_points;
  PtMask mask; /* INSTANCES */
} PtObject;

/** The pixels of one class. */
typedef struct {
  guint index;
  const char *label; /* or NULL */
  guint64 pixels;    /* how many */
  double share;      /* of the picture, 0 to 1 */
} PtRegion;

/** A line of writing. */
typedef struct {
  double x[4], y[4]; /* corners in pixels of the picture, clockwise from the top left of the text */
  const char *text;  /* UTF-8; "" when no character was read; NULL: there is no recogniser */
  double confidence; /* 0 to 1 */
} PtTextLine;

/** How close a text is to a picture. */
typedef struct {
  const char *text;
  double similarity;  /* cosine, -1 to 1 */
  double probability; /* that it is this text and none of the others: softmax of 100 * similarity */
} PtSimilarity;

/** The results for one picture. Members that are not of the result's kind are 0. */
typedef struct {
  const char *path;
  const char *error;               /* a sentence that says why nothing was found out; else NULL */
  double elapsed_s;                /* seconds; 0 with @error, like everything below */
  guint width, height;             /* of the picture, in pixels */
  guint input_width, input_height; /* of what the model looked at */
  const PtClass *classes;          /* the most probable first */
  guint n_classes;
  const PtObject *objects; /* the highest score first */
  guint n_objects;
  const guint8 *segments;  /* the class of each pixel, row by row: @width * @height */
  const PtRegion *regions; /* of the classes in @segments, the largest first */
  guint n_regions;
  const guint8 *styled;    /* a picture of the same size: 3 * @width * @height, as in PtImage */
  const PtTextLine *lines; /* as they are read */
  guint n_lines;
  const float *vector; /* of length 1 */
  guint n_vector;
  const PtSimilarity *similarities; /* in the order of PtVisionOptions.texts */
  guint n_similarities;
} PtLookPicture;

/** The result of PT_JOB_LOOK. It never changes; all that it points to belongs to it. */
typedef struct {
  const char *model;             /* its name */
  const char *device;            /* where it ran */
  PtLookKind kind;               /* which members of pictures are set */
  double load_s;                 /* seconds that loading took */
  double threshold;              /* least score of a finding; 0: the model has no scores */
  const PtLookPicture *pictures; /* one for each image of the job, in the same order */
  guint n_pictures;
  gpointer owner; /* private */
} PtLookResult;

/** Take a reference to @result, for example to that of an event; any thread. */
PT_API PtLookResult *pt_look_result_ref (const PtLookResult *result);
/** Give back a reference; NULL is allowed. Any thread. */
PT_API void pt_look_result_unref (PtLookResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLookResult, pt_look_result_unref)

/**
 * One line of JSON, for scripts; of the members of an image, those of the kind are there:
 *
 *     { "model", "kind", "device", "load_s", "threshold",
 *       "images": [{ "path", "width", "height", "input": [width, height], "elapsed_s",
 *                    "classes": [{ "index", "label" or null, "probability" }],
 *                    "objects": [{ "index", "label" or null, "score", "box": [x1, y1, x2, y2],
 *                                  "keypoints": [{ "name" or null, "x", "y", "visibility",
 *                                                  "found" }],
 *                                  "mask": { "x", "y", "width", "height", "area", "runs" } }],
 *                    "regions": [{ "index", "label" or null, "pixels", "share" }],
 *                    "segments": { "width", "height", "runs": [[class, length], …] },
 *                    "lines": [{ "text" or null, "confidence", "corners": [[x, y], …] }],
 *                    "vector": […],
 *                    "similarities": [{ "text", "similarity", "probability" }] }
 *                  or { "path", "error": a sentence }],
 *       "ok": all could be read, "failed": how many could not }
 *
 * The pixels of a styled picture are not in it. Free with g_free().
 */
PT_API char *pt_look_result_to_json (const PtLookResult *result);

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

/** The bytes of a PNG file with @image. NULL with PT_ERROR_MEMORY. Blocking; any thread. */
PT_API GBytes *pt_image_to_png (const PtImage *image, GError **error);

/** Draw what was found in @picture into @image, which is the same picture: masks, boxes, points,
 * lines of writing; the styled picture replaces it. FALSE: the sizes differ. Any thread. */
PT_API gboolean pt_look_picture_paint (const PtLookPicture *picture, PtImage *image);

/** The colour of finding @index in pt_look_picture_paint(): 0xRRGGBB. Objects and lines count from
 * 0, classes of segments from 1: class 1 has colour 0. */
PT_API guint32 pt_look_colour (guint index);

/** A line between two points of an object: indices of PtObject's points. */
typedef struct {
  guint8 from; /* index of its first point */
  guint8 to;   /* index of its last point */
} PtBone;

/** The @n lines that are drawn between points of @object. Static. */
PT_API const PtBone *pt_look_bones (const PtObject *object, guint *n);

G_END_DECLS
