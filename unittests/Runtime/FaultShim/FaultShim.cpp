// The file-system calls of libc with a fault in one of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FaultShim.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using tilus::Fault;

static std::atomic<bool> isArmed;
static std::atomic<long> callCount;
static Fault plannedFault;
static long plannedCall;
static int plannedCode;

extern "C" void tilusArmFault(Fault fault, long call, int code) {
  plannedFault = fault;
  plannedCall = call;
  plannedCode = code;
  callCount = 0;
  isArmed = true;
}

extern "C" long tilusDisarmFault() {
  isArmed = false;
  return callCount;
}

__attribute__((constructor)) static void armFromEnvironment() {
  const char *text = getenv("TILUS_FAULT");
  const char *colon = text ? strchr(text, ':') : nullptr;
  if (!colon)
    return;
  long call = strtol(colon + 1, nullptr, 10);
  if (strncmp(text, "kill:", 5) == 0)
    tilusArmFault(Fault::Kill, call, 0);
  else if (strncmp(text, "short:", 6) == 0)
    tilusArmFault(Fault::Short, call, 0);
  else
    tilusArmFault(Fault::Fail, call, atoi(text));
}

/// The fault of this call.
static Fault countCall() {
  if (!isArmed || ++callCount != plannedCall)
    return Fault::None;
  return plannedFault;
}

static void killProcess() {
  kill(getpid(), SIGKILL);
  while (true)
    pause();
}

/// The function behind ours.
template <typename Function> static Function *findNext(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/// Makes a call that returns a number, unless it gets a fault.
template <typename Function, typename... Arguments>
static auto forward(Function *ours, const char *name, Arguments... arguments)
    -> decltype(ours(arguments...)) {
  Fault fault = countCall();
  if (fault == Fault::Kill)
    killProcess();
  if (fault == Fault::Fail) {
    errno = plannedCode;
    return decltype(ours(arguments...))(-1);
  }
  return findNext(ours, name)(arguments...);
}

static mode_t readMode(int flags, va_list list) { return flags & O_CREAT ? va_arg(list, mode_t) : 0; }

extern "C" {

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = readMode(flags, list);
  va_end(list);
  return forward(open, "open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = readMode(flags, list);
  va_end(list);
  return forward(open64, "open64", path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = readMode(flags, list);
  va_end(list);
  return forward(openat, "openat", folder, path, flags, mode);
}

int mkdir(const char *path, mode_t mode) { return forward(mkdir, "mkdir", path, mode); }

int mkdirat(int folder, const char *path, mode_t mode) {
  return forward(mkdirat, "mkdirat", folder, path, mode);
}

int stat(const char *path, struct stat *status) __THROW { return forward(stat, "stat", path, status); }

int lstat(const char *path, struct stat *status) __THROW { return forward(lstat, "lstat", path, status); }

int fstat(int file, struct stat *status) __THROW { return forward(fstat, "fstat", file, status); }

int fstatat(int folder, const char *path, struct stat *status, int flags) __THROW {
  return forward(fstatat, "fstatat", folder, path, status, flags);
}

int fsync(int file) { return forward(fsync, "fsync", file); }

int rename(const char *from, const char *to) __THROW { return forward(rename, "rename", from, to); }

int renameat(int folder, const char *from, int newFolder, const char *to) __THROW {
  return forward(renameat, "renameat", folder, from, newFolder, to);
}

int unlink(const char *path) __THROW { return forward(unlink, "unlink", path); }

int unlinkat(int folder, const char *path, int flags) __THROW {
  return forward(unlinkat, "unlinkat", folder, path, flags);
}

int flock(int file, int operation) __THROW { return forward(flock, "flock", file, operation); }

int utimensat(int folder, const char *path, const timespec times[2], int flags) __THROW {
  return forward(utimensat, "utimensat", folder, path, times, flags);
}

DIR *fdopendir(int file) {
  Fault fault = countCall();
  if (fault == Fault::Kill)
    killProcess();
  if (fault == Fault::Fail) {
    errno = plannedCode;
    return nullptr;
  }
  return findNext(fdopendir, "fdopendir")(file);
}

dirent *readdir(DIR *stream) {
  Fault fault = countCall();
  if (fault == Fault::Kill)
    killProcess();
  if (fault == Fault::Fail) {
    errno = plannedCode;
    return nullptr;
  }
  return findNext(readdir, "readdir")(stream);
}

int close(int file) {
  Fault fault = countCall();
  if (fault == Fault::Kill)
    killProcess();
  int result = findNext(close, "close")(file);
  if (fault != Fault::Fail)
    return result;
  errno = plannedCode;
  return -1;
}

ssize_t read(int file, void *bytes, size_t count) {
  Fault fault = countCall();
  if (fault == Fault::Kill)
    killProcess();
  if (fault == Fault::Fail) {
    errno = plannedCode;
    return -1;
  }
  return findNext(read, "read")(file, bytes, fault == Fault::Short ? (count + 1) / 2 : count);
}

ssize_t write(int file, const void *bytes, size_t count) {
  Fault fault = countCall();
  if (fault == Fault::Fail) {
    errno = plannedCode;
    return -1;
  }
  bool isPart = fault != Fault::None;
  ssize_t result = findNext(write, "write")(file, bytes, isPart ? (count + 1) / 2 : count);
  if (fault == Fault::Kill)
    killProcess();
  return result;
}

} // extern "C"
