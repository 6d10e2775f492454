#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "command.h"

namespace sinew::cli {

void prepareStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // the lowest free number is the one that is missing; opened so that writing to it fails as before
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

void flushOutput() {
  errno = 0;
  const bool streamed = static_cast<bool>(std::cout.flush());
  const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (streamed && flushed) return;
  const int error = errno;
  throw CommandError(
      fmt::format("cannot write to standard output{}{}", error ? ": " : "", error ? std::strerror(error) : ""),
      kProblem);
}

}  // namespace sinew::cli
