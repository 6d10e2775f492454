#pragma once

#include <cstdio>
#include <cstdlib>

/// States what only a bug in Sinew could break, never what a user may have written: an id that is none, a list out of
/// order. Builds without NDEBUG end the program with the text; others do not evaluate the condition.
///
///   SINEW_CHECK(collider >= 0 && collider < m.ngeom + m.nflex, "collider out of range");
#ifdef NDEBUG
#define SINEW_CHECK(condition, text) static_cast<void>(sizeof(!(condition)))
#else
#define SINEW_CHECK(condition, text)                                                                     \
  do {                                                                                                   \
    if (!(condition)) {                                                                                  \
      std::fprintf(stderr, "%s:%d: SINEW_CHECK(%s) failed: %s\n", __FILE__, __LINE__, #condition, text); \
      std::abort();                                                                                      \
    }                                                                                                    \
  } while (false)
#endif
