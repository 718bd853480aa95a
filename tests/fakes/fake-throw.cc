// SPDX-License-Identifier: BSD-3-Clause

// A part of a model library: a check that does not hold, and a destructor on the way out.

#include <cstdint>
#include <cstdio>
#include <stdexcept>

extern "C" void aoti_torch_check (bool condition, const char *function, const char *file,
                                  uint32_t line, const char *message);
extern "C" __attribute__ ((visibility ("default"))) int32_t
check_and_catch (bool condition, const char *message, char *text, size_t size);

namespace
{
struct Guard {
  int &n;
  ~Guard () { n++; }
};

void
run (bool condition, const char *message, int &n)
{
  Guard guard{ n };

  aoti_torch_check (condition, __func__, __FILE__, __LINE__, message);
}
} // namespace

// 0, or 1 and the number of destructors that ran.
int32_t
check_and_catch (bool condition, const char *message, char *text, size_t size)
{
  int n = 0;

  try {
    run (condition, message, n);
  } catch (const std::exception &error) {
    std::snprintf (text, size, "%s", error.what ());
    return 1 + n;
  } catch (...) {
    return 1 + n;
  }
  return 0;
}
