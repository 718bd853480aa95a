/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <glib/gstdio.h>

#include "engine/base/sha256.h"
#include "engine/init.h"
#include "engine/program/program-file.h"
#include "engine/vulkan/vk-delegate.h"
#include "engine/vulkan/vk-graph.h"
#include "engine/vulkan/vk-pipeline-cache.h"
#include "engine/vulkan/vulkan-cache.h"

/* The file of compiled shaders: what is read of it, and that it is written and used. */

#define MAGIC_SIZE 16
#define HEADER_SIZE (MAGIC_SIZE + 64)

static VkPhysicalDeviceProperties gpu = { .vendorID = 0x1002, .deviceID = 7 };

/* The driver's data: its header, and @n bytes. */
static guint8 *
driver_data (gsize n)
{
  guint8 *data = g_malloc0 (32 + n);
  const guint32 numbers[] = { GUINT32_TO_LE (32), GUINT32_TO_LE (1), GUINT32_TO_LE (gpu.vendorID),
                              GUINT32_TO_LE (gpu.deviceID) };

  memcpy (data, numbers, sizeof numbers);
  memcpy (data + 16, gpu.pipelineCacheUUID, VK_UUID_SIZE);
  for (gsize i = 0; i < n; i++)
    data[32 + i] = (guint8) (i * 7);
  return data;
}

/* Not by g_file_set_contents(), which waits for the disk each time. */
static void
write_file (const char *path, const guint8 *bytes, gsize size)
{
  FILE *file = g_fopen (path, "wb");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (bytes, 1, size, file), ==, size);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
refuse (const char *path, const char *reason)
{
  g_autoptr (GError) error = NULL;
  gsize size = 0;

  g_assert_null (pt_vk_pipelines_read (path, &gpu, &size, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, reason));
}

/* The content with one number of the driver's header changed and the sum made right again. */
static void
refuse_header (const char *path, const guint8 *bytes, gsize size, gsize at)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, size);
  g_autofree char *digest = NULL;

  copy[HEADER_SIZE + at] ^= 0x40;
  if (at == 0)
    copy[HEADER_SIZE] = 31;
  digest = pt_sha256 (copy + HEADER_SIZE, size - HEADER_SIZE);
  memcpy (copy + MAGIC_SIZE, digest, 64);
  write_file (path, copy, size);
  refuse (path, "another GPU or driver");
}

static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "file.bin", NULL);
  g_autofree guint8 *data = NULL, *back = NULL, *bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize size = 0, length = 0;

  for (guint i = 0; i < VK_UUID_SIZE; i++)
    gpu.pipelineCacheUUID[i] = (guint8) (i + 1);
  data = driver_data (100);
  refuse (path, path);
  g_assert_true (pt_vk_pipelines_write (path, data, 132, &error));
  back = pt_vk_pipelines_read (path, &gpu, &size, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (back, size, data, 132);
  g_assert_true (g_file_get_contents (path, (char **) &bytes, &length, NULL));
  g_assert_cmpuint (length, ==, HEADER_SIZE + 132);
  /* Each byte changed, and each length. */
  for (gsize i = 0; i < length; i++) {
    bytes[i] ^= 1;
    write_file (path, bytes, length);
    refuse (path, i < MAGIC_SIZE ? "not a file" : "damaged");
    bytes[i] ^= 1;
    write_file (path, bytes, i);
    refuse (path, i < HEADER_SIZE + 32 ? "not a file" : "damaged");
  }
  for (gsize at = 0; at < 32; at += at < 16 ? 4 : 1)
    refuse_header (path, bytes, length, at);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_size (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "file.bin", NULL);
  g_autofree guint8 *data = driver_data (PT_VK_MAX_KEPT_PIPELINES);
  g_autofree char *large = g_malloc0 (HEADER_SIZE + PT_VK_MAX_KEPT_PIPELINES + 1);
  g_autoptr (GError) error = NULL;

  g_assert_false (pt_vk_pipelines_write (path, data, PT_VK_MAX_KEPT_PIPELINES + 1, &error));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (
      g_file_set_contents (path, large, HEADER_SIZE + PT_VK_MAX_KEPT_PIPELINES + 1, NULL));
  refuse (path, "too large");
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- With a GPU ---- */

static PtVkDelegate *
load (PtProgram *program)
{
  g_autoptr (GError) error = NULL;
  const PtDelegateContext context = { .program = program,
                                      .spec = &pt_program_plan (program, 0)->delegates[0],
                                      .method = "forward",
                                      .scope = program };
  PtVkDelegate *delegate = pt_vk_delegate_new (&context, &error);

  g_assert_no_error (error);
  return delegate;
}

/* The empty folders above @path in the cache folder. */
static void
remove_folders (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (strcmp (folder, g_get_user_cache_dir ()) == 0 || g_rmdir (folder) != 0)
    return;
  remove_folders (folder);
}

static void
test_kept (void)
{
  g_autofree char *model =
      g_test_build_filename (G_TEST_DIST, "data", "vulkan", "two_linear_f16", "model.pte", NULL);
  g_autoptr (PtProgram) program = pt_program_open (model, NULL);
  g_autofree char *folder = NULL, *path = NULL, *name = NULL;
  g_autoptr (GError) error = NULL;
  PtVkContext *context;
  PtVkDelegate *delegate;

  g_assert_nonnull (program);
  if (pt_vk_instance (&error) == NULL) {
    g_test_skip ("no GPU");
    return;
  }
  folder = pt_vulkan_cache_folder (program);
  delegate = load (program);
  context = pt_vk_context_get (0, NULL, NULL); /* the same one */
  g_assert_nonnull (context->kept_path);
  g_assert_true (g_str_has_prefix (context->kept_path, folder));
  path = g_strdup (context->kept_path);
  g_assert_nonnull (pt_vk_pipeline (context, PT_VK_SHADER_fill_32, NULL, 0, &error));
  pt_vk_pipelines_keep (context);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  /* Nothing new: nothing is written. */
  g_unlink (path);
  pt_vk_pipelines_keep (context);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_nonnull (pt_vk_pipeline (context, PT_VK_SHADER_fill_8, NULL, 0, &error));
  pt_vk_pipelines_keep (context);
  gpu = context->properties;
  pt_vk_context_unref (context);
  pt_vk_delegate_free (delegate);
  name = (char *) pt_vk_pipelines_read (path, &gpu, &(gsize){ 0 }, &error);
  g_assert_no_error (error);
  /* The next one starts with it; a damaged one is no obstacle. */
  pt_vk_delegate_free (load (program));
  g_assert_true (g_file_set_contents (path, "damaged", -1, NULL));
  pt_vk_delegate_free (load (program));
  g_unlink (path);
  remove_folders (path);
}

int
main (int argc, char *argv[])
{
  g_autofree char *cache = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  int result;

  g_assert_nonnull (cache);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/vulkan/cache/file", test_file);
  g_test_add_func ("/vulkan/cache/size", test_size);
  g_test_add_func ("/vulkan/cache/kept", test_kept);
  result = g_test_run ();
  g_rmdir (cache);
  return result;
}
