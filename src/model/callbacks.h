#pragma once

#include <exception>

#include "sinew/data.h"

namespace sinew {

/// Numbers of the callbacks, as Trouble::Callback reports them.
enum class CallbackKind : int { Control = 0, Passive, ContactFilter, Sensor };

/// Calls f, which calls a function of the user. True unless it threw; then that is noted and goes no further.
template <class F>
bool callUser(Data& d, CallbackKind kind, F&& f) {
  const auto note = [&](const char* text) {
    if (d.status[Trouble::Callback].count == 0) d.callbackError = text;
    d.status.note(Trouble::Callback, static_cast<int>(kind), d.time);
  };
  try {
    f();
    return true;
  } catch (const std::exception& error) {
    note(error.what());
  } catch (...) {
    note("it was no std::exception");
  }
  return false;
}

}  // namespace sinew
