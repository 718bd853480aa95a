/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/cli.h"
#include "engine/base/clean.h"
#include "engine/base/output.h"

typedef struct {
  gboolean json;
  const char *output; /* a PNG file; or NULL */
  char **images;
  int status;
} Look;

/* A text of one line, whatever the model's files say; its number when there is none. */
static char *
clean_label (const char *label, guint index)
{
  return label != NULL ? pt_clean_text (label, NULL, ' ') : g_strdup_printf ("class %u", index);
}

static void
show_classes (const PtLookPicture *picture)
{
  for (guint i = 0; i < picture->n_classes; i++) {
    const PtClass *one = &picture->classes[i];
    g_autofree char *label = clean_label (one->label, one->index);

    pteris_putf ("%5.1f %%  %s (%u)\n", 100 * one->probability, label, one->index);
  }
}

static void
show_objects (const PtLookPicture *picture)
{
  for (guint i = 0; i < picture->n_objects; i++) {
    const PtObject *object = &picture->objects[i];
    g_autofree char *label = clean_label (object->label, object->index);

    pteris_putf ("%5.1f %%  %s  %.1f %.1f %.1f %.1f", 100 * object->score, label, object->x1,
                 object->y1, object->x2, object->y2);
    if (object->mask.width > 0)
      pteris_putf ("  %" G_GUINT64_FORMAT " pixels", object->mask.area);
    pteris_put ("\n");
    for (guint k = 0; k < object->n_points; k++) {
      const PtKeypoint *point = &object->points[k];
      g_autofree char *name =
          point->name != NULL ? g_strdup (point->name) : g_strdup_printf ("point %u", k);

      if (point->is_found)
        pteris_putf ("         %s  %.1f %.1f\n", name, point->x, point->y);
    }
  }
}

static void
show_regions (const PtLookPicture *picture)
{
  for (guint i = 0; i < picture->n_regions; i++) {
    const PtRegion *region = &picture->regions[i];
    g_autofree char *label = clean_label (region->label, region->index);

    pteris_putf ("%5.1f %%  %s (%u)\n", 100 * region->share, label, region->index);
  }
}

static void
show_lines (const PtLookPicture *picture)
{
  for (guint i = 0; i < picture->n_lines; i++) {
    const PtTextLine *line = &picture->lines[i];
    g_autofree char *text = pt_clean_text (line->text != NULL ? line->text : "", NULL, ' ');

    if (line->text != NULL)
      pteris_putf ("%5.1f %%  %s\n", 100 * line->confidence, text);
    else
      pteris_putf ("text at %.1f %.1f %.1f %.1f\n", line->x[0], line->y[0], line->x[2], line->y[2]);
  }
}

static void
show_embedding (const PtLookPicture *picture)
{
  for (guint i = 0; i < picture->n_similarities; i++) {
    const PtSimilarity *one = &picture->similarities[i];
    g_autofree char *text = pt_clean_text (one->text, NULL, ' ');

    pteris_putf ("%5.1f %%  %.4f  %s\n", 100 * one->probability, one->similarity, text);
  }
  if (picture->n_similarities == 0)
    pteris_putf ("%u numbers; --json shows them, --text compares them with a text\n",
                 picture->n_vector);
}

static void
show_picture (const Look *self, const PtLookPicture *picture, PtLookKind kind)
{
  switch (kind) {
  case PT_LOOK_CLASSES: show_classes (picture); return;
  case PT_LOOK_OBJECTS:
  case PT_LOOK_POSES:
  case PT_LOOK_INSTANCES: show_objects (picture); break;
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON: show_regions (picture); return;
  case PT_LOOK_WRITING: show_lines (picture); break;
  case PT_LOOK_EMBEDDING: show_embedding (picture); return;
  case PT_LOOK_STYLE:
    if (self->output == NULL)
      pteris_note ("The result is a picture. Name a file for it with --output.");
    return;
  case PT_N_LOOK_KINDS: return;
  }
  if (picture->n_objects == 0 && picture->n_lines == 0)
    pteris_note ("Nothing was found. A lower --threshold may find more.");
}

/* Writes the picture with what was found in it. */
static void
write_picture (Look *self, const PtLookPicture *picture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtImage) image = pt_image_read (picture->path, NULL, NULL, &error);
  g_autoptr (GBytes) png = NULL;
  PtOutputPart part;

  if (image != NULL && !pt_look_picture_paint (picture, image)) {
    pteris_complain ("“%s” was changed meanwhile.", picture->path);
    self->status = PTERIS_EXIT_FAILED;
    return;
  }
  png = image != NULL ? pt_image_to_png (image, &error) : NULL;
  if (png != NULL)
    part.data = g_bytes_get_data (png, &part.size);
  if (png == NULL || !pt_output_write (self->output, PT_OUTPUT_PNG,
                                       (const char *const *) self->images, &part, 1, &error)) {
    pteris_complain ("%s", error->message);
    self->status = PTERIS_EXIT_FAILED;
  }
}

static void
show_text (const Look *self, const PtLookResult *found)
{
  for (guint i = 0; i < found->n_pictures; i++) {
    const PtLookPicture *picture = &found->pictures[i];

    if (found->n_pictures > 1) {
      g_autofree char *path = pt_clean_text (picture->path, NULL, ' ');

      pteris_putf ("%s%s\n", i > 0 ? "\n" : "", path);
    }
    if (picture->error != NULL)
      pteris_complain ("%s", picture->error);
    else
      show_picture (self, picture, found->kind);
  }
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Look *self = user_data;

  if (event->kind != PT_EVENT_REPORT)
    return;
  for (guint i = 0; i < event->look->n_pictures; i++)
    if (event->look->pictures[i].error != NULL)
      self->status = PTERIS_EXIT_FAILED;
  if (self->json) {
    g_autofree char *text = pt_look_result_to_json (event->look);

    pteris_put_json (text);
  } else {
    show_text (self, event->look);
  }
  if (self->output != NULL && event->look->pictures[0].error == NULL)
    write_picture (self, &event->look->pictures[0]);
}

static int
run (const PterisOptions *options, const PtJob *job, const char *output)
{
  g_autoptr (PterisCli) cli = NULL;
  Look self = { options->json, output, options->arguments + 1, PTERIS_EXIT_DONE };
  g_autoptr (GError) error = NULL;
  int status;

  /* Better before the model is loaded. */
  if (output != NULL &&
      !pt_output_check (output, PT_OUTPUT_PNG, (const char *const *) self.images, &error)) {
    pteris_complain ("%s", error->message);
    return PTERIS_EXIT_FAILED;
  }
  cli = pteris_cli_new (options);
  status = pteris_cli_run (cli, job, on_event, &self);
  return status == PTERIS_EXIT_DONE ? self.status : status;
}

/* The text that --help shows for this command. */
#define SUMMARY                                                                                 \
  "Find what is in images: classes, objects, poses, masks, text, another style, similarity to " \
  "texts."

int
pteris_look_command (int argc, char **argv)
{
  g_autofree char *labels = NULL, *method = NULL, *output = NULL;
  g_auto (GStrv) texts = NULL;
  double threshold = 0;
  int top = 5, size = 0;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
      "Draw what is found into a PNG file; one image only", "FILE" },
    { "threshold", 0, 0, G_OPTION_ARG_DOUBLE, &threshold,
      "Least score, up to 1; default: the model's usual one", "X" },
    { "size", 0, 0, G_OPTION_ARG_INT, &size,
      "Side of the model's input, where it has several; default: the smallest", "N" },
    { "text", 0, 0, G_OPTION_ARG_STRING_ARRAY, &texts,
      "Compare the images with a text, by a CLIP model; may be repeated", "TEXT" },
    { "labels", 'l', 0, G_OPTION_ARG_FILENAME, &labels,
      "Class names, one per line, or the alphabet of a text recogniser", "FILE" },
    { "top", 'n', 0, G_OPTION_ARG_INT, &top, "Number of classes of a classifier; default: 5", "N" },
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &method, "Method to run; default: forward", "NAME" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "look MODEL IMAGE…", SUMMARY, entries, 2, G_MAXUINT,
                                     argc, argv);
  PtJob job;

  if (status >= 0)
    return status;
  if (top < 1)
    return pteris_usage_error ("look", "--top must be 1 or more.");
  if (size < 0)
    return pteris_usage_error ("look", "--size must not be negative.");
  if (!(threshold >= 0 && threshold <= 1))
    return pteris_usage_error ("look", "--threshold must be from 0 to 1.");
  if (output != NULL && common.arguments[2] != NULL)
    return pteris_usage_error ("look", "--output takes one image only.");
  job = pteris_options_job (&common, PT_JOB_LOOK, common.arguments[0]);
  job.vision.images = (const char *const *) common.arguments + 1;
  job.vision.labels = labels;
  job.vision.top = (guint) top;
  job.vision.threshold = threshold;
  job.vision.size = (guint) size;
  job.vision.texts = (const char *const *) texts;
  job.model.method = method;
  return run (&common, &job, output);
}
