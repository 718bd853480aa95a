// SPDX-License-Identifier: BSD-3-Clause
// Sums and maxima over a group of GROUP invocations, through shared memory: they work with any size
// of subgroups. All invocations of the group must call them.
shared float partial[GROUP];

float group_sum (float v)
{
  uint i = gl_LocalInvocationIndex;

  barrier ();
  partial[i] = v;
  for (uint n = GROUP / 2; n > 0; n /= 2) {
    barrier ();
    if (i < n)
      partial[i] += partial[i + n];
  }
  barrier ();
  return partial[0];
}

float group_max (float v)
{
  uint i = gl_LocalInvocationIndex;

  barrier ();
  partial[i] = v;
  for (uint n = GROUP / 2; n > 0; n /= 2) {
    barrier ();
    if (i < n)
      partial[i] = max (partial[i], partial[i + n]);
  }
  barrier ();
  return partial[0];
}
