#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "output.h"
#include "sinew/version.h"
#include "validation/study.h"

/// `sinew validate`: published values, the error of each, and whether it is within its bound.
namespace sinew::cli {
namespace {

using validation::Result;
using validation::Study;

constexpr double kPlotLine = 12;  ///< height of a line of text below a panel

struct ValidateOptions {
  std::string out;
  std::string only;
  bool quick = false;
  bool list = false;
};

std::string orderOf(const Result& r) { return std::isfinite(r.order) ? fmt::format("{:.1f}", r.order) : "-"; }

/// As a percentage with two digits that count; an absolute number where the published value is 0.
std::string errorOf(const Result& r) {
  if (!r.failure.empty()) return "-";
  const double e = r.errors.back();
  return r.quantity->reference == 0 ? fmt::format("{:.2g}", e) : fmt::format("{:+.2g} %", 100 * e);
}

std::string boundOf(const Result& r) {
  return r.quantity->reference == 0 ? fmt::format("{:g}", r.quantity->bound)
                                    : fmt::format("{:g} %", 100 * r.quantity->bound);
}

std::string valueOf(const Result& r) { return r.failure.empty() ? fmt::format("{:.6g}", r.values.back()) : "-"; }

bool belongs(const Study& study, const ValidateOptions& options) {
  if (options.quick && !study.quick) return false;
  return study.id.find(options.only) != std::string::npos || study.title.find(options.only) != std::string::npos;
}

void print(const Result& r) {
  const Study& s = *r.study;
  fmt::print("{}  {:<10} {:<66} {:<28} {:>11} {:>10g} {:>9} {:>7} {:>5}  {}\n", r.isWithin ? "ok  " : "MISS", s.id,
             s.title, r.quantity->name, valueOf(r), r.quantity->reference, errorOf(r), boundOf(r), orderOf(r),
             s.source);
  if (!r.failure.empty()) fmt::print("      {}\n", r.failure);
  flushOutput();
}

/// A file that is written as a whole or reported.
void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw CommandError(fmt::format("cannot write \"{}\"", path.string()), kProblem);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// One panel of the plot: error over the size of the mesh, both logarithmic, a line per quantity.
std::string panelOf(const std::vector<const Result*>& results, double left, double top) {
  constexpr double kWidth = 300, kHeight = 190, kLow = 1e-5, kHigh = 1, kFirst = 4, kLast = 128;
  constexpr const char* kColours[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd",
                                      "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"};
  const auto x = [&](double n) { return left + kWidth * std::log(n / kFirst) / std::log(kLast / kFirst); };
  const auto y = [&](double e) {
    return top + kHeight * (1 - std::log(std::clamp(e, kLow, kHigh) / kLow) / std::log(kHigh / kLow));
  };
  std::string svg =
      fmt::format(R"(<text x="{}" y="{}" font-weight="bold">{}</text>)", left, top - 8, escaped(results[0]->study->id));
  for (double e = kLow; e < 2 * kHigh; e *= 10) {
    svg += fmt::format(R"(<path d="M{} {:.1f}h{}" stroke="#ddd"/>)", left, y(e), kWidth);
    svg += fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end">{:g} %</text>)", left - 6, y(e) + 4, 100 * e);
  }
  for (double n = kFirst; n <= kLast; n *= 2) {
    svg += fmt::format(R"(<path d="M{:.1f} {}v{}" stroke="#ddd"/>)", x(n), top, kHeight);
    svg += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{:g}</text>)", x(n), top + kHeight + 15, n);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& r = *results[i];
    const char* colour = kColours[i % std::size(kColours)];
    std::string points;
    for (std::size_t k = 0; k < r.errors.size(); ++k)
      points += fmt::format("{:.1f},{:.1f} ", x(r.study->sizes[k]), y(std::abs(r.errors[k])));
    svg += fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="1.5"/>)", points, colour);
    const double line = top + kHeight + 34 + kPlotLine * static_cast<double>(i);
    svg += fmt::format(R"(<path d="M{} {}h16" stroke="{}" stroke-width="2"/>)", left, line - 3, colour);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"9\">{}: {}</text>\n", left + 22, line,
                       escaped(r.study->title), escaped(r.quantity->name));
  }
  return svg;
}

/// Two panels beside each other, one per id, of what was run on several sizes of mesh.
std::string plotOf(const std::vector<Result>& results) {
  std::vector<std::vector<const Result*>> panels;
  for (const Result& r : results) {
    if (!r.failure.empty() || r.study->sizes.size() < 2 || r.study->sizes.back() > 128) continue;
    if (panels.empty() || panels.back()[0]->study->id != r.study->id) panels.emplace_back();
    panels.back().push_back(&r);
  }
  std::string svg;
  double top = 30, bottom = top;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (i % 2 == 0) top = bottom;
    svg += panelOf(panels[i], i % 2 ? 570 : 60, top);
    bottom = std::max(bottom, top + 280 + kPlotLine * static_cast<double>(panels[i].size()));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1020 {0}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<rect width=\"1020\" height=\"{0}\" fill=\"white\"/>\n{1}</svg>\n",
      bottom, svg);
}

void writePage(const std::filesystem::path& path, const std::vector<Result>& results, int missed) {
  const std::filesystem::path plot = std::filesystem::path(path).replace_extension(".svg");
  std::string text = fmt::format(
      "# Validation\n\nPublished and closed-form values, and what Sinew {} makes of them. `make validate` writes this "
      "page; nothing\n"
      "in it is fitted. \"order\" is the observed order of convergence between the last two meshes, \"-\" where the "
      "error is\n"
      "round-off or there is one size. The error is that of the finest mesh; the plot shows it over the number of "
      "cells along a\n"
      "side.\n\n![Error over the size of the "
      "mesh]({})\n\n"
      "| id | what | quantity | Sinew | published | error | bound | order | source "
      "|\n|---|---|---|---|---|---|---|---|---|\n",
      kVersion, plot.filename().string());
  for (const Result& r : results) {
    text += fmt::format("| {} | {} | {} | {} | {:g} | {}{} | {} | {} | {} |\n", r.study->id, r.study->title,
                        r.quantity->name, valueOf(r), r.quantity->reference, errorOf(r), r.isWithin ? "" : " (missed)",
                        boundOf(r), orderOf(r), r.study->source);
  }
  text += fmt::format("\n{} values, {} outside of their bounds.\n", results.size(), missed);
  write(path, text);
  write(plot, plotOf(results));
}

int validate(const ValidateOptions& options) {
  const std::vector<Study> all = validation::studies();
  if (options.list) {
    for (const Study& s : all) {
      if (belongs(s, options)) fmt::print("{:<10} {}\n", s.id, s.title);
    }
    return kOk;
  }
  if (!options.out.empty() && std::filesystem::path(options.out).extension() != ".md")
    throw CommandError(fmt::format("--out writes a page: its name must end in .md, found \"{}\"", options.out));
  if (!options.out.empty()) write(options.out, "");  // better now than after minutes
  std::vector<Result> results;
  int missed = 0;
  for (const Study& s : all) {
    if (!belongs(s, options)) continue;
    for (const Result& r : validation::run(s)) {
      print(r);
      missed += !r.isWithin;
      results.push_back(r);
    }
  }
  if (results.empty()) throw CommandError(fmt::format("no study is called \"{}\"; --list shows them", options.only));
  fmt::print("{} values, {} outside of their bounds\n", results.size(), missed);
  if (!options.out.empty()) writePage(options.out, results, missed);
  return missed ? kProblem : kOk;
}

}  // namespace

Command addValidateCommand(CLI::App& app) {
  CLI::App* parser =
      app.add_subcommand("validate", "Reproduce published values of mechanics and say how far off they are");
  auto options = std::make_shared<ValidateOptions>();
  parser->add_option("STUDY", options->only, "Only studies whose id or title contains this, as SHELL-1");
  parser->add_flag("--quick", options->quick, "The subset that takes seconds");
  parser->add_flag("--list", options->list, "Say what there is, run nothing");
  parser->add_option("--out", options->out, "Write the table as a page (FILE.md), with a plot (FILE.svg) beside it");
  return {parser, [options] { return validate(*options); }};
}

}  // namespace sinew::cli
