/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/run-input.h"

#include <string.h>

#include "ui/i18n.h"

#define MAX_RANK 16

struct _PterisRunInput {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *title;
  GtkDropDown *source;
  GtkEntry *shape;
  GtkWidget *shape_row;
  GtkLabel *bounds;
  GtkEntry *numbers;
  GtkWidget *file_row;
  GtkLabel *file_name;
  GtkWidget *image_row;
  GtkDropDown *fit;
  GtkDropDown *range;
  GtkLabel *problem;

  guint index;
  char *dtype;
  guint rank;
  gint64 bound[MAX_RANK];
  gint64 sizes[MAX_RANK]; /* after a check */
  gboolean dynamic;
  char *path;
};

G_DEFINE_FINAL_TYPE (PterisRunInput, pteris_run_input, GTK_TYPE_WIDGET)

static PterisInputSource
get_source (PterisRunInput *self)
{
  return gtk_drop_down_get_selected (self->source);
}

static void
update (PterisRunInput *self)
{
  PterisInputSource source = get_source (self);
  gboolean image = source == PTERIS_INPUT_IMAGE;

  gtk_widget_set_visible (GTK_WIDGET (self->numbers), source == PTERIS_INPUT_NUMBERS);
  gtk_widget_set_visible (self->file_row, image || source == PTERIS_INPUT_FILE);
  gtk_widget_set_visible (self->image_row, image);
  gtk_widget_set_visible (GTK_WIDGET (self->range), g_strcmp0 (self->dtype, "uint8") != 0);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
}

/* ---- checking ---- */

/* @entry: where it is mended, or NULL. */
static gboolean
complain (PterisRunInput *self, GtkEntry *entry, const char *text)
{
  gtk_label_set_text (self->problem, text);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), TRUE);
  if (entry != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (entry));
  return FALSE;
}

static gboolean
parse_shape (PterisRunInput *self)
{
  g_auto (GStrv) parts =
      g_strsplit_set (gtk_editable_get_text (GTK_EDITABLE (self->shape)), ",x", -1);
  guint n = g_strv_length (parts);

  if (n != self->rank) {
    g_autofree char *text = g_strdup_printf (
        ngettext ("Enter %u number.", "Enter %u numbers, separated by commas.", self->rank),
        self->rank);

    return complain (self, self->shape, text);
  }
  for (guint i = 0; i < n; i++) {
    gint64 most = self->bound[i];

    g_strstrip (parts[i]);
    if (!g_ascii_string_to_signed (parts[i], 10, 0, most, &self->sizes[i], NULL)) {
      g_autofree char *text =
          g_strdup_printf (_ ("“%s” is not a valid size: dimension %u must be between 0 and %lld."),
                           parts[i], i, (long long) most);

      return complain (self, self->shape, text);
    }
  }
  return TRUE;
}

/* As the engine takes them: all numbers, or one for all. */
static gboolean
check_numbers (PterisRunInput *self)
{
  g_auto (GStrv) parts =
      g_strsplit_set (gtk_editable_get_text (GTK_EDITABLE (self->numbers)), ", \t\n;", -1);
  g_autofree char *text = NULL;
  guint64 wanted = 1, n = 0;

  /* The engine refuses sizes whose product overflows. */
  for (guint i = 0; i < self->rank; i++)
    if (!g_uint64_checked_mul (&wanted, wanted, (guint64) MAX (self->sizes[i], 0)))
      return TRUE;
  for (guint i = 0; parts[i] != NULL; i++) {
    char *end;

    if (*parts[i] == '\0')
      continue;
    g_ascii_strtod (parts[i], &end);
    if (*end != '\0') {
      text = g_strdup_printf (_ ("“%s” is not a number."), parts[i]);
      return complain (self, self->numbers, text);
    }
    n++;
  }
  if (n == 0)
    return complain (self, self->numbers, _ ("Enter the numbers, or one number for all."));
  if (n == 1 || n == wanted)
    return TRUE;
  text = g_strdup_printf (_ ("Enter %llu numbers, or one number for all; there are %llu."),
                          (unsigned long long) wanted, (unsigned long long) n);
  return complain (self, self->numbers, text);
}

gboolean
pteris_run_input_check (PterisRunInput *self)
{
  PterisInputSource source = get_source (self);

  gtk_widget_set_visible (GTK_WIDGET (self->problem), FALSE);
  memcpy (self->sizes, self->bound, sizeof self->sizes);
  if (self->dynamic && !parse_shape (self))
    return FALSE;
  if (source == PTERIS_INPUT_NUMBERS && !check_numbers (self))
    return FALSE;
  if ((source == PTERIS_INPUT_FILE || source == PTERIS_INPUT_IMAGE) && self->path == NULL)
    return complain (self, NULL, _ ("Choose a file."));
  if (source == PTERIS_INPUT_IMAGE && !pteris_image_fits (self->dtype, self->rank, self->sizes))
    return complain (self, NULL, _ ("An image cannot have this shape."));
  return TRUE;
}

static char *
write_shape (PterisRunInput *self)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->rank; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", self->sizes[i]);
  return g_string_free (out, FALSE);
}

static char *
make_image (PterisRunInput *self, const char *folder, PterisImageJob **image)
{
  g_autofree char *name = g_strdup_printf ("image%u.bin", self->index);
  PterisImageJob *job = g_new0 (PterisImageJob, 1);

  job->path = g_strdup (self->path);
  job->output = g_build_filename (folder, name, NULL);
  job->bytes = g_strcmp0 (self->dtype, "uint8") == 0;
  job->rank = self->rank;
  memcpy (job->sizes, self->sizes, sizeof job->sizes);
  job->fit = gtk_drop_down_get_selected (self->fit);
  job->range = gtk_drop_down_get_selected (self->range);
  *image = job;
  return g_strdup (job->output);
}

char *
pteris_run_input_make (PterisRunInput *self, const char *folder, char **shape,
                       PterisImageJob **image)
{
  const char *numbers = gtk_editable_get_text (GTK_EDITABLE (self->numbers));

  *image = NULL;
  *shape = self->dynamic ? write_shape (self) : NULL;
  switch (get_source (self)) {
  case PTERIS_INPUT_RANDOM: return g_strdup_printf ("random:%u", self->index + 1);
  case PTERIS_INPUT_ZEROS: break;
  case PTERIS_INPUT_NUMBERS: return g_strconcat ("values:", numbers, NULL);
  case PTERIS_INPUT_FILE: return g_strdup (self->path);
  case PTERIS_INPUT_IMAGE: return make_image (self, folder, image);
  }
  return g_strdup ("zeros:");
}

/* ---- choosing ---- */

void
pteris_run_input_set_source (PterisRunInput *self, PterisInputSource source)
{
  gtk_drop_down_set_selected (self->source, source);
}

void
pteris_run_input_set_numbers (PterisRunInput *self, const char *numbers)
{
  gtk_editable_set_text (GTK_EDITABLE (self->numbers), numbers);
}

void
pteris_run_input_set_file (PterisRunInput *self, const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);

  g_free (self->path);
  self->path = g_strdup (path);
  gtk_label_set_text (self->file_name, name);
  update (self);
}

void
pteris_run_input_set_shape (PterisRunInput *self, const char *shape)
{
  gtk_editable_set_text (GTK_EDITABLE (self->shape), shape);
}

static void
on_file_chosen (GtkNativeDialog *dialog, int response, PterisRunInput *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL && g_file_peek_path (file) != NULL)
    pteris_run_input_set_file (self, g_file_peek_path (file));
  g_object_unref (dialog);
}

static void
on_enter (PterisRunInput *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "run.start", NULL);
}

static void
on_choose (PterisRunInput *self)
{
  gboolean image = get_source (self) == PTERIS_INPUT_IMAGE;
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (image ? _ ("Open an Image") : _ ("Open a Tensor"),
                                   GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, image ? _ ("Images") : _ ("Tensors"));
  if (image) {
    gtk_file_filter_add_pixbuf_formats (filter);
  } else {
    gtk_file_filter_add_suffix (filter, "npy");
    gtk_file_filter_add_suffix (filter, "bin");
  }
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- life ---- */

static void
read_spec (PterisRunInput *self, const PtInspectValue *spec)
{
  self->dtype = g_strdup (spec->value.dtype);
  self->dynamic = spec->dynamic;
  self->rank = MIN (spec->value.rank, MAX_RANK);
  for (guint i = 0; i < self->rank; i++)
    self->bound[i] = spec->value.shape[i];
  memcpy (self->sizes, self->bound, sizeof self->sizes);
}

PterisRunInput *
pteris_run_input_new (guint index, const PtInspectValue *spec)
{
  const char *sources[] = { _ ("Random"), _ ("Zeros"), _ ("Numbers"), _ ("File"), NULL, NULL };
  PterisRunInput *self = g_object_new (PTERIS_TYPE_RUN_INPUT, NULL);
  g_autoptr (GtkStringList) list = NULL;
  g_autofree char *shape = NULL;
  g_autofree char *title = NULL;
  g_autofree char *bounds = NULL;

  self->index = index;
  read_spec (self, spec);
  if (pteris_image_fits (self->dtype, self->rank, self->bound))
    sources[PTERIS_INPUT_IMAGE] = _ ("Image");
  list = gtk_string_list_new (sources);
  gtk_drop_down_set_model (self->source, G_LIST_MODEL (list));
  shape = write_shape (self);
  title = g_strdup_printf (_ ("Input %u: %s [%s]"), index, self->dtype, shape);
  bounds = g_strdup_printf (_ ("At most %s"), shape);
  gtk_label_set_text (self->title, title);
  gtk_label_set_text (self->bounds, bounds);
  gtk_editable_set_text (GTK_EDITABLE (self->shape), shape);
  gtk_widget_set_visible (self->shape_row, self->dynamic);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->source), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  update (self);
  return self;
}

static void
pteris_run_input_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_RUN_INPUT);
  G_OBJECT_CLASS (pteris_run_input_parent_class)->dispose (object);
}

static void
pteris_run_input_finalize (GObject *object)
{
  PterisRunInput *self = PTERIS_RUN_INPUT (object);

  g_free (self->dtype);
  g_free (self->path);
  G_OBJECT_CLASS (pteris_run_input_parent_class)->finalize (object);
}

static void
pteris_run_input_class_init (PterisRunInputClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_run_input_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_run_input_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/run-input.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisRunInput, name)
  CHILD (content);
  CHILD (title);
  CHILD (source);
  CHILD (shape);
  CHILD (shape_row);
  CHILD (bounds);
  CHILD (numbers);
  CHILD (file_row);
  CHILD (file_name);
  CHILD (image_row);
  CHILD (fit);
  CHILD (range);
  CHILD (problem);
#undef CHILD
  gtk_widget_class_bind_template_callback_full (widget_class, "on_source", G_CALLBACK (update));
  gtk_widget_class_bind_template_callback (widget_class, on_choose);
  gtk_widget_class_bind_template_callback (widget_class, on_enter);
}

static void
pteris_run_input_init (PterisRunInput *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
