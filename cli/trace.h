#pragma once

#include <map>
#include <string>
#include <vector>

namespace sinew::cli {

/// Arrays by name. Numbers that were not finite are NaN.
using NamedArrays = std::map<std::string, std::vector<double>, std::less<>>;

struct TraceSample {
  int step = 0;        ///< number of steps taken before this state
  NamedArrays fields;  ///< contacts as contact_dist, contact_pos, ...
};

/// What the reference engine made of a model: tests/conformance/oracle.mjs writes it, docs/conformance.md describes it.
struct Trace {
  std::string version;  ///< of the reference engine
  // how the run was set up
  std::string controls = "zero", velocities = "keep";
  int key = -1;
  std::vector<std::string> settings;  ///< name=value, as setOption() takes them
  bool smooth = false;                ///< constraints and contacts were disabled
  // the compiled model
  NamedArrays option;  ///< before the settings were applied
  NamedArrays statistic, sizes, constants;
  std::map<std::string, std::vector<std::string>> names;  ///< by kind: "body", "jnt", ...
  // the run, by growing step
  std::vector<TraceSample> samples;
};

/// Reads a trace. Throws CommandError if the file is missing, is not a trace, or says that the reference engine failed.
Trace readTrace(const std::string& file);

}  // namespace sinew::cli
