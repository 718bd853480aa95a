/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#define VK_NO_PROTOTYPES
#include <gmodule.h>
#include <vulkan/vulkan_core.h>

G_BEGIN_DECLS

/* Shared by the files of the fake (fake-vulkan.h). Handles are pointers to FakeObject. */

typedef enum {
  FAKE_NONE,
  FAKE_INSTANCE,
  FAKE_DEVICE,
  FAKE_MEMORY,
  FAKE_BUFFER,
  FAKE_FENCE,
  FAKE_MODULE,
  FAKE_CACHE,
  FAKE_PIPELINE,
  FAKE_LAYOUT,
  FAKE_SET_LAYOUT,
  FAKE_DESCRIPTORS,
  FAKE_SET,
  FAKE_POOL,
  FAKE_COMMANDS,
  FAKE_QUERIES,
} FakeKind;

typedef struct _FakeObject FakeObject;

struct _FakeObject {
  FakeKind kind;
  guint64 size;        /* of memory, buffers and results; room of descriptor pools */
  guint8 *bytes;       /* of memory */
  FakeObject *memory;  /* of a buffer */
  guint64 offset;      /* of a buffer in it; of a result in its buffer */
  FakeObject *result;  /* of a set with three bindings: the buffer of the last one */
  FakeObject *set;     /* that a command buffer has bound */
  gboolean is_done;    /* of a fence */
  GPtrArray *children; /* of pools */
  FakeKind child_kind;
  GArray *commands; /* FakeCommand, of a command buffer */
};

/* A copy; a fill with zeros where @from is NULL. */
typedef struct {
  FakeObject *from, *to;
  guint64 from_offset, to_offset, size;
} FakeCommand;

/** VK_SUCCESS, or what the test wants of this call. */
VkResult fake_vulkan_answer (const char *function);
/** What follows @name in FAKE_VULKAN; NULL: it is not there. */
const char *fake_vulkan_option (const char *name);

FakeObject *fake_object_new (FakeKind kind);
/** @handle, which must be of that kind. */
FakeObject *fake_object (FakeKind kind, const void *handle);
void fake_object_free (FakeKind kind, const void *handle);

/** What a call that fails leaves in its result: Vulkan says nothing about it. */
#define FAKE_GARBAGE ((gpointer) (gsize) 0xbad)

/** A function by its name in Vulkan. */
typedef struct {
  const char *name;
  PFN_vkVoidFunction function;
} FakeFunction;

#define FAKE_FUNCTION(name, function)         \
  {                                           \
    "vk" #name, (PFN_vkVoidFunction) function \
  }

/** NULL: none of @functions has this name. */
PFN_vkVoidFunction fake_find_function (const FakeFunction *functions, guint n, const char *name);

PFN_vkVoidFunction fake_vulkan_device_function (const char *name);

G_END_DECLS
