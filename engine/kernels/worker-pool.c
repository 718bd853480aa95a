/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/worker-pool.h"

#include <stdatomic.h>
#include <stdint.h>

#include "engine/kernels/cpu-cores.h"
#include "engine/kernels/fair-share.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define relax() _mm_pause ()
#define fetch(address) _mm_prefetch ((const char *) (address), _MM_HINT_T1)
#elif defined(__aarch64__)
#define relax() __asm__ volatile("yield")
#define fetch(address) __builtin_prefetch ((gconstpointer) (address), 0, 2)
#else
#define relax() ((void) 0)
#define fetch(address) ((void) (address))
#endif

/*
 * How long a worker spins before it sleeps. The gap between two operators is shorter, the gap
 * between two jobs is longer.
 */
#define SPIN_MICROSECONDS 50
#define SPINS_PER_CLOCK_LOOK 32

/* How long the caller waits for the last pieces: it spins, then it yields its core to other
 * threads, then it sleeps. */
#define SPINS_BEFORE_YIELD 4096
#define YIELDS_BEFORE_SLEEP 256

/* Workers look as often at how long they waited for a core. */
#define REPORT_MICROSECONDS 4000

/*
 * The usual number of other loops between two streams. After more of them the remembered stream is
 * no longer expected next.
 */
#define MAX_PLAIN 3

/* Most pieces that a worker takes from its own share at a time, in a loop that streams memory. */
#define MAX_PIECES_AT_ONCE 16

/*
 * Pieces that each worker should get of a loop; where there are fewer, pieces are halved, at most
 * so often.
 */
#define PIECES_PER_WORKER 2
#define MAX_HALVINGS 3

/* Most pieces of a loop that the caller does alone. It checks for a stop at each. */
#define PIECES_ALONE 64

/*
 * Entries of the table of successors, a power of two, and the number of entries that one stream may
 * use.
 */
#define N_STREAMS 2048
#define N_PLACES 8

/*
 * A pool that gives way works for at least one slice before it pauses. One loop can take longer; a
 * pause is computed from at most MAX_SLICE.
 */
#define SLICE_MICROSECONDS 4000
#define MAX_SLICE_MICROSECONDS 60000
#define PAUSE_TO_WORK 3
#define PAUSE_STEP_MICROSECONDS 1000

/* Maximum that a waiting worker prefetches: the data must stay in its cache until they are used. */
#define MAX_FETCHED (384 * 1024)
#define LINE 64
#define LINES_PER_LOOK 4

/*
 * One word describes the loop on offer: bit 0 whether workers may enter, the others the number of
 * the loop, from 1 on. Only the caller writes it. A worker that enters writes the number to a word
 * of its own, then looks whether the loop is still open. The caller closes the loop when no piece
 * is left, and waits only for the workers inside. So a worker that wakes up late costs the caller
 * nothing, and no word is written by many.
 */
#define STATE_OPEN 1u
#define STATE_NUMBER_SHIFT 1

/*
 * The remaining pieces of a worker's share: the first in the low half, the end in the high half.
 * The worker takes pieces from the front, other workers from the back.
 */
typedef _Atomic guint64 Share;

#define SHARE(begin, end) ((guint64) (begin) | (guint64) (end) << 32)
#define SHARE_BEGIN(share) ((gsize) ((share) &G_MAXUINT32))
#define SHARE_END(share) ((gsize) ((share) >> 32))

typedef struct {
  PtPool *pool;
  GThread *thread;
  guint index;
  PtWaitClock clock;
  gint64 reported, waited; /* when the clock was read, and what it said; microseconds */
  _Alignas(64) Share share;
  _Alignas(64) _Atomic guint64 inside; /* the number of the loop; 0: outside */
} Worker;

/*
 * A stream that the pool remembers. Workers may read it while the caller writes it: a mixture of
 * two streams is harmless, because the address is only prefetched.
 */
typedef struct {
  _Atomic guintptr base;
  _Atomic gsize n, grain, item_bytes;
} Upcoming;

typedef struct {
  guintptr base;
  Upcoming next;
} Successor;

struct _PtPool {
  guint n_workers;
  guint8 *scratch;
  Worker *workers; /* [n_workers], the first one is the caller and has no thread */

  /* The loop; the caller writes these fields while no worker is inside. */
  PtPoolTask task;
  gpointer data;
  gsize n, grain;
  guint pieces_at_once;
  PtPoolStop stop; /* or NULL */
  gpointer stop_data;
  gboolean gives_way;
  gint64 resumed;    /* when the last pause of a pool that gives way ended, in microseconds */
  Upcoming upcoming; /* the expected stream after the current loop */
  guint n_plain;     /* number of loops since the last stream */
  PtFairShare fair_share;
  guint n_fixed;   /* number of active workers that was set; 0: as many as is fair */
  Successor *last; /* the last loop that was a stream */
  Successor successors[N_STREAMS];

  /* Each field has its own cache line, because all workers change them. */
  _Alignas(64) _Atomic guint64 state;
  _Alignas(64) _Atomic guint n_asleep;
  _Atomic gboolean quit;
  _Atomic guint n_active;         /* workers with a smaller index take part in loops */
  _Atomic gboolean is_crowded;    /* other programs want the cores */
  _Atomic gboolean caller_sleeps; /* until no worker is inside */
  _Atomic gint64 waited;          /* of all workers, for a core; microseconds */
  GMutex mutex;
  GCond wake;    /* for active workers: there is a loop */
  GCond more;    /* for others: n_active has changed */
  GCond outside; /* for the caller */
};

static inline gboolean
is_stopped (const PtPool *pool)
{
  return pool->stop != NULL && pool->stop (pool->stop_data);
}

/*
 * Takes at most @most pieces of @share: from the own share at most half of the rest, so that the
 * last ones are small; from another share those at the end. Returns how many, from @piece on.
 */
static gsize
take_pieces (Share *share, gboolean is_own, gsize most, gsize *piece)
{
  guint64 now = atomic_load_explicit (share, memory_order_relaxed), then;
  gsize n;

  do {
    gsize begin = SHARE_BEGIN (now), end = SHARE_END (now);

    if (begin >= end)
      return 0;
    n = CLAMP ((end - begin) / 2, 1, most);
    *piece = is_own ? begin : end - n;
    then = is_own ? SHARE (begin + n, end) : SHARE (begin, end - n);
  } while (!atomic_compare_exchange_weak_explicit (share, &now, then, memory_order_relaxed,
                                                   memory_order_relaxed));
  return n;
}

/* Does the worker's own pieces, then pieces of other shares. */
static void
do_pieces (PtPool *pool, guint worker)
{
  gsize n = pool->n, grain = pool->grain, piece, taken;

  for (guint i = 0; i < pool->n_workers; i++) {
    Share *share = &pool->workers[(worker + i) % pool->n_workers].share;
    guint most = i == 0 ? pool->pieces_at_once : 1;

    while (!is_stopped (pool) && (taken = take_pieces (share, i == 0, most, &piece)) > 0) {
      gsize begin = piece * grain, rest = n - begin;

      pool->task (pool->data, begin, rest / grain < taken ? n : begin + taken * grain, worker);
    }
  }
}

/* Leaves the loop, and wakes up the caller if it sleeps. */
static void
leave_loop (PtPool *pool, Worker *self)
{
  /* Sequentially consistent with caller_sleeps: either the worker sees that the caller sleeps, or
   * the caller sees that the worker has left. */
  atomic_store (&self->inside, 0);
  if (!atomic_load (&pool->caller_sleeps))
    return;
  g_mutex_lock (&pool->mutex);
  g_cond_signal (&pool->outside);
  g_mutex_unlock (&pool->mutex);
}

/* Enters the loop that @state describes, if it is open, and works. */
static void
join_loop (PtPool *pool, Worker *self, guint64 state)
{
  if (!(state & STATE_OPEN))
    return;
  /* Sequentially consistent with the state: either the worker sees that the loop is closed, or the
   * caller sees the worker. */
  atomic_store (&self->inside, state >> STATE_NUMBER_SHIFT);
  if (atomic_load (&pool->state) == state)
    do_pieces (pool, self->index);
  leave_loop (pool, self);
}

static guint64
share_of (const PtPool *pool, gsize n, gsize grain, guint worker)
{
  guint64 n_pieces = n == 0 ? 0 : (n - 1) / grain + 1;
  guint n_active = atomic_load_explicit (&pool->n_active, memory_order_relaxed);

  if (worker >= n_active)
    return SHARE (n_pieces, n_pieces);
  return SHARE (n_pieces * worker / n_active, n_pieces * (worker + 1) / n_active);
}

/* The first byte of the worker's share and its size; 0: nothing. */
static gsize
find_upcoming (const PtPool *pool, guint worker, guintptr *address)
{
  const Upcoming *next = &pool->upcoming;
  guintptr base = atomic_load_explicit (&next->base, memory_order_relaxed);
  gsize n = atomic_load_explicit (&next->n, memory_order_relaxed);
  gsize grain = atomic_load_explicit (&next->grain, memory_order_relaxed);
  gsize item = atomic_load_explicit (&next->item_bytes, memory_order_relaxed);
  guint64 share;

  if (base == 0 || grain == 0)
    return 0;
  share = share_of (pool, n, grain, worker);
  *address = base + SHARE_BEGIN (share) * grain * item;
  return (MIN (n, SHARE_END (share) * grain) - MIN (n, SHARE_BEGIN (share) * grain)) * item;
}

gconstpointer
pt_pool_upcoming (const PtPool *pool, guint worker, gsize *size)
{
  guintptr address = 0;

  *size = find_upcoming (pool, worker, &address);
  return *size > 0 ? (gconstpointer) address : NULL;
}

/* Checks for a loop other than number @seen, and prefetches data of it meanwhile. */
static gboolean
spin (PtPool *pool, guint worker, guint64 seen, guint64 *state)
{
  gint64 deadline = g_get_monotonic_time () + SPIN_MICROSECONDS;
  guintptr address = 0, end = MIN (find_upcoming (pool, worker, &address), MAX_FETCHED);

  end += address;
  do
    for (guint i = 0; i < SPINS_PER_CLOCK_LOOK; i++) {
      *state = atomic_load_explicit (&pool->state, memory_order_relaxed);
      if (*state >> STATE_NUMBER_SHIFT != seen)
        return TRUE;
      if (address < end)
        for (guint line = 0; line < LINES_PER_LOOK; line++, address += LINE)
          fetch (address);
      else
        relax ();
    }
  while (g_get_monotonic_time () < deadline);
  return FALSE;
}

static gboolean
is_active (const PtPool *pool, guint worker)
{
  return worker < atomic_load_explicit (&pool->n_active, memory_order_relaxed);
}

/* Sleeps until there is a loop other than number @seen, and the worker is active. */
static guint64
sleep_for_loop (PtPool *pool, guint worker, guint64 seen)
{
  gboolean is_done = FALSE;
  guint64 state;

  g_mutex_lock (&pool->mutex);
  do {
    gboolean waits_for_loop = is_active (pool, worker);

    if (waits_for_loop)
      atomic_fetch_add (&pool->n_asleep, 1);
    state = atomic_load (&pool->state);
    is_done = atomic_load (&pool->quit) || (waits_for_loop && state >> STATE_NUMBER_SHIFT != seen);
    if (!is_done)
      g_cond_wait (waits_for_loop ? &pool->wake : &pool->more, &pool->mutex);
    if (waits_for_loop)
      atomic_fetch_sub (&pool->n_asleep, 1);
  } while (!is_done);
  g_mutex_unlock (&pool->mutex);
  return state;
}

/* Waits for a loop other than number @seen: spins if a core is to spare, then sleeps. Returns the
 * state. */
static guint64
wait_for_loop (PtPool *pool, Worker *self, guint64 seen)
{
  guint64 state;

  if (!atomic_load_explicit (&pool->is_crowded, memory_order_relaxed) &&
      is_active (pool, self->index) && spin (pool, self->index, seen, &state))
    return state;
  pt_wait_clock_pause (&self->clock);
  state = sleep_for_loop (pool, self->index, seen);
  pt_wait_clock_resume (&self->clock);
  return state;
}

/* Adds to pool->waited what the worker has waited for a core since the last time. */
static void
report_wait (PtPool *pool, Worker *self)
{
  gint64 now = g_get_monotonic_time (), waited;

  if (now - self->reported < REPORT_MICROSECONDS)
    return;
  waited = pt_wait_clock_read (&self->clock);
  if (waited > self->waited) {
    atomic_fetch_add_explicit (&pool->waited, waited - self->waited, memory_order_relaxed);
    self->waited = waited;
  }
  self->reported = now;
}

static gpointer
worker_main (gpointer data)
{
  Worker *self = data;
  PtPool *pool = self->pool;
  guint64 seen = 0;

  pt_wait_clock_begin (&self->clock);
  while (!atomic_load_explicit (&pool->quit, memory_order_relaxed)) {
    guint64 state = wait_for_loop (pool, self, seen);

    seen = state >> STATE_NUMBER_SHIFT;
    join_loop (pool, self, state);
    report_wait (pool, self);
  }
  pt_wait_clock_end (&self->clock);
  return NULL;
}

static void
start_workers (PtPool *pool, guint n_threads)
{
  for (guint i = 1; i < n_threads; i++) {
    Worker *worker = &pool->workers[i];

    worker->pool = pool;
    worker->index = i;
    worker->thread = g_thread_try_new ("pteris-worker", worker_main, worker, NULL);
    if (!worker->thread)
      return;
    pool->n_workers = i + 1;
  }
}

static void
set_active (PtPool *pool, guint n_active)
{
  if (atomic_load_explicit (&pool->n_active, memory_order_relaxed) == n_active)
    return;
  g_mutex_lock (&pool->mutex);
  atomic_store (&pool->n_active, n_active);
  g_cond_broadcast (&pool->wake);
  g_cond_broadcast (&pool->more);
  g_mutex_unlock (&pool->mutex);
}

static guint default_threads; /* 0: one for each fast core */

void
pt_pool_set_default_threads (guint n_threads)
{
  default_threads = n_threads;
}

guint
pt_pool_choose_threads (guint n_threads)
{
  if (n_threads == 0)
    n_threads = default_threads;
  return n_threads > 0 ? n_threads : pt_cpu_cores ().n_fast;
}

PtPool *
pt_pool_new (guint n_threads)
{
  PtPool *pool = g_aligned_alloc0 (1, sizeof *pool, 64);

  n_threads = CLAMP (pt_pool_choose_threads (n_threads), 1, PT_POOL_MAX_WORKERS);
  g_mutex_init (&pool->mutex);
  g_cond_init (&pool->wake);
  g_cond_init (&pool->more);
  g_cond_init (&pool->outside);
  atomic_store (&pool->n_active, n_threads);
  pool->n_workers = 1;
  pool->workers = g_aligned_alloc0 (n_threads, sizeof *pool->workers, 64);
  pool->scratch = g_aligned_alloc (n_threads, PT_POOL_SCRATCH, 64);
  start_workers (pool, n_threads);
  set_active (pool, pool->n_workers);
  pt_fair_share_init (&pool->fair_share, pool->n_workers);
  return pool;
}

void
pt_pool_free (PtPool *pool)
{
  if (!pool)
    return;
  g_mutex_lock (&pool->mutex);
  atomic_store (&pool->quit, TRUE);
  /* A new number without an open loop ends the spinning, too. */
  atomic_fetch_add (&pool->state, (guint64) 1 << STATE_NUMBER_SHIFT);
  g_cond_broadcast (&pool->wake);
  g_cond_broadcast (&pool->more);
  g_mutex_unlock (&pool->mutex);
  for (guint i = 1; i < pool->n_workers; i++)
    g_thread_join (pool->workers[i].thread);
  g_mutex_clear (&pool->mutex);
  g_cond_clear (&pool->wake);
  g_cond_clear (&pool->more);
  g_cond_clear (&pool->outside);
  g_aligned_free (pool->workers);
  g_aligned_free (pool->scratch);
  g_aligned_free (pool);
}

static _Thread_local PtPool *own; /* of the calling thread; or NULL */

PtPool *
pt_pool_default (void)
{
  static PtPool *pool = NULL;

  if (own != NULL)
    return own;
  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, pt_pool_new (0));
  return pool;
}

void
pt_pool_use (PtPool *pool)
{
  own = pool;
}

guint
pt_pool_n_workers (const PtPool *pool)
{
  return pool->n_workers;
}

gpointer
pt_pool_scratch (PtPool *pool, guint worker)
{
  return pool->scratch + (gsize) worker * PT_POOL_SCRATCH;
}

/* Wakes as many sleepers as there are pieces. */
static void
wake_workers (PtPool *pool, gsize n_pieces)
{
  guint n_asleep = atomic_load (&pool->n_asleep);

  if (n_asleep == 0)
    return;
  g_mutex_lock (&pool->mutex);
  if (n_pieces - 1 >= n_asleep)
    g_cond_broadcast (&pool->wake);
  else
    for (gsize i = 1; i < n_pieces; i++)
      g_cond_signal (&pool->wake);
  g_mutex_unlock (&pool->mutex);
}

static gboolean
is_inside (const PtPool *pool, guint worker)
{
  return atomic_load (&pool->workers[worker].inside) != 0;
}

/* Sleeps until the worker is outside. */
static void
sleep_until_outside (PtPool *pool, guint worker)
{
  g_mutex_lock (&pool->mutex);
  atomic_store (&pool->caller_sleeps, TRUE);
  while (is_inside (pool, worker))
    g_cond_wait (&pool->outside, &pool->mutex);
  atomic_store (&pool->caller_sleeps, FALSE);
  g_mutex_unlock (&pool->mutex);
}

/* Closes the loop and waits for the workers inside. */
static void
finish_loop (PtPool *pool, guint64 number)
{
  gboolean is_crowded = atomic_load_explicit (&pool->is_crowded, memory_order_relaxed);
  guint most = SPINS_BEFORE_YIELD + (is_crowded ? 0 : YIELDS_BEFORE_SLEEP), spins = 0;

  atomic_store (&pool->state, number << STATE_NUMBER_SHIFT);
  for (guint i = 1; i < pool->n_workers; i++)
    for (; is_inside (pool, i); spins++) {
      if (spins < SPINS_BEFORE_YIELD)
        relax ();
      else if (spins < most)
        g_thread_yield ();
      else
        sleep_until_outside (pool, i);
    }
}

/* Offers a loop, works in it and waits for its end. */
static void
run_loop (PtPool *pool, gsize n, gsize grain, guint pieces_at_once, PtPoolTask task, gpointer data)
{
  guint64 number;

  pool->task = task;
  pool->data = data;
  pool->n = n;
  pool->grain = grain;
  pool->pieces_at_once = pieces_at_once;
  for (guint i = 0; i < pool->n_workers; i++)
    atomic_store_explicit (&pool->workers[i].share, share_of (pool, n, grain, i),
                           memory_order_relaxed);
  number = (atomic_load_explicit (&pool->state, memory_order_relaxed) >> STATE_NUMBER_SHIFT) + 1;
  /*
   * Sequentially consistent with n_asleep: either the caller sees the sleeper, or the sleeper sees
   * the loop.
   */
  atomic_store (&pool->state, number << STATE_NUMBER_SHIFT | STATE_OPEN);
  wake_workers (pool, (n - 1) / grain + 1);
  do_pieces (pool, 0);
  finish_loop (pool, number);
}

/* Finds out how many workers take part in the next loop. */
static guint
choose_active (PtPool *pool)
{
  PtFairShare *share = &pool->fair_share;
  guint n = pool->n_fixed;

  if (n == 0) {
    n = pt_fair_share_update (share, g_get_monotonic_time (),
                              atomic_load_explicit (&pool->waited, memory_order_relaxed));
    atomic_store_explicit (&pool->is_crowded, share->is_crowded, memory_order_relaxed);
  }
  set_active (pool, n);
  return n;
}

void
pt_pool_set_active (PtPool *pool, guint n_workers)
{
  pool->n_fixed = MIN (n_workers, pool->n_workers);
}

/* Does the loop on the calling thread if it is short, or if no core is left for workers. TRUE when
 * it did. */
static gboolean
run_alone (PtPool *pool, gsize n, gsize grain, PtPoolTask task, gpointer data)
{
  if (n > grain && pool->n_workers > 1 && choose_active (pool) > 1)
    return FALSE;
  if (pool->n_workers == 1)
    grain = MAX (grain, n / PIECES_ALONE + 1);
  for (gsize done = 0; done < n && !is_stopped (pool); done += MIN (grain, n - done))
    task (data, done, done + MIN (grain, n - done), 0);
  return TRUE;
}

/* @grain, enlarged so that the number of pieces fits 32 bits. */
static gsize
share_grain (gsize n, gsize grain)
{
  return MAX (MAX (grain, 1), n / G_MAXUINT32 + 1);
}

/* @grain, halved where there are fewer pieces than the workers want. */
static gsize
fair_grain (const PtPool *pool, gsize n, gsize grain)
{
  gsize wanted =
      PIECES_PER_WORKER * (gsize) atomic_load_explicit (&pool->n_active, memory_order_relaxed);

  for (guint i = 0; i < MAX_HALVINGS && grain > 1 && (n - 1) / grain + 1 < wanted; i++)
    grain = (grain + 1) / 2;
  return grain;
}

/* ---- giving way ---- */

static _Atomic guint n_urgent;

void
pt_pool_set_gives_way (PtPool *pool, gboolean gives_way)
{
  pool->gives_way = gives_way;
}

void
pt_pool_urgent_begin (void)
{
  atomic_fetch_add (&n_urgent, 1);
}

void
pt_pool_urgent_end (void)
{
  atomic_fetch_sub (&n_urgent, 1);
}

/*
 * While something is urgent, pauses for PAUSE_TO_WORK times as long as the pool has worked.
 * Priorities of threads do not serve: raising one again needs rights, and systems that share time
 * among groups of processes ignore them.
 */
static void
give_way (PtPool *pool)
{
  gint64 now, worked, until;

  if (!pool->gives_way || atomic_load_explicit (&n_urgent, memory_order_relaxed) == 0)
    return;
  now = g_get_monotonic_time ();
  worked = now - pool->resumed;
  if (worked < SLICE_MICROSECONDS)
    return;
  until = now + PAUSE_TO_WORK * MIN (worked, MAX_SLICE_MICROSECONDS);
  while (atomic_load (&n_urgent) > 0 && !is_stopped (pool) && g_get_monotonic_time () < until)
    g_usleep (PAUSE_STEP_MICROSECONDS);
  pool->resumed = g_get_monotonic_time ();
}

void
pt_pool_set_stop (PtPool *pool, PtPoolStop stop, gpointer data)
{
  pool->stop = stop;
  pool->stop_data = data;
}

void
pt_pool_run (PtPool *pool, gsize n, gsize grain, PtPoolTask task, gpointer data)
{
  grain = share_grain (n, grain);
  give_way (pool);
  if (run_alone (pool, n, grain, task, data))
    return;
  if (pool->n_plain++ == MAX_PLAIN)
    atomic_store_explicit (&pool->upcoming.base, 0, memory_order_relaxed);
  run_loop (pool, n, fair_grain (pool, n, grain), 1, task, data);
}

void
pt_pool_share (const PtPool *pool, gsize n, gsize grain, guint worker, gsize *begin, gsize *end)
{
  guint64 share = share_of (pool, n, share_grain (n, grain), worker);

  grain = share_grain (n, grain);
  *begin = MIN (n, SHARE_BEGIN (share) * grain);
  *end = MIN (n, SHARE_END (share) * grain);
}

static void
copy_upcoming (Upcoming *to, guintptr base, gsize n, gsize grain, gsize item_bytes)
{
  atomic_store_explicit (&to->base, base, memory_order_relaxed);
  atomic_store_explicit (&to->n, n, memory_order_relaxed);
  atomic_store_explicit (&to->grain, grain, memory_order_relaxed);
  atomic_store_explicit (&to->item_bytes, item_bytes, memory_order_relaxed);
}

/* The entry of the stream at @base; else a free entry; else the entry of another stream. */
static Successor *
find_successor (PtPool *pool, guintptr base)
{
  gsize first = (gsize) ((guint64) base / LINE * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32);

  for (gsize i = 0; i < N_PLACES; i++) {
    Successor *place = &pool->successors[(first + i) % N_STREAMS];

    if (place->base == base || place->base == 0)
      return place;
  }
  return &pool->successors[first % N_STREAMS];
}

/* Records that @stream followed the last one, and looks up what followed @stream the last time. */
static void
remember_stream (PtPool *pool, gsize n, gsize grain, const PtStream *stream)
{
  guintptr base = (guintptr) stream->base;
  Successor *self = find_successor (pool, base);
  const Upcoming *next = &self->next;

  pool->n_plain = 0;
  if (pool->last != NULL)
    copy_upcoming (&pool->last->next, base, n, grain, stream->item_bytes);
  pool->last = self;
  if (self->base != base) {
    self->base = base;
    copy_upcoming (&self->next, 0, 0, 0, 0);
  }
  copy_upcoming (&pool->upcoming, next->base, next->n, next->grain, next->item_bytes);
}

void
pt_pool_run_shares (PtPool *pool, gsize n, gsize grain, const PtStream *stream, PtPoolTask task,
                    gpointer data)
{
  grain = share_grain (n, grain);
  give_way (pool);
  if (run_alone (pool, n, grain, task, data))
    return;
  if (stream != NULL && stream->base != NULL)
    remember_stream (pool, n, grain, stream);
  run_loop (pool, n, grain, MAX_PIECES_AT_ONCE, task, data);
}
