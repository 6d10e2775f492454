#include "machine.h"

#include <cctype>
#include <ctime>
#include <fstream>

namespace sinew::bench {

std::string machineName() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown machine";
}

std::string machineFileName() {
  std::string name;
  for (const char c : machineName()) {
    const bool isWord = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (isWord) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!isWord && !name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

double cpuMicroseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

}  // namespace sinew::bench
