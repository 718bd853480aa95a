/* SPDX-License-Identifier: BSD-3-Clause */

/* Our kernels as C++ for the CPU, and what runs them. */

#include "tests/fakes/emulator.h"

#define PT_EMULATED
#include "engine/cuda/kernels/kernels.cu"

#include <setjmp.h>
#include <ucontext.h>

#include <vector>

#include "engine/cuda/cuda-kernels-private.h"
#include "tests/fakes/emulate.h"

enum { MOST_THREADS = 1024, STACK = 64 << 10, GUARD = 64, JUNK = 0xee };

EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;
void *emulated_shared;

/* ---- Threads ---- */

enum State { RUNS, WAITS_FOR_WARP, WAITS_FOR_BLOCK, ENDED };

struct Copy {
  void *to;
  const void *from;
  unsigned size;
  unsigned group;
};

/* A context begins a thread; jumps then take less time, because they leave signals alone. */
struct Thread {
  ucontext_t context;
  jmp_buf jump;
  bool is_new;
  State state;
  std::vector<Copy> copies;
  unsigned group; /* that is being filled */
  unsigned turn;  /* of exchanges */
};

static Thread threads[MOST_THREADS];
static uint8_t *stacks;
static jmp_buf scheduler;
static unsigned current;
static uint8_t slots[MOST_THREADS / 32][2][32 * EMULATED_SLOT];
static void (*running) (const void *);
static const void *running_argument;

static void
wait_as (State state)
{
  threads[current].state = state;
  if (_setjmp (threads[current].jump) == 0)
    _longjmp (scheduler, 1);
}

void
__syncthreads (void)
{
  wait_as (WAITS_FOR_BLOCK);
}

void
__syncwarp (void)
{
  wait_as (WAITS_FOR_WARP);
}

const uint8_t *
emulated_exchange (const void *mine, unsigned size)
{
  Thread *thread = &threads[current];
  uint8_t *all = slots[current / 32][thread->turn++ % 2];

  memcpy (all + current % 32 * EMULATED_SLOT, mine, size);
  wait_as (WAITS_FOR_WARP);
  return all;
}

static void
thread_main (void)
{
  running (running_argument);
  g_assert_true (threads[current].copies.empty ());
  threads[current].state = ENDED;
  _longjmp (scheduler, 1);
}

static void
begin_thread (unsigned i)
{
  Thread *thread = &threads[i];

  getcontext (&thread->context);
  thread->context.uc_stack.ss_sp = stacks + (gsize) i * STACK;
  thread->context.uc_stack.ss_size = STACK;
  thread->context.uc_link = NULL;
  makecontext (&thread->context, thread_main, 0);
  thread->state = RUNS;
  thread->is_new = true;
  thread->copies.clear ();
  thread->group = thread->turn = 0;
}

/* TRUE when all that have not ended wait in @state, and at least one does. */
static bool
all_wait (unsigned first, unsigned end, State state)
{
  bool any = false;

  for (unsigned i = first; i < end; i++) {
    if (threads[i].state != state && threads[i].state != ENDED)
      return false;
    any |= threads[i].state == state;
  }
  return any;
}

static void
release (unsigned first, unsigned end)
{
  for (unsigned i = first; i < end; i++)
    if (threads[i].state != ENDED)
      threads[i].state = RUNS;
}

/* Until it waits or ends. */
static void
resume (Thread *thread)
{
  if (_setjmp (scheduler) != 0)
    return;
  if (!thread->is_new)
    _longjmp (thread->jump, 1);
  thread->is_new = false;
  setcontext (&thread->context);
}

/* Blocks with odd numbers run their threads from the last to the first. */
static bool
run_threads (unsigned n)
{
  bool any = false;

  for (unsigned i = 0; i < n; i++) {
    current = blockIdx.x % 2 != 0 ? n - 1 - i : i;
    if (threads[current].state != RUNS)
      continue;
    any = true;
    threadIdx.x = current;
    resume (&threads[current]);
  }
  return any;
}

static void
run_block (const char *name, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    begin_thread (i);
  while (true) {
    bool any = run_threads (n);

    for (unsigned first = 0; first < n; first += 32)
      if (all_wait (first, MIN (first + 32, n), WAITS_FOR_WARP)) {
        release (first, MIN (first + 32, n));
        any = true;
      }
    if (all_wait (0, n, WAITS_FOR_BLOCK)) {
      release (0, n);
      any = true;
    }
    if (all_wait (0, n, ENDED))
      return;
    if (!any)
      g_error ("%s: threads wait for each other in vain.", name);
  }
}

/* ---- Copies ---- */

void
emulated_copy_async (void *to, const void *from, unsigned size, bool is_valid)
{
  Thread *thread = &threads[current];

  g_assert_cmpuint ((uintptr_t) to % size, ==, 0);
  g_assert_cmpuint ((uintptr_t) from % size, ==, 0);
  memset (to, JUNK, size);
  thread->copies.push_back ({ to, is_valid ? from : NULL, size, thread->group });
}

void
copy_async_commit (void)
{
  threads[current].group++;
}

void
emulated_copy_async_wait (unsigned pending)
{
  Thread *thread = &threads[current];
  size_t n = 0;

  for (; n < thread->copies.size (); n++) {
    const Copy &copy = thread->copies[n];

    if (copy.group + pending >= thread->group)
      break;
    if (copy.from != NULL)
      memcpy (copy.to, copy.from, copy.size);
    else
      memset (copy.to, 0, copy.size);
  }
  thread->copies.erase (thread->copies.begin (), thread->copies.begin () + (long) n);
}

/* ---- Numbers ---- */

float
f16_to_f32 (uint16_t x)
{
  int exponent = x >> 10 & 31;
  float value = (float) (x & 0x3ff) / 1024;

  if (exponent == 31)
    value = value == 0 ? INFINITY : NAN;
  else
    value = ldexpf (exponent == 0 ? value : value + 1, MAX (exponent, 1) - 15);
  return x & 0x8000 ? -value : value;
}

uint32_t
f32_to_bf16x2 (float low, float high)
{
  return (uint32_t) f32_to_bf16 (high) << 16 | f32_to_bf16 (low);
}

/* Rounded once: to odd in the last bit of a float, which is then far enough from that of a bf16. */
static uint16_t
bf16_fma (uint16_t a, uint16_t b, uint16_t c)
{
  double exact = (double) bf16_to_f32 (a) * bf16_to_f32 (b) + bf16_to_f32 (c);
  float x = (float) exact;
  uint32_t bits = __float_as_uint (x);

  if (std::isfinite (x) && (double) x != exact && (bits & 1) == 0)
    bits += (fabs (exact) > fabs ((double) x)) ? 1 : -1;
  return f32_to_bf16 (__uint_as_float (bits));
}

uint32_t
bf16x2_fma (uint32_t a, uint32_t b, uint32_t c)
{
  return (uint32_t) bf16_fma ((uint16_t) (a >> 16), (uint16_t) (b >> 16), (uint16_t) (c >> 16))
             << 16 |
         bf16_fma ((uint16_t) a, (uint16_t) b, (uint16_t) c);
}

void
load_matrices (uint32_t x[4], const void *row)
{
  const uint8_t *rows = emulated_exchange (&row, sizeof row);
  int lane = (int) (threadIdx.x % 32);

  g_assert_cmpuint ((uintptr_t) row % 16, ==, 0);
  for (int i = 0; i < 4; i++)
    memcpy (&x[i], emulated_from_lane<const uint8_t *> (rows, i * 8 + lane / 4) + lane % 4 * 4, 4);
  /* Nobody changes what others still read. */
  __syncwarp ();
}

void
multiply_tile (float c[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
               uint32_t b1)
{
  const uint32_t mine[6] = { a0, a1, a2, a3, b0, b1 };
  const uint8_t *all = emulated_exchange (mine, sizeof mine);
  int lane = (int) (threadIdx.x % 32);

  for (int i = 0; i < 4; i++) {
    int row = lane / 4, column = lane % 4 * 2 + i % 2;
    float sum = 0;

    for (int k = 0; k < 16; k++) {
      uint32_t a, b;

      memcpy (&a, all + (row * 4 + k % 8 / 2) * EMULATED_SLOT + 4 * (i / 2 + k / 8 * 2), 4);
      memcpy (&b, all + (column * 4 + k % 8 / 2) * EMULATED_SLOT + 4 * (4 + k / 8), 4);
      sum += bf16_to_f32 ((uint16_t) (a >> (16 * (k % 2)))) *
             bf16_to_f32 ((uint16_t) (b >> (16 * (k % 2))));
    }
    c[i] += sum;
  }
}

/* Bits 7 to 9 of an address in shared memory change bits 4 to 6. */
static float
swizzled_number (const uint8_t *rows, int row, int k)
{
  uintptr_t base = (uintptr_t) emulated_shared;
  uintptr_t at = (uintptr_t) rows - base + (uintptr_t) (row * 128 + k * 2);
  uint16_t x;

  memcpy (&x, (const void *) (base + (at ^ (at >> 3 & 0x70))), sizeof x);
  return bf16_to_f32 (x);
}

void
emulated_multiply_group (float *c, const uint32_t a[4], const uint8_t *rows, int size)
{
  const uint8_t *all = emulated_exchange (a, 16);
  int lane = (int) (threadIdx.x % 32);

  for (int i = 0; i < size / 2; i++) {
    int row = lane / 4, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    float sum = 0;

    for (int k = 0; k < 16; k++) {
      uint32_t pair;

      memcpy (&pair, all + (row * 4 + k % 8 / 2) * EMULATED_SLOT + 4 * (i / 2 % 2 + k / 8 * 2), 4);
      sum += bf16_to_f32 ((uint16_t) (pair >> (16 * (k % 2)))) * swizzled_number (rows, column, k);
    }
    c[i] += sum;
  }
}

void
store_matrices_transposed (void *row, const uint32_t x[4])
{
  struct {
    void *row;
    uint32_t x[4];
  } mine = { row, { x[0], x[1], x[2], x[3] } };
  const uint8_t *all = emulated_exchange (&mine, sizeof mine);
  int lane = (int) (threadIdx.x % 32);

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++) {
      /* Element (lane / 4, lane % 4 * 2 + j) goes to row lane % 4 * 2 + j. */
      uint8_t *to = (uint8_t *) emulated_from_lane<void *> (all, i * 8 + lane % 4 * 2 + j);

      g_assert_cmpuint ((uintptr_t) to % 16, ==, 0);
      *(uint16_t *) (to + lane / 4 * 2) = (uint16_t) (x[i] >> (16 * j));
    }
}

/* ---- Launches ---- */

/* The kernel's argument with addresses of the host. */
template <typename Arguments>
static void
run_with (void (*kernel) (Arguments), const FakeCuda *fake, const FakeLaunch *launch,
          const void *arguments)
{
  static Arguments copy;
  static void (*function) (Arguments);
  uint64_t words[sizeof (Arguments) / 8];

  memcpy (words, arguments, sizeof words);
  for (uint64_t &word : words)
    if (fake->memory (word) != NULL)
      word = (uint64_t) (uintptr_t) fake->memory (word);
  memcpy ((void *) &copy, words, sizeof words);
  function = kernel;
  running = [] (const void *argument) { function (*(const Arguments *) argument); };
  running_argument = &copy;
  for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
      for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
        uint8_t *shared = (uint8_t *) emulated_shared;

        memset (shared, JUNK, launch->shared_bytes + GUARD);
        run_block (launch->name, blockDim.x);
        for (unsigned i = 0; i < GUARD; i++)
          g_assert_cmpuint (shared[launch->shared_bytes + i], ==, JUNK);
      }
}

void
pt_emulate_launch (const FakeCuda *fake, const FakeLaunch *launch, const void *arguments)
{
  gridDim = { launch->grid[0], launch->grid[1], launch->grid[2] };
  blockDim = { launch->block[0], launch->block[1], launch->block[2] };
  if (stacks == NULL)
    stacks = (uint8_t *) g_malloc ((gsize) MOST_THREADS * STACK);
  emulated_shared = g_aligned_alloc (1, launch->shared_bytes + GUARD, 1024);
#define X(kernel)                                       \
  if (strcmp (launch->name, "pt_" #kernel) == 0) {      \
    run_with (pt_##kernel, fake, launch, arguments);    \
    g_clear_pointer (&emulated_shared, g_aligned_free); \
    return;                                             \
  }
  PT_KERNELS_DYNAMIC
  PT_KERNELS_STATIC
#undef X
  g_error ("There is no kernel %s.", launch->name);
}
