#include "trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "command.h"
#include "sinew/errors.h"
#include "sinew/files.h"

namespace sinew::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr int kMostTraceSteps = 10'000'000;  // a damaged number must not become an endless run

double numberOf(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

bool isNumeric(const json& value) {
  const auto isNumber = [](const json& entry) { return entry.is_number() || entry.is_null(); };
  if (!value.is_array()) return isNumber(value);
  return std::all_of(value.begin(), value.end(), isNumber);
}

/// The member `name` of an object, which must be an object itself.
const json& objectAt(const json& parent, const char* name) {
  const json& value = parent.at(name);
  if (!value.is_object()) throw CommandError(fmt::format("'{}' must be an object, found {}", name, value.type_name()));
  return value;
}

/// A whole number in the range of int.
int wholeAt(const json& parent, const char* name) {
  const json& value = parent.at(name);
  const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!(number >= -1e9 && number <= 1e9) || number != std::floor(number)) {
    throw CommandError(fmt::format("'{}' must be a whole number, found {}", name, value.dump()));
  }
  return static_cast<int>(number);
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
  if (!contacts.is_array()) throw CommandError(fmt::format("'contact' must be a list, found {}", contacts.type_name()));
  for (const json& contact : contacts) {
    if (!contact.is_object())
      throw CommandError(fmt::format("a contact must be an object, found {}", contact.type_name()));
    for (const auto& [name, values] : arraysOf(contact)) {
      std::vector<double>& all = arrays["contact_" + name];
      all.insert(all.end(), values.begin(), values.end());
    }
  }
}

Trace traceOf(const json& j) {
  Trace trace;
  trace.version = j.at("version").get<std::string>();
  const json& settings = objectAt(j, "settings");
  trace.controls = settings.at("ctrl").get<std::string>();
  trace.velocities = settings.at("qvel").get<std::string>();
  trace.key = wholeAt(settings, "key");
  trace.settings = settings.at("set").get<std::vector<std::string>>();
  trace.smooth = settings.at("smooth").get<bool>();
  trace.option = arraysOf(objectAt(j, "opt_compiled"));
  trace.statistic = arraysOf(objectAt(j, "stat"));
  trace.sizes = arraysOf(objectAt(j, "sizes"));
  trace.constants = arraysOf(objectAt(j, "constants"));
  trace.names = objectAt(j, "names").get<std::map<std::string, std::vector<std::string>>>();
  const json& samples = j.at("samples");
  if (!samples.is_array()) throw CommandError(fmt::format("'samples' must be a list, found {}", samples.type_name()));
  for (const json& sample : samples) {
    if (!sample.is_object())
      throw CommandError(fmt::format("a sample must be an object, found {}", sample.type_name()));
    const int step = wholeAt(sample, "step");
    const int least = trace.samples.empty() ? 0 : trace.samples.back().step;
    if (step < least || step > kMostTraceSteps) {
      throw CommandError(fmt::format("'step' must be from {} to {} and grow, found {}", least, kMostTraceSteps, step));
    }
    trace.samples.push_back({step, arraysOf(sample)});
    trace.samples.back().fields.erase("step");
    trace.samples.back().fields.erase("contact");
    if (sample.contains("contact")) addContacts(sample.at("contact"), trace.samples.back().fields);
  }
  return trace;
}

}  // namespace

Trace readTrace(const std::string& file) {
  std::string text;
  try {
    text = readFile(file);
  } catch (const LoadError& error) {
    throw CommandError(fmt::format("cannot read the trace: {}", error.what()));
  }
  try {
    const json j = json::parse(text);
    if (!j.is_object()) throw CommandError("expected an object");
    if (j.contains("error")) {
      const json& error = j.at("error");
      throw CommandError(
          fmt::format("the reference engine failed: {}", error.is_string() ? error.get<std::string>() : error.dump()));
    }
    const auto format = j.find("format");
    if (format == j.end() || *format != "sinew-trace-1") throw CommandError("not a trace of format sinew-trace-1");
    return traceOf(j);
  } catch (const CommandError& error) {
    throw CommandError(fmt::format("{}: {}", file, error.what()));
  } catch (const json::exception& error) {
    throw CommandError(fmt::format("{}: not a trace: {}", file, error.what()));
  }
}

}  // namespace sinew::cli
