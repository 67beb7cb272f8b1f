// What scripts run with: results of compile requests, what is kept on disk of a script, tuners.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Runtime.h"

using namespace nanobind::literals;

namespace tilus::python {

//===----------------------------------------------------------------------===//
// Results of compile requests
//===----------------------------------------------------------------------===//

static TilusCompileResult *getResult(const CompileResult &self) {
  if (!self.result)
    throw nb::value_error("expected a request that is not answered yet, but got one that is");
  return self.result;
}

static void addCandidate(const CompileResult &self, const Artifact &artifact, const char *schedule,
                         int cache) {
  checkError(tilusCompileResultAddCandidate(getResult(self), artifact.handle.get(), schedule,
                                            static_cast<TilusCacheOutcome>(cache)));
}

//===----------------------------------------------------------------------===//
// What is kept of a script
//===----------------------------------------------------------------------===//

namespace {
/// A disk cache.
struct Cache {
  std::shared_ptr<TilusCache> handle;
};

struct ScriptStore {
  std::shared_ptr<TilusScriptStore> handle;
};
} // namespace

static TilusBytes makeBytes(const std::string &text) { return {text.data(), text.size()}; }

static Cache openCache(const char *option) {
  TilusCache *cache = nullptr;
  checkError(tilusCacheOpen(option, &cache));
  return {std::shared_ptr<TilusCache>(cache, tilusCacheDestroy)};
}

static std::string readBuild(const char *library) {
  TilusBlob *blob = nullptr;
  checkError(tilusReadCompilerBuild(library, &blob));
  return takeText(blob);
}

static ScriptStore makeStore(const Cache &cache, const std::string &build, const std::string &name,
                             const std::string &program, const std::string &options) {
  TilusScriptIdentity identity = {sizeof(identity), name.c_str(), makeBytes(program), makeBytes(options)};
  TilusScriptStore *store = nullptr;
  checkError(tilusScriptStoreOpen(cache.handle.get(), build.c_str(), &identity, &store));
  return {std::shared_ptr<TilusScriptStore>(store, tilusScriptStoreDestroy)};
}

static std::string getPath(const ScriptStore &self, const TargetHandle &target) {
  TilusBlob *blob = nullptr;
  checkError(tilusScriptStoreGetPath(self.handle.get(), target.target, &blob));
  return takeText(blob);
}

static bool find(const ScriptStore &self, const TargetHandle &target, const std::string &key,
                 const std::vector<std::string> &schedules, const CompileResult &result) {
  std::vector<const char *> texts;
  for (const std::string &schedule : schedules)
    texts.push_back(schedule.c_str());
  bool isFound = false;
  checkError(tilusScriptStoreFind(self.handle.get(), target.target, makeBytes(key), texts.data(),
                                  texts.size(), getResult(result), &isFound));
  return isFound;
}

static void save(const ScriptStore &self, const TargetHandle &target, const std::string &key,
                 const std::vector<std::pair<std::string, std::string>> &kernels) {
  std::vector<TilusStoredKernel> stored;
  for (const auto &[schedule, artifact] : kernels)
    stored.push_back({schedule.c_str(), artifact.c_str()});
  checkError(
      tilusScriptStoreSave(self.handle.get(), target.target, makeBytes(key), stored.data(), stored.size()));
}

//===----------------------------------------------------------------------===//
// Tuners
//===----------------------------------------------------------------------===//

/// The function of Python that is told of tunings and warnings; it lives as long as the process, as tuners do
/// that a dispatcher shares.
static void tell(void *function, nb::object event) {
  try {
    nb::handle(static_cast<PyObject *>(function))(event);
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("telling of a tuning");
  }
}

static void tellReport(void *function, const TilusTuneReport *report) {
  nb::gil_scoped_acquire acquire;
  nb::list outcomes;
  for (size_t index = 0; index < report->outcomeCount; ++index) {
    const TilusTuneOutcome &outcome = report->outcomes[index];
    nb::object time = outcome.milliseconds < 0 ? nb::none() : nb::object(nb::float_(outcome.milliseconds));
    outcomes.append(nb::make_tuple(outcome.schedule, time, outcome.reason));
  }
  nb::object best = report->best < report->outcomeCount ? nb::object(nb::int_(report->best)) : nb::none();
  nb::dict event;
  event["target"] = getHandle(report->target);
  event["device"] = report->device;
  event["key"] = report->key;
  event["outcomes"] = outcomes;
  event["best"] = best;
  tell(function, event);
}

static void tellWarning(void *function, const char *text) {
  nb::gil_scoped_acquire acquire;
  tell(function, nb::str(text));
}

static Tuner makeTuner(unsigned warmUp, unsigned repeat, double seconds, const std::string &program,
                       std::optional<ScriptStore> store, bool showProgress, nb::object function) {
  TilusTunerOptions options = {};
  options.size = sizeof(options);
  options.warmUp = warmUp;
  options.repeat = repeat;
  options.secondsPerCandidate = seconds;
  options.measureProgram = program.c_str();
  options.store = store ? store->handle.get() : nullptr;
  options.showProgress = showProgress;
  options.onReport = tellReport;
  options.warn = tellWarning;
  options.userData = function.release().ptr();
  TilusTuner *tuner = nullptr;
  checkError(tilusTunerCreate(&options, &tuner));
  return {std::shared_ptr<TilusTuner>(tuner, tilusTunerDestroy)};
}

static nb::tuple getCounts(const Tuner &self) {
  uint64_t known = 0, tuned = 0;
  tilusTunerGetCounts(self.tuner.get(), &known, &tuned);
  return nb::make_tuple(known, tuned);
}

void bindScripts(nb::module_ &module) {
  nb::class_<CompileResult>(module, "CompileResult", "The place for what a request compiles to.")
      .def("add", addCandidate, "artifact"_a, "schedule"_a = "", "cache"_a = 0);
  nb::class_<Cache>(module, "Cache", "A disk cache of kernels, which threads may share.")
      .def(
          "__init__", [](Cache *self, const char *option) { new (self) Cache(openCache(option)); },
          "option"_a, "'off', 'on' (as the environment says) or the folder.")
      .def_prop_ro("is_usable", [](const Cache &self) { return tilusCacheIsUsable(self.handle.get()); });
  module.def(
      "read_compiler_build", readBuild, "library"_a,
      "What tells the build of the compiler in a file of libTilus-C.so from others. Raises RuntimeError "
      "if that cannot be told.");
  nb::class_<ScriptStore>(module, "ScriptStore",
                          "The folders of a script in a cache, for a build of the compiler.")
      .def(
          "__init__",
          [](ScriptStore *self, const Cache &cache, const std::string &build, const std::string &name,
             const std::string &program, const std::string &options) {
            new (self) ScriptStore(makeStore(cache, build, name, program, options));
          },
          "cache"_a, "build"_a, "name"_a, "program"_a, "options"_a)
      .def("path", getPath, "target"_a, "The folder for a target, made if it is missing; '' without a cache.")
      .def("find", find, "target"_a, "key"_a, "schedules"_a, "result"_a,
           "Adds the stored candidates of a specialisation, and says whether all were there.")
      .def("save", save, "target"_a, "key"_a, "kernels"_a,
           "Keeps pairs of a schedule and a key in the cache.");
  nb::class_<Tuner>(module, "Tuner", "A choice between schedules by measuring them.")
      .def(
          "__init__",
          [](Tuner *self, unsigned warmUp, unsigned repeat, double seconds, const std::string &program,
             std::optional<ScriptStore> store, bool showProgress, nb::object function) {
            new (self) Tuner(makeTuner(warmUp, repeat, seconds, program, store, showProgress, function));
          },
          "warm_up"_a, "repeat"_a, "seconds"_a, "measure_program"_a, "store"_a.none(), "show_progress"_a,
          "tell"_a)
      .def_prop_ro("counts", getCounts,
                   "How many keys had a choice that was known, and how many were tuned.");
}

} // namespace tilus::python
