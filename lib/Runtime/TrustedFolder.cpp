// File-system calls with checks of owner, mode and kind.
//
// Everything goes through descriptors of folders that were checked after they were opened, so that nothing
// can be exchanged between a check and a use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/TrustedFolder.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cerrno>
#include <csignal>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tilus {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

char FileError::ID = 0;

void FileError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code FileError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

FileProblem::FileProblem(llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const FileError &file) {
        fault = file.getFault();
        text = file.message();
      },
      [&](const llvm::ErrorInfoBase &other) { text = other.message(); });
}

static llvm::Error refuse(const llvm::Twine &path, const llvm::Twine &rule, const llvm::Twine &actual) {
  return llvm::make_error<FileError>(FileFault::Refused,
                                     ("expected " + rule + " at '" + path + "', but got " + actual).str());
}

/// The error of the last system call.
static llvm::Error describeErrno(llvm::StringRef action, const llvm::Twine &path) {
  int code = errno;
  if (code == ELOOP)
    return refuse(path, "a file or folder", "a symbolic link");
  FileFault fault = code == ENOENT ? FileFault::Missing : FileFault::Failed;
  return llvm::make_error<FileError>(
      fault,
      ("expected to " + action + " '" + path + "', but got '" + llvm::sys::StrError(code) + "'").str());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

FileTrust FileTrust::ofProcess() { return {geteuid(), false}; }

/// The modes of what is made: for the user alone, or as the process's mask says.
static mode_t getFileMode(const FileTrust &trust) { return trust.isShared ? 0666 : 0600; }
static mode_t getFolderMode(const FileTrust &trust) { return trust.isShared ? 0777 : 0700; }

static std::string describeMode(mode_t mode) {
  std::string digits = "0000";
  for (unsigned i = 0; i < 4; ++i)
    digits[3 - i] = char('0' + (mode >> (3 * i) & 7));
  return digits;
}

/// Checks who can have written a file or folder.
static llvm::Error checkTrust(const struct stat &status, const FileTrust &trust, const llvm::Twine &path) {
  if (trust.isShared)
    return llvm::Error::success();
  if (status.st_uid != trust.owner)
    return refuse(path, "an owner with user number " + llvm::Twine(trust.owner), llvm::Twine(status.st_uid));
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return refuse(path, "a mode that lets nobody else write", describeMode(status.st_mode & 07777));
  return llvm::Error::success();
}

static llvm::Error checkFile(const struct stat &status, const FileTrust &trust, const llvm::Twine &path,
                             uint64_t maxBytes) {
  if (S_ISDIR(status.st_mode))
    return refuse(path, "a file", "a folder");
  if (!S_ISREG(status.st_mode))
    return refuse(path, "a file", "a pipe, socket or device");
  if (llvm::Error error = checkTrust(status, trust, path))
    return error;
  if (status.st_nlink > 1)
    return refuse(path, "a file with one name", llvm::Twine(status.st_nlink) + " hard links");
  if (static_cast<uint64_t>(status.st_size) > maxBytes)
    return refuse(path, "at most " + llvm::Twine(maxBytes) + " bytes", llvm::Twine(status.st_size));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

static constexpr int folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Repeats a system call that a signal interrupted.
template <typename Call> static auto retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR)
    result = call();
  return result;
}

TrustedFolder::~TrustedFolder() {
  if (descriptor >= 0)
    ::close(descriptor);
}

llvm::Expected<TrustedFolder> TrustedFolder::check(int descriptor, std::string path, FileTrust trust) {
  TrustedFolder folder(descriptor, std::move(path), trust);
  struct stat status;
  if (retry([&] { return fstat(descriptor, &status); }) != 0)
    return describeErrno("inspect", folder.path);
  if (llvm::Error error = checkTrust(status, trust, folder.path))
    return std::move(error);
  return folder;
}

/// Opens a folder by a path that is relative to a descriptor.
static llvm::Expected<int> openFolder(int parent, llvm::StringRef name, llvm::StringRef path) {
  std::string text = name.str();
  int descriptor = retry([&] { return openat(parent, text.c_str(), folderFlags); });
  if (descriptor >= 0)
    return descriptor;
  // What the system says of a symbolic link too, because of O_DIRECTORY.
  if (errno == ENOTDIR)
    return refuse(path, "a folder", "a file or a symbolic link");
  return describeErrno("open", path);
}

llvm::Expected<TrustedFolder> TrustedFolder::open(llvm::StringRef path, FileTrust trust, bool create) {
  while (path.size() > 1 && path.ends_with("/"))
    path = path.drop_back();
  if (create) {
    // What is there already does not matter here; what cannot be made shows when it is opened.
    auto mode = static_cast<llvm::sys::fs::perms>(getFolderMode(trust));
    std::error_code code = llvm::sys::fs::create_directories(path, /*IgnoreExisting=*/true, mode);
    errno = code.value();
    if (code && code.value() != EEXIST && code.value() != EINTR)
      return describeErrno("make the folder", path);
  }
  llvm::Expected<int> descriptor = openFolder(AT_FDCWD, path, path);
  if (!descriptor)
    return descriptor.takeError();
  return check(*descriptor, path.str(), trust);
}

llvm::Expected<TrustedFolder> TrustedFolder::openSubfolder(llvm::StringRef name, bool create) const {
  std::string text = name.str();
  if (create && retry([&] { return mkdirat(descriptor, text.c_str(), getFolderMode(trust)); }) != 0 &&
      errno != EEXIST) {
    // On a disk that cannot be written the folder may be there all the same.
    llvm::Error error = describeErrno("make the folder", getFilePath(name));
    llvm::Expected<TrustedFolder> existing = openSubfolder(name, /*create=*/false);
    if (!existing) {
      llvm::consumeError(existing.takeError());
      return std::move(error);
    }
    llvm::consumeError(std::move(error));
    return existing;
  }
  llvm::Expected<int> opened = openFolder(descriptor, name, getFilePath(name));
  if (!opened)
    return opened.takeError();
  return check(*opened, getFilePath(name), trust);
}

llvm::Expected<std::vector<FolderEntry>> TrustedFolder::list() const {
  int copy = retry([&] { return openat(descriptor, ".", folderFlags); });
  DIR *stream = nullptr;
  do
    stream = copy < 0 ? nullptr : fdopendir(copy);
  while (copy >= 0 && !stream && errno == EINTR);
  if (!stream) {
    llvm::Error error = describeErrno("list", path);
    if (copy >= 0)
      ::close(copy);
    return std::move(error);
  }
  llvm::scope_exit closeStream([&] { closedir(stream); });
  std::vector<FolderEntry> entries;
  time_t now = time(nullptr);
  while (true) {
    errno = 0;
    dirent *member = readdir(stream);
    if (!member && errno == EINTR)
      continue;
    if (!member)
      break;
    llvm::StringRef name = member->d_name;
    struct stat status;
    // A member that is gone meanwhile is none.
    if (name == "." || name == ".." ||
        retry([&] { return fstatat(descriptor, member->d_name, &status, AT_SYMLINK_NOFOLLOW); }) != 0)
      continue;
    entries.push_back(
        {name.str(), uint64_t(status.st_size), int64_t(now - status.st_mtime), S_ISREG(status.st_mode)});
  }
  if (errno != 0)
    return describeErrno("list", path);
  llvm::sort(entries, [](const FolderEntry &a, const FolderEntry &b) { return a.name < b.name; });
  return entries;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> TrustedFolder::read(llvm::StringRef name, uint64_t maxBytes) const {
  std::string filePath = getFilePath(name), text = name.str();
  // A pipe must not block.
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  int file = retry([&] { return openat(descriptor, text.c_str(), flags); });
  if (file < 0 && errno == ENXIO)
    return refuse(filePath, "a file", "a pipe, socket or device");
  if (file < 0)
    return describeErrno("open", filePath);
  llvm::scope_exit closeFile([&] { ::close(file); });
  struct stat status;
  if (retry([&] { return fstat(file, &status); }) != 0)
    return describeErrno("inspect", filePath);
  if (llvm::Error error = checkFile(status, trust, filePath, maxBytes))
    return std::move(error);
  std::string contents(status.st_size, '\0');
  size_t position = 0;
  while (position < contents.size()) {
    ssize_t count =
        retry([&] { return ::read(file, contents.data() + position, contents.size() - position); });
    if (count < 0)
      return describeErrno("read", filePath);
    if (count == 0)
      break;
    position += count;
  }
  contents.resize(position);
  return contents;
}

llvm::Error TrustedFolder::writeTemporary(llvm::StringRef name, llvm::StringRef contents) const {
  std::string text = name.str();
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int file = retry([&] { return openat(descriptor, text.c_str(), flags, getFileMode(trust)); });
  if (file < 0)
    return describeErrno("make", getFilePath(name));
  llvm::scope_exit closeFile([&] { ::close(file); });
  while (!contents.empty()) {
    ssize_t count = retry([&] { return ::write(file, contents.data(), contents.size()); });
    if (count <= 0) {
      if (count == 0)
        errno = ENOSPC;
      return describeErrno("write", getFilePath(name));
    }
    contents = contents.drop_front(count);
  }
  if (retry([&] { return fsync(file); }) != 0)
    return describeErrno("write", getFilePath(name));
  closeFile.release();
  // Network disks report a full quota here. The descriptor is gone even if a signal came.
  if (::close(file) != 0 && errno != EINTR)
    return describeErrno("write", getFilePath(name));
  return llvm::Error::success();
}

llvm::Error TrustedFolder::write(llvm::StringRef name, llvm::StringRef contents,
                                 const TrustedFolder &temporary) const {
  std::string temporaryName = makeTemporaryName();
  if (llvm::Error error = temporary.writeTemporary(temporaryName, contents)) {
    llvm::consumeError(temporary.remove(temporaryName));
    return error;
  }
  if (llvm::Error error = temporary.move(temporaryName, *this, name)) {
    llvm::consumeError(temporary.remove(temporaryName));
    return error;
  }
  return llvm::Error::success();
}

llvm::Error TrustedFolder::create(llvm::StringRef name, llvm::StringRef contents) const {
  llvm::Error error = writeTemporary(name, contents);
  std::string text = name.str();
  struct stat status;
  // That another process was faster is as good.
  if (!error || retry([&] { return fstatat(descriptor, text.c_str(), &status, AT_SYMLINK_NOFOLLOW); }) != 0)
    return error;
  llvm::consumeError(std::move(error));
  return llvm::Error::success();
}

llvm::Error TrustedFolder::remove(llvm::StringRef name) const {
  std::string text = name.str();
  if (retry([&] { return unlinkat(descriptor, text.c_str(), 0); }) == 0 || errno == ENOENT)
    return llvm::Error::success();
  return describeErrno("remove", getFilePath(name));
}

llvm::Error TrustedFolder::removeFolder(llvm::StringRef name,
                                        llvm::function_ref<bool(llvm::StringRef)> isOurs) const {
  std::string text = name.str();
  if (llvm::Expected<TrustedFolder> folder = openSubfolder(name, /*create=*/false)) {
    llvm::Expected<std::vector<FolderEntry>> entries = folder->list();
    if (!entries)
      return entries.takeError();
    for (const FolderEntry &entry : *entries)
      if (entry.isFile && isOurs(entry.name))
        if (llvm::Error error = folder->remove(entry.name))
          return error;
  } else {
    return folder.takeError();
  }
  bool isGone = retry([&] { return unlinkat(descriptor, text.c_str(), AT_REMOVEDIR); }) == 0;
  if (isGone || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST)
    return llvm::Error::success();
  return describeErrno("remove", getFilePath(name));
}

llvm::Error TrustedFolder::move(llvm::StringRef name, const TrustedFolder &destination,
                                llvm::StringRef newName) const {
  std::string from = name.str(), to = newName.str();
  if (retry([&] { return renameat(descriptor, from.c_str(), destination.descriptor, to.c_str()); }) == 0)
    return llvm::Error::success();
  return describeErrno("replace", destination.getFilePath(newName));
}

void TrustedFolder::touch(llvm::StringRef name, int64_t minAge) const {
  std::string text = name.str();
  struct stat status;
  if (fstatat(descriptor, text.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      time(nullptr) - status.st_mtime >= minAge)
    utimensat(descriptor, text.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

//===----------------------------------------------------------------------===//
// Locks
//===----------------------------------------------------------------------===//

FileLock::~FileLock() {
  if (descriptor < 0)
    return;
  // A forked child shares the lock, and would keep it.
  flock(descriptor, LOCK_UN);
  ::close(descriptor);
}

std::optional<FileLock> TrustedFolder::lock(llvm::StringRef name, std::chrono::milliseconds patience) const {
  std::string text = name.str();
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  int file = retry([&] { return openat(descriptor, text.c_str(), flags, getFileMode(trust)); });
  if (file < 0)
    return std::nullopt;
  auto deadline = std::chrono::steady_clock::now() + patience;
  auto pause = std::chrono::microseconds(200);
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    bool isTaken = errno == EWOULDBLOCK || errno == EINTR;
    if (!isTaken || std::chrono::steady_clock::now() >= deadline) {
      ::close(file);
      return std::nullopt;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
  return FileLock(file);
}

//===----------------------------------------------------------------------===//
// Temporary files
//===----------------------------------------------------------------------===//

/// Stands for the host in the names of temporary files.
static std::string getHostMark() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return llvm::utohexstr(llvm::xxh3_64bits(llvm::StringRef(name)), /*LowerCase=*/true, /*Width=*/16);
}

std::string TrustedFolder::makeTemporaryName() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (getHostMark() + "-" + llvm::Twine(getpid()) + "-" + llvm::Twine(gettid()) + "-" +
          llvm::Twine(uint64_t(now.tv_sec) * 1000000000 + now.tv_nsec))
      .str();
}

namespace {
/// What the name of a temporary file says of its writer.
struct TemporaryName {
  llvm::StringRef host;
  pid_t process = 0;
};
} // namespace

static std::optional<TemporaryName> parseTemporaryName(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  name.split(parts, '-');
  TemporaryName parsed;
  uint64_t thread, time;
  if (parts.size() != 4 || parts[0].size() != 16 || !llvm::all_of(parts[0], llvm::isHexDigit) ||
      parts[1].getAsInteger(10, parsed.process) || parts[2].getAsInteger(10, thread) ||
      parts[3].getAsInteger(10, time) || parsed.process <= 0)
    return std::nullopt;
  parsed.host = parts[0];
  return parsed;
}

bool TrustedFolder::isTemporaryName(llvm::StringRef name) { return parseTemporaryName(name).has_value(); }

/// Whether a temporary file's writer may still be at work.
static bool mayBeInUse(const TemporaryName &name) {
  return name.host != getHostMark() || kill(name.process, 0) == 0 || errno != ESRCH;
}

void TrustedFolder::sweepTemporaryFiles() const {
  constexpr int64_t hour = 3600, day = 24 * hour;
  llvm::Expected<std::vector<FolderEntry>> entries = list();
  if (!entries)
    return llvm::consumeError(entries.takeError());
  for (const FolderEntry &entry : *entries) {
    std::optional<TemporaryName> name = parseTemporaryName(entry.name);
    if (name && entry.isFile && (entry.age > day || (entry.age > hour && !mayBeInUse(*name))))
      llvm::consumeError(remove(entry.name));
  }
}

} // namespace tilus
