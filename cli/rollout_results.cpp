#include "rollout_results.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "command.h"
#include "descriptor.h"
#include "npz.h"

namespace sinew::cli {
namespace {

template <class T>
std::string_view bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

nlohmann::ordered_json ResultShape::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RecordedArray& a : arrays) list.push_back({{"name", a.name}, {"rows", a.rows}, {"columns", a.columns}});
  return {{"samples", samples}, {"nq", nq}, {"nv", nv}, {"na", na}, {"parameters", parameters}, {"arrays", list}};
}

ResultShape ResultShape::of(const nlohmann::ordered_json& j) {
  ResultShape s;
  s.samples = j.at("samples").get<std::int64_t>();
  s.nq = j.at("nq").get<int>(), s.nv = j.at("nv").get<int>(), s.na = j.at("na").get<int>();
  s.parameters = j.at("parameters").get<int>();
  for (const auto& a : j.at("arrays")) {
    s.arrays.push_back({a.at("name").get<std::string>(), a.at("rows").get<int>(), a.at("columns").get<int>()});
  }
  return s;
}

std::vector<ResultArray> resultArrays(const ResultShape& s) {
  const auto u = [](int n) { return static_cast<std::uint64_t>(n); };
  std::vector<ResultArray> arrays{{"run", "<i8", {}},
                                  {"status", "|u1", {}},
                                  {"steps", "<i8", {}},
                                  {"hash", "<u8", {}},
                                  {"last_time", "<f8", {}},
                                  {"last_qpos", "<f8", {u(s.nq)}},
                                  {"last_qvel", "<f8", {u(s.nv)}},
                                  {"last_act", "<f8", {u(s.na)}},
                                  {"cause", "<U", {}}};
  if (s.parameters > 0) arrays.push_back({"param", "<f8", {u(s.parameters)}});
  const auto samples = static_cast<std::uint64_t>(s.samples);
  for (const RecordedArray& a : s.arrays) {
    std::vector<std::uint64_t> inner{samples};
    if (a.name != "time") inner.push_back(u(a.name == "energy" ? 2 : a.rows));
    if (a.name != "energy" && a.columns != 1) inner.push_back(u(a.columns));
    arrays.push_back({a.name, "<f8", inner});
  }
  return arrays;
}

ResultTable::ResultTable(const ResultShape& shape, std::int64_t first, std::int64_t count)
    : shape_(shape), first_(first), count_(count) {
  const auto n = static_cast<std::size_t>(count);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto width = [&](int w) { return n * static_cast<std::size_t>(w); };
  for (std::int64_t i = 0; i < count; ++i) run_.push_back(first + i);
  steps_.assign(n, 0);
  status_.assign(n, 0);
  hash_.assign(n, 0);
  time_.assign(n, kNone);
  qpos_.assign(width(shape.nq), kNone);
  qvel_.assign(width(shape.nv), kNone);
  act_.assign(width(shape.na), kNone);
  parameters_.assign(width(shape.parameters), kNone);
  cause_.resize(n);
  for (const RecordedArray& a : shape.arrays) {
    samples_.emplace_back(n * static_cast<std::size_t>(shape.samples * a.width()), kNone);
  }
}

std::vector<std::span<double>> ResultTable::samplesOf(std::int64_t run) {
  std::vector<std::span<double>> spans;
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const auto each = static_cast<std::size_t>(shape_.samples * shape_.arrays[k].width());
    spans.emplace_back(samples_[k].data() + at(run) * each, each);
  }
  return spans;
}

void ResultTable::set(std::int64_t run, std::span<const double> parameters, const RunOutcome& o) {
  const std::size_t i = at(run);
  steps_[i] = o.steps;
  status_[i] = static_cast<std::uint8_t>(o.diverged          ? RunStatus::Diverged
                                         : o.message.empty() ? RunStatus::Ok
                                                             : RunStatus::Trouble);
  hash_[i] = o.hash;
  time_[i] = o.time;
  const auto put = [&](std::span<const double> from, std::vector<double>& to) {
    std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(i * from.size()));
  };
  put(o.qpos, qpos_);
  put(o.qvel, qvel_);
  put(o.act, act_);
  put(parameters, parameters_);
  cause_[i] = o.message;
}

void ResultTable::fail(std::int64_t run, std::span<const double> parameters, const std::string& cause) {
  const std::size_t i = at(run);
  status_[i] = static_cast<std::uint8_t>(RunStatus::Failed);
  cause_[i] = cause;
  std::copy(parameters.begin(), parameters.end(),
            parameters_.begin() + static_cast<std::ptrdiff_t>(i * parameters.size()));
}

void ResultTable::write(const std::string& file, const std::string& unique) const {
  const std::size_t wide = longestOf(cause_);
  const std::string causes = npyTexts(cause_, wide);
  std::vector<std::string_view> contents{bytesOf(run_),  bytesOf(status_), bytesOf(steps_),
                                         bytesOf(hash_), bytesOf(time_),   bytesOf(qpos_),
                                         bytesOf(qvel_), bytesOf(act_),    causes};
  if (shape_.parameters > 0) contents.push_back(bytesOf(parameters_));
  for (const auto& values : samples_) contents.push_back(bytesOf(values));

  std::vector<NpzLayout::Member> members;
  for (const ResultArray& array : resultArrays(shape_)) {
    std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(count_)};
    shape.insert(shape.end(), array.inner.begin(), array.inner.end());
    NpzLayout::Member member;
    member.name = array.name + ".npy";
    member.header = npyHeader(array.type == "<U" ? fmt::format("<U{}", wide) : array.type, shape);
    const std::string_view content = contents[members.size()];
    member.size = member.header.size() + content.size();
    member.checksum = crc32(content, crc32(member.header));
    members.push_back(std::move(member));
  }
  const NpzLayout layout(std::move(members));
  const std::string part = fmt::format("{}.{}.part", file, unique);
  unlink(part.c_str());
  Descriptor out(open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (out.value() < 0) throw cannotWrite(file, errno);
  try {
    for (std::size_t k = 0; k < contents.size(); ++k) {
      const NpzLayout::Member& member = layout.members()[k];
      const std::string record = layout.localRecord(member) + member.header;
      appendTo(out.value(), std::as_bytes(std::span(record)), file);
      appendTo(out.value(), std::as_bytes(std::span(contents[k])), file);
    }
    const std::string directory = layout.directory();
    appendTo(out.value(), std::as_bytes(std::span(directory)), file);
    // no fsync: whoever reads a chunk later checks its checksums
    if (std::rename(part.c_str(), file.c_str()) != 0) throw cannotWrite(file, errno);
  } catch (...) {
    unlink(part.c_str());
    throw;
  }
}

}  // namespace sinew::cli
