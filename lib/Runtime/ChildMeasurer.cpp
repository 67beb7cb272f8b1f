// Measuring of candidates in another process, which is ended and replaced when a candidate has spoilt it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeasureProtocol.h"
#include "Tilus/Runtime/MeasureServer.h"
#include "Tilus/Support/ArtifactFile.h"

#include "llvm/Support/Errno.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tilus {

using Clock = std::chrono::steady_clock;

/// How long a process may take to open the device and to load a binary, beside the time for the launches.
static constexpr std::chrono::seconds startTime(60), loadTime(60);

namespace {

/// A process with a connection to it; ended with its owner.
class Child {
public:
  static llvm::Expected<std::unique_ptr<Child>> spawn(const std::string &program, int contents);
  ~Child();

  MeasureChannel channel;
  /// For each region the contents that it has sent.
  std::vector<KnownContents> known;
  /// Ends the process if it has not ended by itself; how it ended, as in "signal 6".
  std::string finish();

private:
  Child(int socket, pid_t process) : channel(socket), socket(socket), process(process) {}

  int socket;
  pid_t process;
};

class ChildMeasurer : public CandidateMeasurer {
public:
  ChildMeasurer(const Device &device, const TunePlan &plan, const RegionContents &before,
                const MeasureOptions &options, std::string program)
      : device(device), plan(plan), before(before), options(options), program(std::move(program)) {}

  llvm::Expected<Measurement> measure(const std::shared_ptr<const KernelArtifact> &artifact) override;
  /// A new process takes the place of a spoilt one.
  bool isLost() const override { return false; }
  llvm::Error start();

private:
  llvm::Error describeEnd(bool isLate);

  const Device &device;
  const TunePlan &plan;
  const RegionContents &before;
  MeasureOptions options;
  std::string program;
  std::unique_ptr<Child> child;
};

} // namespace

//===----------------------------------------------------------------------===//
// Child
//===----------------------------------------------------------------------===//

/// The child has the connection and the file with the contents; it prints nothing.
llvm::Expected<std::unique_ptr<Child>> Child::spawn(const std::string &program, int contents) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return llvm::createStringError("expected a pair of sockets, but got '" + llvm::sys::StrError() + "'");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], measureSocket);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // Above the standard streams, so that none of those before has taken its place.
  posix_spawn_file_actions_adddup2(&actions, contents, measureContents);
  char *arguments[] = {const_cast<char *>(program.c_str()), nullptr};
  pid_t process = 0;
  int code = posix_spawn(&process, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(sockets[1]);
  if (code != 0) {
    close(sockets[0]);
    return llvm::createStringError("expected to start '" + program + "' to measure candidates, but got '" +
                                   llvm::sys::StrError(code) + "'");
  }
  return std::unique_ptr<Child>(new Child(sockets[0], process));
}

std::string Child::finish() {
  // One that closed the connection by itself is about to end; let it tell how.
  int status = 0;
  pid_t ended = 0;
  for (int tries = 0; tries < 100 && ended == 0 && channel.hasFailed() && !channel.isLate(); ++tries) {
    ended = waitpid(process, &status, WNOHANG);
    if (ended == 0)
      usleep(10000);
  }
  if (ended == 0) {
    kill(process, SIGKILL);
    while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) {
    }
  }
  process = 0;
  if (ended < 0)
    return "an unknown status";
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

Child::~Child() {
  if (process)
    finish();
  close(socket);
}

//===----------------------------------------------------------------------===//
// ChildMeasurer
//===----------------------------------------------------------------------===//

llvm::Error ChildMeasurer::describeEnd(bool isLate) {
  std::string end = child->finish();
  child.reset();
  if (isLate)
    return llvm::createStringError(
        "expected all launches to end within %g s, but got a process that was still busy", options.seconds);
  return llvm::createStringError("expected a measurement, but got the end of its process by " + end);
}

llvm::Error ChildMeasurer::start() {
  if (child)
    return llvm::Error::success();
  llvm::Expected<std::unique_ptr<Child>> spawned = Child::spawn(program, before.getFile());
  if (!spawned)
    return spawned.takeError();
  child = std::move(*spawned);
  child->known.resize(plan.regions.size());
  MeasureChannel &channel = child->channel;
  channel.setDeadline(Clock::now() + startTime);
  sendSetup(channel, device.getDriver().getPath(), device.getOrdinal(), options, plan);
  MeasureStatus status = receiveStatus(channel);
  if (llvm::Error error = channel.takeError()) {
    llvm::consumeError(std::move(error));
    return describeEnd(channel.isLate());
  }
  if (status.isGood)
    return llvm::Error::success();
  child.reset();
  return llvm::createStringError(status.reason);
}

llvm::Expected<Measurement> ChildMeasurer::measure(const std::shared_ptr<const KernelArtifact> &artifact) {
  llvm::Expected<std::string> bytes = serializeArtifacts({{}, {*artifact}}, ArtifactCompression::None);
  if (!bytes)
    return bytes.takeError();
  if (llvm::Error error = start())
    return std::move(error);
  MeasureChannel &channel = child->channel;
  channel.setDeadline(
      Clock::now() + loadTime +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds)));
  channel.sendText(*bytes);
  MeasureStatus status = receiveStatus(channel);
  Measurement measurement;
  if (status.isGood)
    measurement = receiveMeasurement(channel, plan, child->known);
  if (llvm::Error error = channel.takeError()) {
    llvm::consumeError(std::move(error));
    return describeEnd(channel.isLate());
  }
  if (status.isGood)
    return std::move(measurement);
  if (status.isLost)
    child.reset();
  return llvm::createStringError(status.reason);
}

llvm::Expected<std::unique_ptr<CandidateMeasurer>>
createChildMeasurer(const Device &device, const TunePlan &plan, const RegionContents &before,
                    const MeasureOptions &options, llvm::StringRef program) {
  auto measurer = std::make_unique<ChildMeasurer>(device, plan, before, options, program.str());
  if (llvm::Error error = measurer->start())
    return std::move(error);
  return std::move(measurer);
}

} // namespace tilus
