// Serializing and parsing of artifact files.
//
// Parsing goes from the outside in: sizes, then the hash of everything, then the header, then each payload
// against its size, its ratio and its hash.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/ArtifactFile.h"
#include "ArtifactHeader.h"
#include "Tilus/Support/StrictJson.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Errno.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilus {

namespace endian = llvm::support::endian;
namespace zstd = llvm::compression::zstd;

/// The first byte has its top bit set and line ends follow, so that a transfer as text shows.
static constexpr llvm::StringLiteral magic = "\x8aTILUS\r\n";
static constexpr size_t versionOffset = 8, headerSizeOffset = 12, keyOffset = 16, headerOffset = 48;
static constexpr size_t hashSize = 32;

static llvm::ArrayRef<uint8_t> getPayload(const KernelArtifact &artifact, size_t kind) {
  switch (static_cast<PayloadKind>(kind)) {
  case PayloadKind::Cubin:
    return artifact.cubin;
  case PayloadKind::PTX:
    return llvm::arrayRefFromStringRef(artifact.ptx);
  case PayloadKind::IR:
    return llvm::arrayRefFromStringRef(artifact.ir);
  }
  llvm_unreachable("kinds are below payloadKindCount");
}

static void setPayload(KernelArtifact &artifact, size_t kind, llvm::ArrayRef<uint8_t> bytes) {
  if (kind == static_cast<size_t>(PayloadKind::Cubin))
    artifact.cubin.assign(bytes.begin(), bytes.end());
  else
    (kind == static_cast<size_t>(PayloadKind::PTX) ? artifact.ptx : artifact.ir) = llvm::toStringRef(bytes);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Appends a payload to `stored`, compressed if that pays and stays within the limit on the ratio.
static PayloadInfo storePayload(llvm::ArrayRef<uint8_t> bytes, ArtifactCompression compression,
                                std::string &stored) {
  PayloadInfo info;
  info.bytes = info.storedBytes = bytes.size();
  info.hash = Hash256::of(bytes);
  llvm::SmallVector<uint8_t, 0> compressed;
  if (compression == ArtifactCompression::Zstd && zstd::isAvailable() && !bytes.empty()) {
    zstd::compress(bytes, compressed);
    info.isCompressed =
        compressed.size() < bytes.size() && bytes.size() <= compressed.size() * ArtifactLimits::ratio;
  }
  if (info.isCompressed)
    info.storedBytes = compressed.size();
  stored += llvm::toStringRef(info.isCompressed ? llvm::ArrayRef<uint8_t>(compressed) : bytes);
  return info;
}

static llvm::Error checkLimit(llvm::StringRef what, uint64_t bytes, uint64_t limit) {
  if (bytes <= limit)
    return llvm::Error::success();
  return llvm::createStringError("expected at most " + llvm::Twine(limit) + " bytes for " + what +
                                 " of an artifact file, but got " + llvm::Twine(bytes));
}

llvm::Expected<std::string> serializeArtifacts(const ArtifactFile &file, ArtifactCompression compression) {
  llvm::json::Array headers;
  std::string stored;
  uint64_t total = 0;
  for (const KernelArtifact &artifact : file.artifacts) {
    std::array<PayloadInfo, payloadKindCount> payloads;
    for (size_t kind = 0; kind < payloadKindCount; ++kind) {
      llvm::ArrayRef<uint8_t> bytes = getPayload(artifact, kind);
      total += bytes.size();
      if (llvm::Error error = checkLimit("a payload", bytes.size(), ArtifactLimits::payloadBytes))
        return std::move(error);
      if (llvm::Error error = checkLimit("the payloads", total, ArtifactLimits::fileBytes / 2))
        return std::move(error);
      payloads[kind] = storePayload(bytes, compression, stored);
    }
    llvm::Expected<llvm::json::Value> header = writeArtifactHeader(artifact, payloads);
    if (!header)
      return header.takeError();
    headers.push_back(std::move(*header));
  }
  std::string header;
  llvm::raw_string_ostream(header) << llvm::json::Value(
      llvm::json::Object{{"artifacts", std::move(headers)}});
  if (llvm::Error error = checkLimit("the header", header.size(), ArtifactLimits::headerBytes))
    return std::move(error);

  std::string bytes(headerOffset, '\0');
  llvm::copy(magic, bytes.begin());
  endian::write32le(bytes.data() + versionOffset, artifactFormatVersion);
  endian::write32le(bytes.data() + headerSizeOffset, header.size());
  llvm::copy(file.key.bytes, bytes.begin() + keyOffset);
  bytes += header;
  bytes += stored;
  bytes += llvm::toStringRef(Hash256::of(bytes).bytes);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool hasArtifactMagic(llvm::StringRef bytes) { return bytes.starts_with(magic); }

/// Checks magic, version, size and hash; the header's text on success.
static llvm::Expected<llvm::StringRef> checkFrame(llvm::StringRef bytes) {
  if (!hasArtifactMagic(bytes))
    return llvm::createStringError("expected a Tilus artifact file, but got other contents");
  if (bytes.size() < headerOffset + hashSize)
    return llvm::createStringError("expected at least " + llvm::Twine(headerOffset + hashSize) +
                                   " bytes in an artifact file, but got " + llvm::Twine(bytes.size()));
  uint32_t version = endian::read32le(bytes.data() + versionOffset);
  if (version != artifactFormatVersion)
    return llvm::createStringError("expected format version " + llvm::Twine(artifactFormatVersion) +
                                   " of an artifact file, but got " + llvm::Twine(version));
  if (llvm::Error error = checkLimit("the whole", bytes.size(), ArtifactLimits::fileBytes))
    return std::move(error);
  uint64_t headerSize = endian::read32le(bytes.data() + headerSizeOffset);
  if (llvm::Error error = checkLimit("the header", headerSize, ArtifactLimits::headerBytes))
    return std::move(error);
  if (headerSize > bytes.size() - headerOffset - hashSize)
    return llvm::createStringError("expected the whole header in an artifact file, but got only a part");
  if (llvm::toStringRef(Hash256::of(bytes.drop_back(hashSize)).bytes) != bytes.take_back(hashSize))
    return llvm::createStringError(
        "expected the contents that an artifact file was written with, but got damaged ones");
  return bytes.substr(headerOffset, headerSize);
}

static llvm::Error loadPayload(llvm::StringRef &stored, const PayloadInfo &info, size_t kind,
                               KernelArtifact &artifact) {
  if (llvm::Error error = checkLimit("a payload", info.bytes, ArtifactLimits::payloadBytes))
    return error;
  if (info.storedBytes > stored.size())
    return llvm::createStringError("expected " + llvm::Twine(info.storedBytes) +
                                   " bytes for a payload of an artifact file, but got " +
                                   llvm::Twine(stored.size()));
  bool hasSize = info.isCompressed ? info.bytes / ArtifactLimits::ratio <= info.storedBytes
                                   : info.bytes == info.storedBytes;
  if (!hasSize || (info.isCompressed && !zstd::isAvailable()))
    return llvm::createStringError("expected a payload that is stored plainly, or compressed at most " +
                                   llvm::Twine(ArtifactLimits::ratio) + " times, but got " +
                                   llvm::Twine(info.storedBytes) + " bytes for " + llvm::Twine(info.bytes));
  llvm::ArrayRef<uint8_t> bytes = llvm::arrayRefFromStringRef(stored.take_front(info.storedBytes));
  stored = stored.drop_front(info.storedBytes);
  llvm::SmallVector<uint8_t, 0> plain;
  if (info.isCompressed) {
    llvm::Error error = zstd::decompress(bytes, plain, info.bytes);
    if (error)
      return llvm::createStringError(
          "expected compressed bytes for a payload of an artifact file, but got '" +
          llvm::toString(std::move(error)) + "'");
    bytes = plain;
  }
  if (bytes.size() != info.bytes || Hash256::of(bytes) != info.hash)
    return llvm::createStringError("expected the payload that the header names, but got another one");
  setPayload(artifact, kind, bytes);
  return llvm::Error::success();
}

static llvm::Expected<std::vector<ArtifactHeader>> readHeaders(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseStrictJson(text, ArtifactLimits::headerBytes);
  if (!value)
    return value.takeError();
  JsonFieldReader reader(*value, "the header of an artifact file");
  const llvm::json::Array *array = reader.readArray("artifacts");
  if (llvm::Error error = reader.finish())
    return std::move(error);
  std::vector<ArtifactHeader> headers;
  for (const llvm::json::Value &element : *array) {
    llvm::Expected<ArtifactHeader> header = readArtifactHeader(element);
    if (!header)
      return header.takeError();
    headers.push_back(std::move(*header));
  }
  return headers;
}

llvm::Expected<ArtifactFile> parseArtifacts(llvm::StringRef bytes) {
  llvm::Expected<llvm::StringRef> text = checkFrame(bytes);
  if (!text)
    return text.takeError();
  llvm::Expected<std::vector<ArtifactHeader>> headers = readHeaders(*text);
  if (!headers)
    return headers.takeError();

  ArtifactFile file;
  std::copy_n(bytes.begin() + keyOffset, file.key.bytes.size(), file.key.bytes.begin());
  llvm::StringRef stored = bytes.drop_front(headerOffset + text->size()).drop_back(hashSize);
  uint64_t total = 0;
  for (ArtifactHeader &header : *headers) {
    for (size_t kind = 0; kind < payloadKindCount; ++kind) {
      const PayloadInfo &info = header.payloads[kind];
      total += std::min(info.bytes, ArtifactLimits::fileBytes + 1);
      if (llvm::Error error = checkLimit("the payloads", total, ArtifactLimits::fileBytes))
        return std::move(error);
      if (info.bytes == 0)
        continue;
      if (llvm::Error error = loadPayload(stored, info, kind, header.artifact))
        return std::move(error);
    }
    file.artifacts.push_back(std::move(header.artifact));
  }
  if (!stored.empty())
    return llvm::createStringError("expected an artifact file to end with its payloads, but got " +
                                   llvm::Twine(stored.size()) + " bytes more");
  return file;
}

/// What there is of a regular file, at most `maxBytes`: a pipe or a device might never end.
static llvm::Expected<std::string> readRegularFile(const std::string &path, uint64_t maxBytes) {
  auto fail = [&](const llvm::Twine &text) { return llvm::createStringError("'" + path + "': " + text); };
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fail(llvm::sys::StrError(errno));
  llvm::scope_exit close([&] { ::close(file); });
  struct stat status;
  if (fstat(file, &status) != 0)
    return fail(llvm::sys::StrError(errno));
  if (!S_ISREG(status.st_mode))
    return fail(S_ISDIR(status.st_mode) ? "expected a file, but got a folder"
                                        : "expected a file, but got a pipe, socket or device");
  std::string contents;
  // Read, not mapped: a file that changes meanwhile must not change under the checks.
  while (contents.size() <= maxBytes) {
    char chunk[1 << 16];
    ssize_t count = ::read(file, chunk, sizeof(chunk));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(llvm::sys::StrError(errno));
    if (count == 0)
      return contents;
    contents.append(chunk, count);
  }
  return fail("expected at most " + llvm::Twine(maxBytes) + " bytes, but got more");
}

llvm::Expected<ArtifactFile> readArtifactFile(llvm::StringRef path) {
  llvm::Expected<std::string> contents = readRegularFile(path.str(), ArtifactLimits::fileBytes);
  if (!contents)
    return contents.takeError();
  llvm::Expected<ArtifactFile> file = parseArtifacts(*contents);
  if (!file)
    return llvm::createStringError("'" + path + "': " + llvm::toString(file.takeError()));
  return file;
}

} // namespace tilus
