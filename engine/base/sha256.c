/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/sha256.h"

#include <string.h>

/*
 * Libraries and whole programs are hashed at every load. The SHA instructions of the processor are
 * ten times faster than GLib.
 */

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>

#define BLOCK 64

enum { LEAF1_SSSE3_SSE41 = 1 << 9 | 1 << 19, LEAF7_SHA = 1 << 29 };

static const guint32 constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static const guint32 initial[8] = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static gboolean
has_instructions (void)
{
  guint eax, ebx, ecx, edx;

  return __get_cpuid (1, &eax, &ebx, &ecx, &edx) &&
         (ecx & LEAF1_SSSE3_SSE41) == LEAF1_SSSE3_SSE41 &&
         __get_cpuid_count (7, 0, &eax, &ebx, &ecx, &edx) && (ebx & LEAF7_SHA) != 0;
}

/*
 * The instructions take the state as the words ABEF and CDGH. Each step computes four rounds; w
 * holds the last 16 words of the schedule.
 */
__attribute__ ((target ("sha,sse4.1"))) static void
compress (guint32 *state, const guint8 *data, gsize n_blocks)
{
  const __m128i swap = _mm_set_epi64x (0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i low = _mm_loadu_si128 ((const __m128i *) (gconstpointer) state);
  __m128i high = _mm_loadu_si128 ((const __m128i *) (gconstpointer) (state + 4));
  __m128i abef, cdgh;

  low = _mm_shuffle_epi32 (low, 0xb1);
  high = _mm_shuffle_epi32 (high, 0x1b);
  abef = _mm_alignr_epi8 (low, high, 8);
  cdgh = _mm_blend_epi16 (high, low, 0xf0);
  for (; n_blocks > 0; n_blocks--, data += BLOCK) {
    __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];

    for (guint i = 0; i < 4; i++)
      w[i] = _mm_shuffle_epi8 (_mm_loadu_si128 ((const __m128i *) (gconstpointer) (data + i * 16)),
                               swap);
#pragma GCC unroll 16
    for (guint r = 0; r < 16; r++) {
      __m128i k = _mm_loadu_si128 ((const __m128i *) (gconstpointer) (constants + r * 4));
      __m128i sum = _mm_add_epi32 (w[r % 4], k);

      cdgh = _mm_sha256rnds2_epu32 (cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32 (abef, cdgh, _mm_shuffle_epi32 (sum, 0x0e));
      if (r < 12) {
        __m128i next = _mm_sha256msg1_epu32 (w[r % 4], w[(r + 1) % 4]);

        next = _mm_add_epi32 (next, _mm_alignr_epi8 (w[(r + 3) % 4], w[(r + 2) % 4], 4));
        w[r % 4] = _mm_sha256msg2_epu32 (next, w[(r + 3) % 4]);
      }
    }
    abef = _mm_add_epi32 (abef, abef_before);
    cdgh = _mm_add_epi32 (cdgh, cdgh_before);
  }
  low = _mm_shuffle_epi32 (abef, 0x1b);
  high = _mm_shuffle_epi32 (cdgh, 0xb1);
  _mm_storeu_si128 ((__m128i *) (gpointer) state, _mm_blend_epi16 (low, high, 0xf0));
  _mm_storeu_si128 ((__m128i *) (gpointer) (state + 4), _mm_alignr_epi8 (high, low, 8));
}

#else

#define BLOCK 64

static const guint32 initial[8] = { 0 };

static gboolean
has_instructions (void)
{
  return FALSE;
}

static void
compress (guint32 *state, const guint8 *data, gsize n_blocks)
{
}

#endif

struct _PtSha256 {
  guint32 state[8];
  guint8 pending[BLOCK]; /* less than a block */
  gsize n_pending;
  guint64 total;    /* bytes */
  GChecksum *plain; /* where the processor lacks the instructions; else NULL */
};

PtSha256 *
pt_sha256_new (void)
{
  PtSha256 *self = g_new0 (PtSha256, 1);

  if (has_instructions ())
    memcpy (self->state, initial, sizeof self->state);
  else
    self->plain = g_checksum_new (G_CHECKSUM_SHA256);
  return self;
}

void
pt_sha256_free (PtSha256 *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->plain, g_checksum_free);
  g_free (self);
}

/* Fills the pending block, and returns how many bytes of @data it took. */
static gsize
fill_pending (PtSha256 *self, const guint8 *data, gsize size)
{
  gsize n = MIN (size, BLOCK - self->n_pending);

  memcpy (self->pending + self->n_pending, data, n);
  self->n_pending += n;
  if (self->n_pending == BLOCK) {
    compress (self->state, self->pending, 1);
    self->n_pending = 0;
  }
  return n;
}

static void
add_fast (PtSha256 *self, const guint8 *data, gsize size)
{
  gsize n = self->n_pending > 0 ? fill_pending (self, data, size) : 0;
  gsize whole = (size - n) / BLOCK;

  compress (self->state, data + n, whole);
  n += whole * BLOCK;
  if (n < size)
    fill_pending (self, data + n, size - n);
}

void
pt_sha256_add (PtSha256 *self, gconstpointer data, gsize size)
{
  const guint8 *bytes = data;

  self->total += size;
  if (self->plain == NULL && size > 0)
    add_fast (self, bytes, size);
  for (gsize n; self->plain != NULL && size > 0; bytes += n, size -= n) {
    n = MIN (size, G_MAXINT);
    g_checksum_update (self->plain, bytes, (gssize) n);
  }
}

char *
pt_sha256_end (PtSha256 *self)
{
  guint8 end[2 * BLOCK] = { 0 };
  gsize n_end = self->n_pending + 9 <= BLOCK ? 1 : 2;
  guint64 bits = GUINT64_TO_BE (self->total * 8);
  GString *text;

  if (self->plain != NULL)
    return g_strdup (g_checksum_get_string (self->plain));
  text = g_string_sized_new (64);
  memcpy (end, self->pending, self->n_pending);
  end[self->n_pending] = 0x80;
  memcpy (end + n_end * BLOCK - 8, &bits, 8);
  compress (self->state, end, n_end);
  for (guint i = 0; i < 8; i++)
    g_string_append_printf (text, "%08x", self->state[i]);
  return g_string_free (text, FALSE);
}

char *
pt_sha256 (gconstpointer data, gsize size)
{
  g_autoptr (PtSha256) self = pt_sha256_new ();

  pt_sha256_add (self, data, size);
  return pt_sha256_end (self);
}
