#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Attention (flash attention): y = softmax (q . k * scale + mask) . v. With IS_CAUSAL row t sees
// the keys up to symbols[symbol] + t, else all. Each group makes ROWS rows of one head, or with
// BY_HEAD one row of ROWS heads that share their keys; of the keys of one split. It takes GROUP keys
// at a time. The maximum so far is subtracted, so that nothing overflows. With several splits it
// writes, for each row, head and split: the maximum, the sum, two unused numbers, and the values.
// The group that comes last of those with keys makes y of them; none waits for another one.
//   VECTOR: rows of k and v begin at multiples of four and have a multiple of four elements
//   LANES: invocations that share the elements of v, four each; the others take other keys
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define GROUP 128
#define MAX_WIDTH 512
#define MAX_ROWS 4
#define AT_ONCE 8 // loads before the first is needed
#define SPLITS_AT_ONCE 16
#define NOTHING -3.4e38

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint ROWS = 1;
layout (constant_id = 1) const uint LANES = 16;
layout (constant_id = 2) const uint VECTOR = 0;
layout (constant_id = 3) const uint IS_CAUSAL = 1;
layout (constant_id = 4) const uint HAS_MASK = 0;
layout (constant_id = 5) const uint BY_HEAD = 0;
layout (set = 0, binding = 0) readonly buffer Q { float q[]; };
layout (set = 0, binding = 1) readonly buffer K { float keys[]; };
layout (set = 0, binding = 1) readonly buffer K4 { vec4 keys4[]; };
layout (set = 0, binding = 2) readonly buffer V { float values[]; };
layout (set = 0, binding = 2) readonly buffer V4 { vec4 values4[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 4) readonly buffer S { int symbols[]; };
layout (set = 0, binding = 5) readonly buffer B { float mask[]; };
layout (set = 0, binding = 6) coherent buffer T { float parts[]; };
layout (set = 0, binding = 7) coherent buffer N { uint counters[]; }; // of groups that came
layout (push_constant) uniform P
{
  uint heads, kv_heads, width, value_width;
  int rows;    // of the keys
  uint symbol; // 0xffffffff: start
  int start;
  float scale;
  uint length, splits;
  uint q_row, q_head, k_row, k_head, v_row, v_head, y_row, y_head; // strides
  uint mask_heads, mask_batch, mask_head, mask_row, mask_column;
  uint counter; // the first one
};

#define SLICES (GROUP / LANES)

shared vec4 query[MAX_ROWS][MAX_WIDTH / 4];
shared vec4 weights[GROUP]; // of the rows
shared vec4 partial[GROUP];

// ---- Sums of the group, of all rows at once ----

vec4 group_max (vec4 v)
{
  vec4 part = subgroupMax (v);

  barrier ();
  if (subgroupElect ())
    partial[gl_SubgroupID] = part;
  barrier ();
  v = partial[0];
  for (uint i = 1; i < gl_NumSubgroups; i++)
    v = max (v, partial[i]);
  return v;
}

vec4 group_sum (vec4 v)
{
  vec4 part = subgroupAdd (v);

  barrier ();
  if (subgroupElect ())
    partial[gl_SubgroupID] = part;
  barrier ();
  v = partial[0];
  for (uint i = 1; i < gl_NumSubgroups; i++)
    v += partial[i];
  return v;
}

// Elements of one slice become those of the row.
vec4 sum_of_slices (vec4 v)
{
  uint i = gl_LocalInvocationIndex;

  if (SLICES == 1)
    return v;
  barrier ();
  partial[i] = v;
  barrier ();
  v = vec4 (0.0);
  for (uint k = i % LANES; k < GROUP; k += LANES)
    v += partial[k];
  return v;
}

// ---- Four elements from d on; 0 behind the last one ----

vec4 key_at (uint at, uint d)
{
  if (VECTOR != 0)
    return keys4[(at + d) / 4];
  vec4 v = vec4 (0.0);

  [[unroll]] for (uint e = 0; e < 4; e++)
    if (d + e < width)
      v[e] = keys[at + d + e];
  return v;
}

vec4 value_at (uint at, uint d)
{
  if (VECTOR != 0)
    return values4[(at + d) / 4];
  vec4 v = vec4 (0.0);

  [[unroll]] for (uint e = 0; e < 4; e++)
    if (d + e < value_width)
      v[e] = values[at + d + e];
  return v;
}

// ---- Rows ----

uint head_of (uint r) { return BY_HEAD != 0 ? gl_WorkGroupID.x * ROWS + r : gl_WorkGroupID.x; }

uint time_of (uint r)
{
  return BY_HEAD != 0 ? gl_WorkGroupID.y : min (gl_WorkGroupID.y * ROWS + r, length - 1);
}

void load_queries ()
{
  [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
    if (r < ROWS)
      for (uint d = gl_LocalInvocationIndex * 4; d < width; d += GROUP * 4) {
        uint at = time_of (r) * q_row + head_of (r) * q_head + d;
        vec4 v = vec4 (0.0);

        [[unroll]] for (uint e = 0; e < 4; e++)
          if (d + e < width)
            v[e] = q[at + e] * scale;
        query[r][d / 4] = v;
      }
}

float mask_of (uint h, uint t, uint s)
{
  return mask[h / mask_heads * mask_batch + h % mask_heads * mask_head + t * mask_row
              + s * mask_column];
}

// The scores of key s for all rows; NOTHING: not seen.
vec4 scores_of (uint s, uint kv, int first)
{
  vec4 score = vec4 (0.0);
  uint at = s * k_row + kv * k_head;

  for (uint d = 0; d < width; d += 4 * AT_ONCE) {
    vec4 k[AT_ONCE];

    [[unroll]] for (uint u = 0; u < AT_ONCE; u++)
      k[u] = d + 4 * u < width ? key_at (at, d + 4 * u) : vec4 (0.0);
    [[unroll]] for (uint u = 0; u < AT_ONCE; u++)
      if (d + 4 * u < width)
        [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
          if (r < ROWS)
            score[r] += dot (query[r][d / 4 + u], k[u]);
  }
  [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
    if (r < ROWS) {
      if (HAS_MASK != 0)
        score[r] += mask_of (head_of (r), time_of (r), s);
      score[r] = max (score[r], NOTHING);
      if (IS_CAUSAL != 0 && int (s) > max (first + int (time_of (r)), 0))
        score[r] = NOTHING;
    }
  return score;
}

// Adds the values of this slice of the keys s0 .. s0 + count, by their weights.
void add_values (uint s0, uint count, uint kv, inout vec4 result[MAX_ROWS])
{
  uint d = gl_LocalInvocationIndex % LANES * 4, slice = gl_LocalInvocationIndex / LANES;

  if (d >= value_width)
    return;
  for (uint j = slice; j < count; j += SLICES * AT_ONCE) {
    vec4 v[AT_ONCE];

    [[unroll]] for (uint u = 0; u < AT_ONCE; u++)
      v[u] = value_at ((s0 + min (j + u * SLICES, count - 1)) * v_row + kv * v_head, d);
    [[unroll]] for (uint u = 0; u < AT_ONCE; u++)
      if (j + u * SLICES < count) {
        vec4 weight = weights[j + u * SLICES];

        [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
          if (r < ROWS)
            result[r] = fma (vec4 (weight[r]), v[u], result[r]);
      }
  }
}

void write_row (uint r, vec4 v)
{
  uint i = gl_LocalInvocationIndex, d = i * 4, at = time_of (r) * y_row + head_of (r) * y_head;

  if (BY_HEAD == 0 && gl_WorkGroupID.y * ROWS + r >= length)
    return;
  [[unroll]] for (uint e = 0; e < 4; e++)
    if (i < LANES && d + e < value_width)
      y[at + d + e] = v[e];
}

// ---- Splits ----

uint part_at (uint r, uint split)
{
  return ((time_of (r) * heads + head_of (r)) * splits + split) * (value_width + 4);
}

void write_part (uint r, vec4 v, float most, float sum)
{
  uint i = gl_LocalInvocationIndex, d = i * 4, at = part_at (r, gl_WorkGroupID.z);

  if (BY_HEAD == 0 && gl_WorkGroupID.y * ROWS + r >= length)
    return;
  if (i == 0) {
    parts[at] = most;
    parts[at + 1] = sum;
  }
  [[unroll]] for (uint e = 0; e < 4; e++)
    if (i < LANES && d + e < value_width)
      parts[at + 4 + d + e] = v[e];
}

shared uint n_before;

#define WAIT_FOR_GROUP()                                                                          \
  controlBarrier (gl_ScopeWorkgroup, gl_ScopeWorkgroup,                                            \
                  gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease)

// Whether the other splits of these rows are there; then what they wrote is visible. The group's
// own parts come before its count, and other groups' parts after theirs, which this count reads.
bool comes_last (uint used)
{
  uint rows = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;

  WAIT_FOR_GROUP ();
  if (gl_LocalInvocationIndex == 0)
    n_before = atomicAdd (counters[counter + rows], 1, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                          gl_SemanticsAcquireRelease);
  WAIT_FOR_GROUP ();
  return n_before == used - 1;
}

// Number e of row r from its splits, by their weights.
float merged (uint r, uint e, uint used)
{
  float sum = 0.0, result = 0.0;

  for (uint s0 = 0; s0 < used; s0 += SPLITS_AT_ONCE) {
    float v[SPLITS_AT_ONCE];

    [[unroll]] for (uint u = 0; u < SPLITS_AT_ONCE; u++)
      v[u] = parts[part_at (r, min (s0 + u, used - 1)) + 4 + e];
    [[unroll]] for (uint u = 0; u < SPLITS_AT_ONCE; u++)
      if (s0 + u < used) {
        sum = fma (partial[s0 + u][r], weights[s0 + u][r], sum);
        result = fma (v[u], weights[s0 + u][r], result);
      }
  }
  return sum > 0.0 ? result / sum : 0.0;
}

void merge_splits (uint used)
{
  uint i = gl_LocalInvocationIndex, n = BY_HEAD != 0 ? ROWS : min (ROWS, length - gl_WorkGroupID.y * ROWS);
  vec4 most = vec4 (NOTHING), sum = vec4 (0.0), top;

  [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
    if (r < n && i < used) {
      most[r] = parts[part_at (r, i)];
      sum[r] = parts[part_at (r, i) + 1];
    }
  top = group_max (most);
  barrier ();
  weights[i] = exp (most - top);
  partial[i] = sum;
  barrier ();
  for (uint k = i; k < n * value_width; k += GROUP) {
    uint r = k / value_width, e = k % value_width;

    y[time_of (r) * y_row + head_of (r) * y_head + e] = merged (r, e, used);
  }
}

void main ()
{
  uint i = gl_LocalInvocationIndex, kv = head_of (0) * kv_heads / heads;
  int first = symbol == 0xffffffffu ? start : symbols[symbol];
  int last = first + int (time_of (ROWS - 1));
  uint n = IS_CAUSAL != 0 ? uint (clamp (last + 1, 1, rows)) : uint (rows);
  uint per_split = max ((n + splits - 1) / splits, GROUP);
  uint begin = min (gl_WorkGroupID.z * per_split, n), end = min (begin + per_split, n);
  uint used = (n + per_split - 1) / per_split; // splits with keys
  vec4 most = vec4 (NOTHING), sum = vec4 (0.0), result[MAX_ROWS];

  if (gl_WorkGroupID.z >= used)
    return;
  [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
    result[r] = vec4 (0.0);
  load_queries ();
  barrier ();
  for (uint s0 = begin; s0 < end; s0 += GROUP) {
    vec4 score = s0 + i < end ? scores_of (s0 + i, kv, first) : vec4 (NOTHING);
    vec4 next = max (most, group_max (score)), shrink = exp (most - next);
    vec4 weight = mix (exp (score - next), vec4 (0.0), lessThanEqual (score, vec4 (NOTHING)));

    sum = sum * shrink + weight;
    most = next;
    weights[i] = weight;
    barrier ();
    [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
      result[r] *= shrink[r];
    add_values (s0, min (GROUP, end - s0), kv, result);
  }
  sum = group_sum (sum);
  [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
    if (r < ROWS) {
      vec4 v = sum_of_slices (result[r]);

      if (used > 1)
        write_part (r, v, most[r], sum[r]);
      else
        write_row (r, sum[r] > 0.0 ? v / sum[r] : vec4 (0.0));
    }
  if (used > 1 && comes_last (used))
    merge_splits (used);
}
