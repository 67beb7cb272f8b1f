// Printing of tilus-run's report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/RunReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;

/// Milliseconds with 4 decimals: 0.1 microseconds, which is finer than the clocks.
static void printTime(llvm::json::OStream &json, llvm::StringRef key, double milliseconds) {
  json.attributeBegin(key);
  json.rawValue([&](llvm::raw_ostream &os) { os << llvm::format("%.4f", milliseconds); });
  json.attributeEnd();
}

static unsigned getSharedBytes(const KernelArtifact &artifact) {
  return artifact.dynamicSharedBytes + artifact.staticSharedBytes;
}

static void printCompileTimes(llvm::json::OStream &json, const RunReportEntry &entry) {
  if (!entry.times)
    return json.attribute("compile_ms", nullptr);
  const CompileTimes &times = *entry.times;
  json.attributeObject("compile_ms", [&] {
    printTime(json, "total", times.total);
    printTime(json, "passes", times.passes);
    printTime(json, "llvm", times.llvm);
    printTime(json, "assembler", times.assembler);
  });
}

static void printEntry(llvm::json::OStream &json, const RunReportEntry &entry) {
  const KernelArtifact *artifact = entry.artifact.get();
  bool hasCubin = artifact && !artifact->cubin.empty();
  auto attributeIf = [&](llvm::StringRef key, bool isKnown, auto getValue) {
    json.attribute(key, isKnown ? llvm::json::Value(getValue()) : llvm::json::Value(nullptr));
  };
  json.attribute("name", entry.kernel);
  attributeIf("target", entry.target, [&] { return entry.target->chip.str(); });
  printCompileTimes(json, entry);
  attributeIf("registers", hasCubin, [&] { return artifact->registers; });
  attributeIf("spill_bytes", hasCubin, [&] { return artifact->spillBytes; });
  attributeIf("shared_bytes", artifact, [&] { return getSharedBytes(*artifact); });
  attributeIf("cubin_bytes", hasCubin, [&] { return artifact->cubin.size(); });
  attributeIf("grid", entry.run || entry.launch,
              [&] { return llvm::json::Array(entry.run ? entry.run->grid : entry.launch->grid); });
  json.attribute("block", llvm::json::Array{entry.blockThreads, 1, 1});
  attributeIf("workspaces", entry.launch.has_value(),
              [&] { return llvm::json::Array(entry.launch->workspaces); });
  attributeIf("device", entry.run.has_value(), [&] { return entry.run->device; });
  if (entry.run)
    printTime(json, "device_ms", entry.run->milliseconds);
  else
    json.attribute("device_ms", nullptr);
}

static void printStats(llvm::json::OStream &json, llvm::StringRef kernel, const TargetStats &stats) {
  json.attribute("kernel", kernel);
  json.attribute("target", stats.target->getName());
  json.attribute("instances", stats.instances);
  json.attribute("entries", stats.entries);
  json.attribute("shortcut_hits", stats.shortcutHits);
  json.attribute("table_hits", stats.tableHits);
  json.attribute("slow_calls", stats.slowCalls);
  printTime(json, "compile_ms", stats.compileMilliseconds);
  json.attribute("cache_hits", stats.cacheHits);
  json.attribute("cache_misses", stats.cacheMisses);
}

void tilus::printJsonReport(const RunReport &report, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attributeArray("kernels", [&] {
      for (const RunReportEntry &entry : report.entries)
        json.object([&] { printEntry(json, entry); });
    });
    if (!report.stats)
      return;
    json.attributeArray("stats", [&] {
      for (const KernelStats &kernel : *report.stats)
        for (const TargetStats &stats : kernel.targets)
          json.object([&] { printStats(json, kernel.kernel, stats); });
    });
  });
  os << "\n";
}

static void printTimes(const CompileTimes &times, llvm::raw_ostream &os) {
  os << llvm::format("  compiled in %.1f ms: passes %.1f, LLVM %.1f, assembler %.1f\n", times.total,
                     times.passes, times.llvm, times.assembler);
}

static void printArtifact(const KernelArtifact &artifact, llvm::raw_ostream &os) {
  if (!artifact.cubin.empty())
    os << "  " << artifact.registers << " registers, " << artifact.spillBytes << " bytes spilled, "
       << getSharedBytes(artifact) << " bytes of shared memory, cubin of " << artifact.cubin.size()
       << " bytes\n";
}

static void printStats(llvm::StringRef kernel, const TargetStats &stats, llvm::raw_ostream &os) {
  os << kernel << " for " << stats.target->getName() << ": " << stats.instances
     << (stats.instances == 1 ? " instance, " : " instances, ") << stats.entries
     << (stats.entries == 1 ? " entry" : " entries") << "; calls by shortcut " << stats.shortcutHits
     << ", by table " << stats.tableHits << ", slow " << stats.slowCalls
     << llvm::format("; compiled in %.1f ms", stats.compileMilliseconds) << "; cache hits " << stats.cacheHits
     << ", misses " << stats.cacheMisses << "\n";
}

void tilus::printTextReport(const RunReport &report, llvm::raw_ostream &os) {
  for (const RunReportEntry &entry : report.entries) {
    os << entry.kernel << (entry.target ? " for " : "") << (entry.target ? entry.target->chip.str() : "")
       << ", " << entry.blockThreads << " threads\n";
    if (entry.times)
      printTimes(*entry.times, os);
    if (entry.artifact)
      printArtifact(*entry.artifact, os);
    if (entry.run)
      os << "  ran " << entry.run->grid[0] << "x" << entry.run->grid[1] << "x" << entry.run->grid[2]
         << " blocks on " << entry.run->device << " in "
         << llvm::format("%.4f ms\n", entry.run->milliseconds);
  }
  if (!report.stats)
    return;
  for (const KernelStats &kernel : *report.stats)
    for (const TargetStats &stats : kernel.targets)
      printStats(kernel.kernel, stats, os);
}
