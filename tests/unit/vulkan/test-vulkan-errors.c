/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <gmodule.h>

#include "engine/init.h"
#include "engine/runtime/device.h"
#include "engine/runtime/execution.h"
#include "engine/vulkan/vk-instance.h"
#include "tests/fakes/fake-vulkan.h"
#include "tests/unit/vulkan/vulkan-maker.h"

/*
 * What drivers do that they should not, by a fake one (tests/fakes): each call of each function
 * fails once, in each way. The error says what happened, nothing is used that is gone, everything
 * is freed, and after an error that is no lost GPU, the same delegate runs again.
 */

static FakeVulkanFail fail;
static FakeVulkanCalls count_calls;
static FakeVulkanAlive count_alive;

static void
open_fake (void)
{
  GModule *module = g_module_open (FAKE_VULKAN_PATH, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

  g_assert_nonnull (module);
  g_assert_true (g_module_symbol (module, "fake_vulkan_fail", (gpointer *) &fail));
  g_assert_true (g_module_symbol (module, "fake_vulkan_calls", (gpointer *) &count_calls));
  g_assert_true (g_module_symbol (module, "fake_vulkan_alive", (gpointer *) &count_alive));
}

/* Constants, a state, a symbolic integer, dispatches, and a call on the CPU between them. */
static VulkanMaker *
make_model (void)
{
  VulkanMaker *maker = vulkan_maker_new ();
  guint32 null = vulkan_maker_null (maker), start, q, weight, attended, flat;
  gint64 block[] = { 1, 8 };

  q = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, 2, 2, 16));
  start = vulkan_maker_symbol (maker);
  attended = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, 2, 2, 16));
  CALL (maker, "sdpa_with_kv_cache.default", q, q, q,
        vulkan_maker_state (maker, DIMS (1, 64, 2, 16)),
        vulkan_maker_state (maker, DIMS (1, 64, 2, 16)), start, null, null,
        vulkan_maker_double (maker, 0), vulkan_maker_bool (maker, TRUE), null, attended);
  flat = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (2, 32));
  CALL (maker, "aten.view_copy.default", attended,
        vulkan_maker_ints (maker, 2, (gint64[]){ 2, 32 }), flat);
  weight = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (8, 32));
  CALL (maker, "torchao.dequantize_affine.default",
        vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (8, 32), NULL),
        vulkan_maker_ints (maker, 2, block),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (8, 4), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (8, 4), NULL), null,
        vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, weight);
  CALL (maker, "aten.linear.default", flat, weight,
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (8), NULL),
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (2, 8)));
  return maker;
}

/* ---- Failing calls ---- */

static const char *const FUNCTIONS[] = {
  "vkCreateDevice",
  "vkCreatePipelineCache",
  "vkCreateCommandPool",
  "vkCreateBuffer",
  "vkAllocateMemory",
  "vkBindBufferMemory",
  "vkMapMemory",
  "vkAllocateCommandBuffers",
  "vkCreateFence",
  "vkBeginCommandBuffer",
  "vkEndCommandBuffer",
  "vkQueueSubmit",
  "vkWaitForFences",
  "vkResetFences",
  "vkCreateShaderModule",
  "vkCreateComputePipelines",
  "vkCreateDescriptorSetLayout",
  "vkCreatePipelineLayout",
  "vkCreateDescriptorPool",
  "vkAllocateDescriptorSets",
};

static const int CODES[] = { VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY,
                             VK_ERROR_DEVICE_LOST, VK_ERROR_UNKNOWN };

static gboolean
run_twice (VulkanMaker *maker, PtVkDelegate *delegate, GError **error)
{
  return vulkan_maker_try_run (maker, delegate, 0, error) &&
         vulkan_maker_try_run (maker, delegate, 2, error);
}

static void
check_error (const GError *error, int code)
{
  int wanted = code == VK_ERROR_OUT_OF_DEVICE_MEMORY || code == VK_ERROR_OUT_OF_HOST_MEMORY
                   ? PT_ERROR_MEMORY
                   : PT_ERROR_GPU;

  g_assert_error (error, PT_ERROR, wanted);
  g_assert_nonnull (strstr (error->message, "Fake GPU"));
  if (code == VK_ERROR_DEVICE_LOST)
    g_assert_nonnull (strstr (error->message, "has given up its work"));
  if (code == VK_ERROR_OUT_OF_DEVICE_MEMORY)
    g_assert_nonnull (strstr (error->message, "5.37 of 8.59 GB are free"));
}

/* Returns: whether call @nth was there */
static gboolean
fail_call (VulkanMaker *maker, const char *function, guint nth, int code)
{
  g_autoptr (GError) error = NULL, again = NULL;
  g_autoptr (PtVkDelegate) delegate = NULL;
  gboolean ok, was_called;

  fail (function, nth, code);
  delegate = vulkan_maker_try_load (maker, &error);
  ok = delegate != NULL && run_twice (maker, delegate, &error);
  was_called = count_calls () > nth;
  fail (NULL, 0, 0);
  g_assert_true (ok == !was_called);
  if (!ok)
    check_error (error, code);
  if (delegate != NULL && (ok || code != VK_ERROR_DEVICE_LOST)) {
    run_twice (maker, delegate, &again);
    g_assert_no_error (again);
  }
  g_clear_pointer (&delegate, pt_vk_delegate_free);
  g_assert_cmpint (count_alive (), ==, 0);
  return was_called;
}

static void
test_failures (void)
{
  g_autoptr (VulkanMaker) maker = make_model ();

  for (guint i = 0; i < G_N_ELEMENTS (FUNCTIONS); i++)
    for (guint k = 0; k < G_N_ELEMENTS (CODES); k++) {
      guint nth = 0;

      while (fail_call (maker, FUNCTIONS[i], nth, CODES[k]))
        nth++;
      g_assert_cmpuint (nth, >, 0); /* else the name is wrong */
    }
}

/* ---- Choosing a token from logits that stay on the GPU ---- */

#define WIDTH 6

static VulkanMaker *
make_logits (void)
{
  VulkanMaker *maker = vulkan_maker_new ();

  CALL (maker, "aten.linear.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, 8)),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (WIDTH, 8), NULL),
        vulkan_maker_null (maker), vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, WIDTH)));
  return maker;
}

/* Runs it, fetches the logits, and has one chosen, with penalties. @id: -2 at first. */
static gboolean
run_and_choose (PtVkDelegate *delegate, gint32 *id, GError **error)
{
  static const gint64 sizes[][2] = { { 1, 8 }, { 1, WIDTH } };
  static const gint32 said[] = { 3, 1 };
  const PtDeviceSampling how = {
    .temperature = 1, .top_p = 0.9, .repetition_penalty = 1.1, .said = said, .n_said = 1
  };
  float data[2][8] = { { 1 } }, copy[WIDTH];
  PtTensor tensors[2];
  PtValue values[2], *args[2];
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, error);
  const PtDevice *device;

  for (guint i = 0; i < 2; i++) {
    g_assert_true (pt_tensor_init (&tensors[i], PT_DTYPE_F32, 2, sizes[i], NULL, data[i], NULL));
    values[i] = (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = &tensors[i] };
    args[i] = &values[i];
  }
  tensors[1].stays_on_device = TRUE;
  if (execution == NULL || !pt_vk_delegate_execute (delegate, execution, args, 2, error))
    return FALSE;
  g_assert_cmpint (tensors[1].device_type, ==, PT_DEVICE_VULKAN);
  device = pt_device_find (PT_DEVICE_VULKAN);
  return device->copy_to_host (0, copy, data[1], sizeof copy, error) &&
         device->sample (0, &how, data[1], PT_DTYPE_F32, WIDTH, NULL, NULL, error) &&
         device->take_sample (0, id, error);
}

/* The fake computes zeros. */
static void
check_token (PtVkDelegate *delegate)
{
  g_autoptr (GError) error = NULL;
  gint32 id = -2;

  run_and_choose (delegate, &id, &error);
  g_assert_no_error (error);
  g_assert_cmpint (id, ==, 0);
}

/* Returns: whether call @nth was there */
static gboolean
fail_choice (VulkanMaker *maker, const char *function, guint nth, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtVkDelegate) delegate = NULL;
  gboolean was_called;
  gint32 id = -2;

  fail (function, nth, code);
  delegate = vulkan_maker_try_load (maker, &error);
  if (delegate != NULL)
    run_and_choose (delegate, &id, &error);
  was_called = count_calls () > nth;
  fail (NULL, 0, 0);
  if (was_called)
    check_error (error, code);
  if (delegate != NULL && code != VK_ERROR_DEVICE_LOST)
    check_token (delegate);
  g_clear_pointer (&delegate, pt_vk_delegate_free);
  g_assert_cmpint (count_alive (), ==, 0);
  return was_called;
}

static void
test_choosing (void)
{
  g_autoptr (VulkanMaker) maker = make_logits ();

  for (guint i = 0; i < G_N_ELEMENTS (FUNCTIONS); i++)
    for (guint k = 0; k < G_N_ELEMENTS (CODES); k++)
      for (guint nth = 0; fail_choice (maker, FUNCTIONS[i], nth, CODES[k]); nth++)
        continue;
}

/* ---- Outputs that stay on the GPU for another delegate ---- */

#define ROWS 3

typedef struct {
  VulkanMaker *makers[2];
  PtVkDelegate *delegates[2]; /* NULL: not loaded */
  float data[3][ROWS * 8];    /* x, which the first one reads; a, for the second; y */
  PtTensor tensors[3];
  PtValue values[3];
} Pair;

static void
make_pair (Pair *pair)
{
  *pair = (Pair){ 0 };
  for (guint i = 0; i < 2; i++) {
    VulkanMaker *maker = pair->makers[i] = vulkan_maker_new ();

    CALL (maker, "aten.linear.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (ROWS, 8)),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (8, 8), NULL), vulkan_maker_null (maker),
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (ROWS, 8)));
  }
}

static gboolean
load_pair (Pair *pair, GError **error)
{
  const gint64 sizes[] = { ROWS, 8 };

  for (guint i = 0; i < 3; i++) {
    g_assert_true (
        pt_tensor_init (&pair->tensors[i], PT_DTYPE_F32, 2, sizes, NULL, pair->data[i], NULL));
    pair->tensors[i].dynamism = PT_DYNAMISM_BOUND;
    pair->values[i] = (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = &pair->tensors[i] };
  }
  pair->tensors[1].stays_on_device = TRUE;
  for (guint i = 0; i < 2; i++) {
    pair->delegates[i] = vulkan_maker_try_load (pair->makers[i], error);
    if (pair->delegates[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

static void
unload_pair (Pair *pair)
{
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&pair->delegates[i], pt_vk_delegate_free);
  g_assert_cmpint (count_alive (), ==, 0);
}

static void
free_pair (Pair *pair)
{
  unload_pair (pair);
  for (guint i = 0; i < 2; i++)
    vulkan_maker_free (pair->makers[i]);
}

/* Runs delegate @i with what lies in tensor @i, and tensor @i + 1 for its output. */
static gboolean
run_one (Pair *pair, guint i, GError **error)
{
  PtValue *args[] = { &pair->values[i], &pair->values[i + 1] };
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, error);

  return execution != NULL &&
         pt_vk_delegate_execute (pair->delegates[i], execution, args, 2, error);
}

/* All rows, twice, and fewer, for which other plans are made. */
static gboolean
run_pair (Pair *pair, GError **error)
{
  static const gint64 rows[] = { ROWS, ROWS, 1, ROWS };

  for (guint k = 0; k < G_N_ELEMENTS (rows); k++) {
    g_assert_true (pt_tensor_resize (&pair->tensors[0], 2, (gint64[]){ rows[k], 8 }, NULL));
    if (!run_one (pair, 0, error))
      return FALSE;
    g_assert_nonnull (pair->tensors[1].handed);
    if (!run_one (pair, 1, error))
      return FALSE;
    g_assert_cmpuint (pair->tensors[2].numel, ==, (gsize) rows[k] * 8);
  }
  return TRUE;
}

/* Returns: whether call @nth was there */
static gboolean
fail_pair (Pair *pair, const char *function, guint nth, int code)
{
  g_autoptr (GError) error = NULL;
  gboolean ok, was_called;

  fail (function, nth, code);
  ok = load_pair (pair, &error) && run_pair (pair, &error);
  was_called = count_calls () > nth;
  fail (NULL, 0, 0);
  g_assert_true (ok == !was_called);
  if (!ok)
    check_error (error, code);
  if (pair->delegates[1] != NULL && (ok || code != VK_ERROR_DEVICE_LOST)) {
    g_clear_error (&error);
    run_pair (pair, &error);
    g_assert_no_error (error);
  }
  unload_pair (pair);
  return was_called;
}

static void
test_handover (void)
{
  static const int codes[] = { VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST };
  Pair pair;

  make_pair (&pair);
  for (guint i = 0; i < G_N_ELEMENTS (FUNCTIONS); i++)
    for (guint k = 0; k < G_N_ELEMENTS (codes); k++) {
      guint nth = 0;

      while (fail_pair (&pair, FUNCTIONS[i], nth, codes[k]))
        nth++;
      g_assert_cmpuint (nth, >, 0);
    }
  free_pair (&pair);
}

/* What a delegate handed over before it failed is not read as if it were the new one. */
static void
test_handed_before (void)
{
  Pair pair;

  make_pair (&pair);
  for (guint k = 0; k < G_N_ELEMENTS (CODES); k++) {
    g_autoptr (GError) error = NULL;
    gboolean is_lost = CODES[k] == VK_ERROR_DEVICE_LOST;

    load_pair (&pair, &error);
    g_assert_no_error (error);
    run_pair (&pair, &error);
    g_assert_no_error (error);
    fail ("vkQueueSubmit", 0, CODES[k]);
    g_assert_false (run_one (&pair, 0, &error));
    check_error (error, CODES[k]);
    fail (NULL, 0, 0);
    g_clear_error (&error);
    g_assert_false (run_one (&pair, 1, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
    g_clear_error (&error);
    if (!is_lost)
      run_pair (&pair, &error);
    g_assert_no_error (error);
    unload_pair (&pair);
  }
  free_pair (&pair);
}

/* A driver that fails when all is over changes nothing. */
static void
test_idle (void)
{
  g_autoptr (VulkanMaker) maker = make_model ();
  g_autoptr (GError) error = NULL;
  PtVkDelegate *delegate;

  fail ("vkDeviceWaitIdle", 0, VK_ERROR_DEVICE_LOST);
  delegate = vulkan_maker_try_load (maker, &error);
  g_assert_no_error (error);
  run_twice (maker, delegate, &error);
  g_assert_no_error (error);
  pt_vk_delegate_free (delegate);
  g_assert_cmpuint (count_calls (), >, 0);
  g_assert_cmpint (count_alive (), ==, 0);
  fail (NULL, 0, 0);
}

/* A GPU that never answers: what it may still use stays, and a new delegate has a new device. */
static void
test_timeout (void)
{
  for (guint nth = 0; nth < 4; nth++) {
    g_autoptr (VulkanMaker) maker = make_model ();
    g_autoptr (GError) error = NULL;
    g_autoptr (PtVkDelegate) next = NULL;
    PtVkDelegate *delegate;

    fail ("vkWaitForFences", nth, VK_TIMEOUT);
    delegate = vulkan_maker_try_load (maker, &error);
    if (delegate != NULL)
      run_twice (maker, delegate, &error);
    g_assert_error (error, PT_ERROR, PT_ERROR_GPU);
    g_assert_nonnull (strstr (error->message, "Fake GPU has not answered for 60 seconds"));
    g_assert_cmpuint (count_calls (), ==, nth + 60);
    fail ("vkDeviceWaitIdle", 0, VK_SUCCESS);
    pt_vk_delegate_free (delegate);
    g_assert_cmpuint (count_calls (), ==, 0);
    g_clear_error (&error);
    next = vulkan_maker_try_load (maker, &error);
    g_assert_no_error (error);
    run_twice (maker, next, &error);
    g_assert_no_error (error);
  }
  fail (NULL, 0, 0);
}

/* A GPU that is lost while it is asked whether it is done. */
static void
test_asked (void)
{
  g_autoptr (VulkanMaker) maker = make_model ();
  g_autoptr (GError) error = NULL;
  PtVkDelegate *delegate;

  fail ("vkGetFenceStatus", 0, VK_ERROR_DEVICE_LOST);
  delegate = vulkan_maker_try_load (maker, &error);
  if (delegate != NULL)
    run_twice (maker, delegate, &error);
  check_error (error, VK_ERROR_DEVICE_LOST);
  pt_vk_delegate_free (delegate);
  fail (NULL, 0, 0);
}

/* A slow GPU is waited for. */
static void
test_slow (void)
{
  g_autoptr (VulkanMaker) maker = make_model ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PtVkDelegate) delegate = vulkan_maker_try_load (maker, &error);

  g_assert_no_error (error);
  fail ("vkWaitForFences", 0, VK_SUCCESS);
  run_twice (maker, delegate, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_calls (), >, 0);
  fail (NULL, 0, 0);
}

/* ---- Drivers that lack something, each in a process of its own ---- */

typedef struct {
  const char *words, *message; /* NULL: it works */
} Lie;

static const Lie LIES[] = {
  { "honest", NULL },
  { "twice", NULL }, /* the second one is the same GPU */
  { "old-loader", "The Vulkan loader of this machine is older than version 1.2" },
  { "no-instance", "Vulkan does not start: VK_ERROR_INCOMPATIBLE_DRIVER" },
  { "list=-3", "Vulkan shows no GPU that can be used. Install the driver" },
  { "list=-1", "Vulkan cannot list the GPUs: VK_ERROR_OUT_OF_HOST_MEMORY" },
  { "old-driver", "Fake GPU: its driver is for Vulkan 1.1, and 1.2 is needed" },
  { "no-queue", "Fake GPU: it cannot compute." },
  { "no-bytes", "Fake GPU: its driver lacks the feature storageBuffer8BitAccess" },
  { "no-halves", "Fake GPU: its driver lacks the feature storageBuffer16BitAccess" },
  { "no-subgroups", "Fake GPU: its driver lacks the feature arithmetic of subgroups" },
  { "few-buffers", "Fake GPU: a program on it has 4 buffers at most, and 11 are needed" },
  { "small-groups", "Fake GPU: a group of invocations on it has 128 at most, and 256 are needed" },
  { "software", "Fake GPU: it is no GPU, but software on the CPU" },
  { "small-allocation", "the GPU Fake GPU gives at most 0.00 GB at once" },
  { "no-host-memory", "the GPU Fake GPU has no fitting memory" },
  { "lacks=vkCreateInstance", "loader of this machine lacks the function vkCreateInstance" },
  { "lacks=vkEnumeratePhysicalDevices", "lacks the function vkEnumeratePhysicalDevices" },
  { "lacks=vkDestroyDevice", "driver of the GPU Fake GPU lacks the function vkDestroyDevice" },
  { "lacks=vkDeviceWaitIdle", "driver of the GPU Fake GPU lacks the function vkDeviceWaitIdle" },
  { "lacks=vkCmdDispatch", "driver of the GPU Fake GPU lacks the function vkCmdDispatch" },
  { "lacks=vkResetQueryPool", NULL }, /* not needed */
};

static void
test_lie (gconstpointer data)
{
  const Lie *lie = data;

  if (g_test_subprocess ()) {
    g_autoptr (VulkanMaker) maker = make_model ();
    g_autoptr (GError) error = NULL;
    g_autoptr (PtVkDelegate) delegate = vulkan_maker_try_load (maker, &error);

    if (delegate != NULL)
      run_twice (maker, delegate, &error);
    g_print ("(%s)\n", error != NULL ? error->message : "it works");
    return;
  }
  g_setenv ("FAKE_VULKAN", lie->words, TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  if (lie->message == NULL)
    g_test_trap_assert_stdout ("*(it works)*");
  else {
    g_autofree char *pattern = g_strdup_printf ("*%s*", lie->message);

    g_test_trap_assert_stdout (pattern);
  }
  g_unsetenv ("FAKE_VULKAN");
}

/* A weight that the GPU cannot reach in one buffer is taken in pieces. */
static void
check_pieces (void)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  g_autoptr (PtVkDelegate) delegate = NULL;
  g_autoptr (GError) error = NULL;

  CALL (maker, "aten.linear.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (2, 32)),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (16, 32), NULL), vulkan_maker_null (maker),
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (2, 16)));
  delegate = vulkan_maker_try_load (maker, &error);
  g_assert_no_error (error);
  vulkan_maker_try_run (maker, delegate, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_vk_delegate_n_cpu_calls (delegate), ==, 0);
}

/* What else it cannot reach is left to the CPU, with the same results. */
static void
test_small_range (void)
{
  g_autoptr (VulkanMaker) maker = NULL;

  if (!g_test_subprocess ()) {
    g_setenv ("FAKE_VULKAN", "small-range", TRUE);
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_passed ();
    g_unsetenv ("FAKE_VULKAN");
    return;
  }
  check_pieces ();
  maker = vulkan_maker_new ();
  CALL (maker, "aten.mm.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (2, 32)),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (32, 16), NULL),
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (2, 16)));
  vulkan_maker_load (maker);
  vulkan_maker_allow_cpu (maker, 1);
  vulkan_maker_run (maker, 0, 0, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_VULKAN", FAKE_VULKAN_PATH, TRUE);
  g_unsetenv ("PTERIS_VULKAN_SOFTWARE");
  pt_init ();
  open_fake ();
  g_test_add_func ("/vulkan/errors/failures", test_failures);
  g_test_add_func ("/vulkan/errors/choosing", test_choosing);
  g_test_add_func ("/vulkan/errors/handover", test_handover);
  g_test_add_func ("/vulkan/errors/handed-before", test_handed_before);
  g_test_add_func ("/vulkan/errors/idle", test_idle);
  g_test_add_func ("/vulkan/errors/timeout", test_timeout);
  g_test_add_func ("/vulkan/errors/asked", test_asked);
  g_test_add_func ("/vulkan/errors/slow", test_slow);
  g_test_add_func ("/vulkan/errors/small-range", test_small_range);
  for (guint i = 0; i < G_N_ELEMENTS (LIES); i++) {
    g_autofree char *path = g_strdup_printf ("/vulkan/errors/lies/%s", LIES[i].words);

    g_test_add_data_func (path, &LIES[i], test_lie);
  }
  return g_test_run ();
}
