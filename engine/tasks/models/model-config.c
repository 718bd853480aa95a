/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-config.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/tasks/models/model-root.h"

/* A config.json of this kind has some kilobytes. */
#define MAX_BYTES (256 * 1024)
#define MAX_VARIANTS 64
#define MAX_COMPONENTS 32
/* Bytes of a text in it. */
#define MAX_TEXT 200

static void
component_free (PtConfigComponent *component)
{
  g_free (component->role);
  g_free (component->path);
  g_free (component);
}

static void
variant_free (PtConfigVariant *variant)
{
  g_free (variant->file);
  g_clear_pointer (&variant->components, g_ptr_array_unref);
  g_free (variant->precision);
  g_free (variant);
}

void
pt_model_config_free (PtModelConfig *config)
{
  if (config == NULL)
    return;
  g_free (config->model);
  g_free (config->family);
  g_free (config->size);
  g_free (config->license);
  g_free (config->backend);
  g_free (config->tokenizer);
  g_free (config->tokenizer_config);
  g_clear_pointer (&config->variants, g_ptr_array_unref);
  g_free (config);
}

/* A short text without control characters, or NULL. */
static char *
read_text (const json_t *object, const char *key)
{
  const char *text = pt_json_string (object, key);

  if (text == NULL || *text == '\0' || strlen (text) > MAX_TEXT)
    return NULL;
  for (const char *c = text; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      return NULL;
  return g_strdup (text);
}

/*
 * A path that leads from the folder of config.json to one of the model's files: no absolute one, no
 * drive, no backslash, and ".." at its beginning only, @up times at most. NULL: another one.
 */
static char *
read_path (const json_t *object, const char *key, guint up)
{
  g_autofree char *path = read_text (object, key);
  g_auto (GStrv) names = NULL;
  gboolean inside = FALSE;

  if (path == NULL || strpbrk (path, "\\:*?\"<>|") != NULL)
    return NULL;
  names = g_strsplit (path, "/", -1);
  for (guint i = 0; names[i] != NULL; i++) {
    if (strcmp (names[i], "..") == 0 && !inside && up > 0) {
      up--;
      continue;
    }
    if (names[i][0] == '\0' || names[i][0] == '.')
      return NULL;
    inside = TRUE;
  }
  return inside ? g_steal_pointer (&path) : NULL;
}

static guint
read_capabilities (const json_t *list)
{
  static const struct {
    const char *name;
    PtCapability can;
  } NAMES[] = {
    { "text-generation", PT_CAN_GENERATE_TEXT },
    { "vision", PT_CAN_SEE },
    { "speech-to-text", PT_CAN_TRANSCRIBE },
    { "text-to-speech", PT_CAN_SPEAK },
    { "classification", PT_CAN_CLASSIFY },
    { "object-detection", PT_CAN_DETECT },
    { "semantic-segmentation", PT_CAN_SEGMENT },
    { "instance-segmentation", PT_CAN_SEPARATE },
    { "style-transfer", PT_CAN_STYLE },
    { "text-embedding", PT_CAN_EMBED_TEXT },
    { "image-embedding", PT_CAN_EMBED_IMAGE },
    { "image-generation", PT_CAN_GENERATE_IMAGE },
    { "voice-activity-detection", PT_CAN_HEAR_VOICE },
    { "text-detection", PT_CAN_FIND_WRITING },
    { "text-recognition", PT_CAN_READ_WRITING },
  };
  guint found = 0;

  for (gsize i = 0; i < json_array_size (list); i++) {
    const char *name = json_string_value (json_array_get (list, i));

    for (gsize k = 0; name != NULL && k < G_N_ELEMENTS (NAMES); k++)
      if (strcmp (name, NAMES[k].name) == 0)
        found |= NAMES[k].can;
  }
  return found;
}

static void
read_components (PtConfigVariant *variant, const json_t *object)
{
  const char *role;
  json_t *value;

  json_object_foreach ((json_t *) object, role, value) {
    g_autofree char *path = read_path (object, role, PT_ROOT_LEVELS);
    PtConfigComponent *component;

    if (path == NULL || *role == '\0' || strlen (role) > MAX_TEXT)
      continue;
    if (variant->components->len >= MAX_COMPONENTS)
      return;
    component = g_new0 (PtConfigComponent, 1);
    component->role = g_strdup (role);
    component->path = g_steal_pointer (&path);
    g_ptr_array_add (variant->components, component);
  }
}

static PtConfigVariant *
read_variant (const json_t *item)
{
  PtConfigVariant *variant = g_new0 (PtConfigVariant, 1);

  variant->components = g_ptr_array_new_with_free_func ((GDestroyNotify) component_free);
  variant->file = read_path (item, "file", 0);
  variant->precision = read_text (item, "precision");
  variant->quantized = pt_json_bool (item, "quantized", FALSE);
  variant->is_default = pt_json_bool (item, "default", FALSE);
  read_components (variant, json_object_get (item, "components"));
  return variant;
}

/* Of variants with the same file the first counts. */
static void
read_variants (PtModelConfig *config, const json_t *list)
{
  for (gsize i = 0; i < json_array_size (list) && config->variants->len < MAX_VARIANTS; i++) {
    PtConfigVariant *variant = read_variant (json_array_get (list, i));
    gboolean is_known =
        variant->file != NULL && pt_model_config_find (config, variant->file, NULL) != NULL;

    if (is_known || (variant->file == NULL && variant->components->len == 0))
      variant_free (variant);
    else
      g_ptr_array_add (config->variants, variant);
  }
}

static gboolean
is_published (const json_t *root)
{
  const char *schema = pt_json_string (root, "$schema");

  return json_is_array (json_object_get (root, "variants")) ||
         (schema != NULL && strstr (schema, "react-native-executorch") != NULL);
}

PtModelConfig *
pt_model_config_read (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "config.json", NULL);
  g_autoptr (json_t) root = NULL;
  PtModelConfig *config;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  root = pt_json_load (path, MAX_BYTES, error);
  if (root == NULL || !is_published (root))
    return NULL;
  config = g_new0 (PtModelConfig, 1);
  config->model = read_text (root, "model");
  config->family = read_text (root, "family");
  config->size = read_text (root, "size");
  config->license = read_text (root, "license");
  config->backend = read_text (root, "backend");
  config->tokenizer = read_path (root, "tokenizer", PT_ROOT_LEVELS);
  config->tokenizer_config = read_path (root, "tokenizer_config", PT_ROOT_LEVELS);
  config->capabilities = read_capabilities (json_object_get (root, "capabilities"));
  config->variants = g_ptr_array_new_with_free_func ((GDestroyNotify) variant_free);
  read_variants (config, json_object_get (root, "variants"));
  return config;
}

static gboolean
is_called (const char *path, const char *name)
{
  g_autofree char *base = path != NULL ? g_path_get_basename (path) : NULL;

  return base != NULL && strcmp (base, name) == 0;
}

const PtConfigVariant *
pt_model_config_find (const PtModelConfig *config, const char *name, const char **role)
{
  if (role != NULL)
    *role = NULL;
  for (guint i = 0; i < config->variants->len; i++) {
    const PtConfigVariant *variant = config->variants->pdata[i];

    if (is_called (variant->file, name))
      return variant;
    for (guint k = 0; k < variant->components->len; k++) {
      const PtConfigComponent *component = variant->components->pdata[k];

      if (!is_called (component->path, name))
        continue;
      if (role != NULL)
        *role = component->role;
      return variant;
    }
  }
  return NULL;
}
