#include "interruption.h"

#include <cstddef>

namespace sinew::cli {
namespace {

constexpr int kSignals[3] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t noted = 0;

extern "C" void noteSignal(int signal) {
  if (noted == 0) noted = signal;
}

}  // namespace

Interruption::Interruption() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = noteSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < 3; ++i) {
    sigaction(kSignals[i], nullptr, &old_[i]);
    // nohup stays in force; but a script ignores SIGINT for what it starts in the background, and may still send it
    const bool isIgnored = kSignals[i] == SIGHUP && old_[i].sa_handler == SIG_IGN;
    if (!isIgnored) sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < 3; ++i) sigaction(kSignals[i], &old_[i], nullptr);
}

int Interruption::signal() { return noted; }

const char* signalName(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "a signal";
  }
}

}  // namespace sinew::cli
