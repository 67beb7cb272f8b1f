// A folder whose files are read only if nobody else can have written them, and replaced only as a whole.
//
// Owns the file-system calls of everything that is kept on disk: checks of owner, mode and kind, writing by
// temporary file and rename, locks, and the sweeping of what killed processes left behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilus {

/// Why a file could not be had.
enum class FileFault : uint8_t {
  /// There is none.
  Missing,
  /// It is not trusted: its owner, its mode, its kind or its size is wrong.
  Refused,
  /// The system said no: no space, no permission, damaged disk and the like.
  Failed
};

class FileError : public llvm::ErrorInfo<FileError> {
public:
  static char ID;

  FileError(FileFault fault, std::string text) : fault(fault), text(std::move(text)) {}
  FileFault getFault() const { return fault; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  FileFault fault;
  std::string text;
};

/// An error's kind and its text. An error of another class counts as Failed.
struct FileProblem {
  explicit FileProblem(llvm::Error error);

  FileFault fault = FileFault::Failed;
  std::string text;
};

/// Whose files are trusted.
struct FileTrust {
  /// The user who has to own them.
  unsigned owner;
  /// Files and folders may belong to other users and be writable by them; the caller authenticates contents.
  bool isShared = false;

  /// Files of the user that the process runs as.
  static FileTrust ofProcess();
};

/// A file or folder of a folder.
struct FolderEntry {
  std::string name;
  uint64_t bytes = 0;
  /// Seconds since it was last written or used.
  int64_t age = 0;
  bool isFile = true;
};

/// A lock that other processes and threads see. Released at the end of its life, or of the process.
class FileLock {
public:
  FileLock(FileLock &&other) : descriptor(std::exchange(other.descriptor, -1)) {}
  FileLock &operator=(FileLock &&) = delete;
  ~FileLock();

private:
  friend class TrustedFolder;
  explicit FileLock(int descriptor) : descriptor(descriptor) {}

  int descriptor;
};

/// An open folder. All names are those of direct members, and must have no separator.
class TrustedFolder {
public:
  /// Opens a folder; with `create`, makes it and those around it where they are missing. What is made is for
  /// the user alone, or where users share it, for whom the process's mask lets in.
  static llvm::Expected<TrustedFolder> open(llvm::StringRef path, FileTrust trust, bool create);
  TrustedFolder(TrustedFolder &&other)
      : descriptor(std::exchange(other.descriptor, -1)), path(std::move(other.path)), trust(other.trust) {}
  TrustedFolder &operator=(TrustedFolder &&) = delete;
  ~TrustedFolder();

  llvm::StringRef getPath() const { return path; }
  llvm::Expected<TrustedFolder> openSubfolder(llvm::StringRef name, bool create) const;

  /// The whole contents of a file.
  llvm::Expected<std::string> read(llvm::StringRef name, uint64_t maxBytes) const;
  /// Makes the file hold the contents: readers see the old ones or all of the new ones, also after a crash.
  /// The temporary file lies in `temporary`, which must be on the same disk.
  llvm::Error write(llvm::StringRef name, llvm::StringRef contents, const TrustedFolder &temporary) const;
  /// Makes a file unless it is there. Who is killed meanwhile leaves a part of it, so its name has to be
  /// enough.
  llvm::Error create(llvm::StringRef name, llvm::StringRef contents) const;
  llvm::Error remove(llvm::StringRef name) const;
  /// Removes the files of a folder that `isOurs` knows, and then the folder if nothing else is in it.
  llvm::Error removeFolder(llvm::StringRef name, llvm::function_ref<bool(llvm::StringRef)> isOurs) const;
  /// Moves a file or folder into another folder, where it replaces a file or an empty folder.
  llvm::Error move(llvm::StringRef name, const TrustedFolder &destination, llvm::StringRef newName) const;
  /// Notes that a file was used, unless its age is less than `minAge` seconds. Best effort.
  void touch(llvm::StringRef name, int64_t minAge) const;
  llvm::Expected<std::vector<FolderEntry>> list() const;

  /// Waits for a lock at most that long. Nothing if it was not had, or if the disk has no locks.
  std::optional<FileLock> lock(llvm::StringRef name, std::chrono::milliseconds patience) const;

  /// Removes the temporary files of processes that have ended, older than an hour, and all older than a day.
  /// Files with names of another form stay.
  void sweepTemporaryFiles() const;
  /// A name that no other thread of any process uses.
  static std::string makeTemporaryName();
  /// Whether a name is of the form of those.
  static bool isTemporaryName(llvm::StringRef name);

private:
  TrustedFolder(int descriptor, std::string path, FileTrust trust)
      : descriptor(descriptor), path(std::move(path)), trust(trust) {}
  static llvm::Expected<TrustedFolder> check(int descriptor, std::string path, FileTrust trust);
  std::string getFilePath(llvm::StringRef name) const { return path + "/" + name.str(); }
  llvm::Error writeTemporary(llvm::StringRef name, llvm::StringRef contents) const;

  int descriptor;
  std::string path;
  FileTrust trust;
};

} // namespace tilus
