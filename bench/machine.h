#pragma once

#include <string>

/// The machine a benchmark ran on.
namespace sinew::bench {

/// The processor as it calls itself.
std::string machineName();

/// The same as a word for a file name.
std::string machineFileName();

/// Processor time of this thread so far, us: time in which other programs ran does not count.
double cpuMicroseconds();

}  // namespace sinew::bench
