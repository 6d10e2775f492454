#include "trace.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "command.h"

namespace sinew::cli {
namespace {

using nlohmann::json;

double numberOf(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

bool isNumeric(const json& value) {
  if (!value.is_array()) return value.is_number() || value.is_null();
  return value.empty() || value.front().is_number() || value.front().is_null();
}

/// The numbers and arrays of numbers in an object; other members (the list of contacts) are left out.
NamedArrays arraysOf(const json& object) {
  NamedArrays arrays;
  for (const auto& [name, value] : object.items()) {
    if (!isNumeric(value)) continue;
    std::vector<double>& numbers = arrays[name];
    if (!value.is_array()) {
      numbers.push_back(numberOf(value));
      continue;
    }
    numbers.reserve(value.size());
    for (const json& number : value) numbers.push_back(numberOf(number));
  }
  return arrays;
}

/// Adds the contacts as arrays contact_dist, contact_pos, ..., one after the other.
void addContacts(const json& contacts, NamedArrays& arrays) {
  for (const json& contact : contacts) {
    for (const auto& [name, values] : arraysOf(contact)) {
      std::vector<double>& all = arrays["contact_" + name];
      all.insert(all.end(), values.begin(), values.end());
    }
  }
}

Trace traceOf(const json& j) {
  Trace trace;
  trace.version = j.at("version").get<std::string>();
  const json& settings = j.at("settings");
  trace.controls = settings.at("ctrl").get<std::string>();
  trace.velocities = settings.at("qvel").get<std::string>();
  trace.key = settings.at("key").get<int>();
  trace.settings = settings.at("set").get<std::vector<std::string>>();
  trace.smooth = settings.at("smooth").get<bool>();
  trace.option = arraysOf(j.at("opt_compiled"));
  trace.statistic = arraysOf(j.at("stat"));
  trace.sizes = arraysOf(j.at("sizes"));
  trace.constants = arraysOf(j.at("constants"));
  trace.names = j.at("names").get<std::map<std::string, std::vector<std::string>>>();
  for (const json& sample : j.at("samples")) {
    trace.samples.push_back({sample.at("step").get<int>(), arraysOf(sample)});
    trace.samples.back().fields.erase("step");
    trace.samples.back().fields.erase("contact");
    if (sample.contains("contact")) addContacts(sample.at("contact"), trace.samples.back().fields);
  }
  return trace;
}

}  // namespace

Trace readTrace(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw CommandError(fmt::format("cannot open trace '{}'", file));
  try {
    const json j = json::parse(in);
    if (j.contains("error")) {
      throw CommandError(fmt::format("{}: the reference engine failed: {}", file, j.at("error").get<std::string>()));
    }
    if (j.value("format", "") != "sinew-trace-1") {
      throw CommandError(fmt::format("{}: not a trace of format sinew-trace-1", file));
    }
    return traceOf(j);
  } catch (const json::exception& error) {
    throw CommandError(fmt::format("{}: not a trace: {}", file, error.what()));
  }
}

}  // namespace sinew::cli
