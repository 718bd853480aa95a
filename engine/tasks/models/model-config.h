/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * PtModelConfig: the config.json that react-native-executorch's models have in the folder of their
 * programs (docs/formats/protocols.md, section 1.4). It is not the config.json of transformers.
 * Everything in it is checked: paths are relative, and lead no further up than PT_ROOT_LEVELS.
 */

/** The purpose of a model. */
typedef enum {
  PT_CAN_GENERATE_TEXT = 1 << 0,
  PT_CAN_SEE = 1 << 1,
  PT_CAN_TRANSCRIBE = 1 << 2,
  PT_CAN_SPEAK = 1 << 3,
  PT_CAN_CLASSIFY = 1 << 4,
  PT_CAN_DETECT = 1 << 5,
  PT_CAN_SEGMENT = 1 << 6,
  PT_CAN_SEPARATE = 1 << 7, /* instances */
  PT_CAN_STYLE = 1 << 8,
  PT_CAN_EMBED_TEXT = 1 << 9,
  PT_CAN_EMBED_IMAGE = 1 << 10,
  PT_CAN_GENERATE_IMAGE = 1 << 11,
  PT_CAN_HEAR_VOICE = 1 << 12,
  PT_CAN_FIND_WRITING = 1 << 13,
  PT_CAN_READ_WRITING = 1 << 14,
} PtCapability;

/** A file of a variant that has several. */
typedef struct {
  char *role; /* "encoder", "unet", … */
  char *path; /* relative to the folder of config.json */
} PtConfigComponent;

typedef struct {
  char *file;            /* name of the program in the folder; NULL: it has components */
  GPtrArray *components; /* PtConfigComponent; may be empty */
  char *precision;       /* "fp32", "8da4w", …; NULL: not said */
  gboolean quantized;
  gboolean is_default;
} PtConfigVariant;

typedef struct {
  char *model, *family, *size, *license; /* as written; NULL: not said */
  char *backend;                         /* "xnnpack", …; NULL: not said */
  char *tokenizer, *tokenizer_config;    /* paths relative to the folder, or NULL */
  guint capabilities;                    /* PtCapability */
  GPtrArray *variants;                   /* PtConfigVariant */
} PtModelConfig;

/**
 * Read the config.json in @folder. NULL: there is none, it is one of transformers (then @error is
 * not set), or it cannot be used. Free with pt_model_config_free(). Blocking; any thread.
 */
PtModelConfig *pt_model_config_read (const char *folder, GError **error);
void pt_model_config_free (PtModelConfig *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelConfig, pt_model_config_free)

/** The variant of @config that has @name (without folders) as its file or as a component, or NULL.
 * @role: set to the component's role, or to NULL; or NULL. Owned by @config. */
const PtConfigVariant *pt_model_config_find (const PtModelConfig *config, const char *name,
                                             const char **role);

G_END_DECLS
