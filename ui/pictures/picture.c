/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/picture.h"

#include "ui/parts/image-file.h"

/* The longer side of what is shown, in pixels; and of a thumbnail. */
#define MAX_SIDE 4096
#define THUMBNAIL_SIDE 128

struct _PterisPicture {
  GObject parent_instance;

  char *path, *title;
  GdkTexture *texture, *thumbnail;
  int width, height;
  GError *error;
  GCancellable *reading; /* NULL: no thread decodes it */
  PtLookResult *result;
  PterisMasks *masks;
  guint number; /* of the latest result, so that the masks of an earlier one are dropped */
};

G_DEFINE_FINAL_TYPE (PterisPicture, pteris_picture, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- decoding ---- */

typedef struct {
  GdkTexture *texture, *thumbnail;
  int width, height;
} Decoded;

static void
decoded_free (Decoded *decoded)
{
  g_clear_object (&decoded->texture);
  g_clear_object (&decoded->thumbnail);
  g_free (decoded);
}

/* At most @side pixels wide and high; never larger than it is. */
static GdkTexture *
make_texture (GdkPixbuf *pixbuf, int side)
{
  int width = gdk_pixbuf_get_width (pixbuf), height = gdk_pixbuf_get_height (pixbuf);
  double scale = MIN (1.0, (double) side / MAX (width, height));
  g_autoptr (GdkPixbuf) small = NULL;

  if (scale >= 1)
    return gdk_texture_new_for_pixbuf (pixbuf);
  small = gdk_pixbuf_scale_simple (pixbuf, MAX (1, (int) (width * scale + 0.5)),
                                   MAX (1, (int) (height * scale + 0.5)), GDK_INTERP_BILINEAR);
  return gdk_texture_new_for_pixbuf (small != NULL ? small : pixbuf);
}

static void
decode_in_thread (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autoptr (GdkPixbuf) pixbuf = pteris_image_file_read (path, 0, cancellable, &error);
  Decoded *decoded;

  if (pixbuf == NULL) {
    g_task_return_error (task, error);
    return;
  }
  decoded = g_new0 (Decoded, 1);
  decoded->width = gdk_pixbuf_get_width (pixbuf);
  decoded->height = gdk_pixbuf_get_height (pixbuf);
  decoded->texture = make_texture (pixbuf, MAX_SIDE);
  decoded->thumbnail = make_texture (pixbuf, THUMBNAIL_SIDE);
  g_task_return_pointer (task, decoded, (GDestroyNotify) decoded_free);
}

static void
on_decoded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisPicture *self = PTERIS_PICTURE (source);
  GError *error = NULL;
  Decoded *decoded = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->reading) {
    g_clear_error (&error);
    g_clear_pointer (&decoded, decoded_free);
    return;
  }
  g_clear_object (&self->reading);
  g_clear_error (&self->error);
  self->error = error;
  if (decoded != NULL) {
    g_set_object (&self->texture, decoded->texture);
    g_set_object (&self->thumbnail, decoded->thumbnail);
    self->width = decoded->width;
    self->height = decoded->height;
    decoded_free (decoded);
  }
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

void
pteris_picture_open (PterisPicture *self)
{
  g_autoptr (GTask) task = NULL;

  if (self->texture != NULL || self->reading != NULL)
    return;
  g_clear_error (&self->error);
  self->reading = g_cancellable_new ();
  task = g_task_new (self, self->reading, on_decoded, NULL);
  g_task_set_source_tag (task, pteris_picture_open);
  g_task_set_task_data (task, g_strdup (self->path), g_free);
  g_task_run_in_thread (task, decode_in_thread);
}

static void
stop_reading (PterisPicture *self)
{
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}

/* ---- what was found ---- */

typedef struct {
  PtLookResult *result;
  guint number;
} Making;

static void
making_free (Making *making)
{
  pt_look_result_unref (making->result);
  g_free (making);
}

static void
make_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Making *making = data;

  g_task_return_pointer (task, pteris_masks_new (&making->result->pictures[0]),
                         (GDestroyNotify) pteris_masks_free);
}

static void
on_made (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisPicture *self = PTERIS_PICTURE (source);
  const Making *making = g_task_get_task_data (G_TASK (result));
  g_autoptr (PterisMasks) masks = g_task_propagate_pointer (G_TASK (result), NULL);

  if (making->number != self->number)
    return;
  g_clear_pointer (&self->masks, pteris_masks_free);
  self->masks = g_steal_pointer (&masks);
  pt_look_result_unref (self->result);
  self->result = pt_look_result_ref (making->result);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
forget (PterisPicture *self)
{
  self->number++;
  g_clear_pointer (&self->result, pt_look_result_unref);
  g_clear_pointer (&self->masks, pteris_masks_free);
}

void
pteris_picture_set_result (PterisPicture *self, const PtLookResult *result)
{
  g_autoptr (GTask) task = NULL;
  Making *making;

  if (result == NULL) {
    forget (self);
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
    return;
  }
  making = g_new (Making, 1);
  *making = (Making){ pt_look_result_ref (result), ++self->number };
  task = g_task_new (self, NULL, on_made, NULL);
  g_task_set_source_tag (task, pteris_picture_set_result);
  g_task_set_task_data (task, making, (GDestroyNotify) making_free);
  g_task_run_in_thread (task, make_in_thread);
}

void
pteris_picture_free_memory (PterisPicture *self)
{
  const PtLookPicture *found = self->result != NULL ? &self->result->pictures[0] : NULL;

  stop_reading (self);
  g_clear_object (&self->texture);
  if (found != NULL && (found->segments != NULL || found->styled != NULL))
    forget (self);
}

/* ---- the rest ---- */

const char *
pteris_picture_get_path (PterisPicture *self)
{
  return self->path;
}

const char *
pteris_picture_get_title (PterisPicture *self)
{
  return self->title;
}

GdkTexture *
pteris_picture_get_texture (PterisPicture *self)
{
  return self->texture;
}

GdkTexture *
pteris_picture_get_thumbnail (PterisPicture *self)
{
  return self->thumbnail;
}

void
pteris_picture_get_size (PterisPicture *self, int *width, int *height)
{
  *width = self->width;
  *height = self->height;
}

const GError *
pteris_picture_get_error (PterisPicture *self)
{
  return self->error;
}

const PtLookResult *
pteris_picture_get_result (PterisPicture *self)
{
  return self->result;
}

PterisMasks *
pteris_picture_get_masks (PterisPicture *self)
{
  return self->masks;
}

static void
pteris_picture_dispose (GObject *object)
{
  PterisPicture *self = PTERIS_PICTURE (object);

  stop_reading (self);
  forget (self);
  g_clear_object (&self->texture);
  g_clear_object (&self->thumbnail);
  G_OBJECT_CLASS (pteris_picture_parent_class)->dispose (object);
}

static void
pteris_picture_finalize (GObject *object)
{
  PterisPicture *self = PTERIS_PICTURE (object);

  g_clear_error (&self->error);
  g_free (self->path);
  g_free (self->title);
  G_OBJECT_CLASS (pteris_picture_parent_class)->finalize (object);
}

static void
pteris_picture_class_init (PterisPictureClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_picture_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_picture_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_PICTURE, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_picture_init (PterisPicture *self)
{
}

PterisPicture *
pteris_picture_new (const char *path)
{
  PterisPicture *self = g_object_new (PTERIS_TYPE_PICTURE, NULL);

  self->path = g_strdup (path);
  self->title = g_filename_display_basename (path);
  return self;
}
