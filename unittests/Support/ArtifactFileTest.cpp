// Artifact files keep every field, and no bytes whatever get through the parser unchecked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomArtifact.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <sys/stat.h>

using namespace tilus;
using testing::HasSubstr;

static std::string serialize(const ArtifactFile &file,
                             ArtifactCompression compression = ArtifactCompression::Zstd) {
  return llvm::cantFail(serializeArtifacts(file, compression));
}

static std::string parseError(llvm::StringRef bytes) {
  llvm::Expected<ArtifactFile> file = parseArtifacts(bytes);
  return file ? "" : llvm::toString(file.takeError());
}

/// The bytes of a file with this header and these payloads, with right sizes and a right hash.
static std::string assemble(llvm::StringRef header, llvm::StringRef payloads, uint32_t version = 1) {
  std::string bytes("\x8aTILUS\r\n");
  bytes.resize(48);
  llvm::support::endian::write32le(bytes.data() + 8, version);
  llvm::support::endian::write32le(bytes.data() + 12, header.size());
  bytes += header;
  bytes += payloads;
  bytes += llvm::toStringRef(llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(bytes)));
  return bytes;
}

TEST(ArtifactFile, KeepsEveryField) {
  ArtifactGenerator generator(1);
  for (unsigned i = 0; i < 300; ++i) {
    ArtifactFile file = generator.makeFile(i % 4);
    for (ArtifactCompression compression : {ArtifactCompression::None, ArtifactCompression::Zstd}) {
      std::string bytes = serialize(file, compression);
      EXPECT_TRUE(hasArtifactMagic(bytes));
      EXPECT_EQ(bytes, serialize(file, compression));
      llvm::Expected<ArtifactFile> parsed = parseArtifacts(bytes);
      ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
      EXPECT_EQ(findDifference(file, *parsed), "");
    }
  }
}

TEST(ArtifactFile, LiesAsDocumented) {
  ArtifactFile file;
  for (unsigned i = 0; i < 32; ++i)
    file.key.bytes[i] = i;
  file.artifacts.emplace_back().cubin = {1, 2, 3};
  std::string bytes = serialize(file);
  EXPECT_EQ(llvm::StringRef(bytes).take_front(8), "\x8aTILUS\r\n");
  EXPECT_EQ(llvm::support::endian::read32le(bytes.data() + 8), 1u);
  size_t headerSize = llvm::support::endian::read32le(bytes.data() + 12);
  EXPECT_EQ(bytes[16], 0);
  EXPECT_EQ(bytes[47], 31);
  ASSERT_EQ(bytes.size(), 48 + headerSize + 3 + 32);
  EXPECT_EQ(llvm::StringRef(bytes).substr(48 + headerSize, 3), "\x01\x02\x03");
  llvm::StringRef content = llvm::StringRef(bytes).drop_back(32);
  EXPECT_EQ(llvm::StringRef(bytes).take_back(32),
            llvm::toStringRef(llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(content))));
}

TEST(ArtifactFile, RefusesEveryFlippedByteAndEveryLength) {
  ArtifactGenerator generator(2);
  for (unsigned i = 0; i < 3; ++i) {
    std::string bytes = serialize(generator.makeFile(1 + i % 2));
    for (size_t length = 0; length < bytes.size(); ++length)
      ASSERT_NE(parseError(llvm::StringRef(bytes).take_front(length)), "") << length;
    for (size_t offset = 0; offset < bytes.size(); ++offset) {
      std::string damaged = bytes;
      damaged[offset] ^= 1 << offset % 8;
      ASSERT_NE(parseError(damaged), "") << offset;
    }
    EXPECT_NE(parseError(bytes + "x"), "");
    EXPECT_EQ(parseError(bytes), "");
  }
}

/// With a hash that fits, the inner checks have to hold on their own.
TEST(ArtifactFile, ParsesAnyHeaderWithoutCrashing) {
  ArtifactGenerator generator(3);
  unsigned accepted = 0;
  std::string bytes;
  static constexpr llvm::StringLiteral pieces[] = {
      "null", "-1", "18446744073709551615", "1e300", "[]", "{}", "\"\"", "[",
      "}",    ",",  "\"bytes\":1,",         "\xff"};
  for (unsigned i = 0; i < 20000; ++i) {
    if (i % 100 == 0)
      bytes = serialize(generator.makeFile(1));
    size_t headerSize = llvm::support::endian::read32le(bytes.data() + 12);
    std::string header = bytes.substr(48, headerSize);
    std::string payloads = bytes.substr(48 + headerSize, bytes.size() - 80 - headerSize);
    for (unsigned edits = 1 + generator.makeNumber(3); edits > 0; --edits) {
      std::string &text = generator.makeNumber(4) == 0 && !payloads.empty() ? payloads : header;
      size_t offset = generator.makeNumber(text.size());
      if (generator.makeNumber(2))
        text.replace(offset, generator.makeNumber(8), pieces[generator.makeNumber(std::size(pieces))]);
      else
        text[offset] = generator.makeNumber(256);
      if (text.empty())
        break;
    }
    accepted += parseError(assemble(header, payloads)).empty();
  }
  // A changed letter of a name is no fault of the format.
  EXPECT_LT(accepted, 20000u);
}

TEST(ArtifactFile, RefusesDeepHeaders) {
  EXPECT_THAT(parseError(assemble(std::string(1 << 20, '['), "")), HasSubstr("levels of JSON"));
  EXPECT_THAT(parseError(assemble("{\"artifacts\":\"[[[\\\"[[\"}", "")),
              HasSubstr("an array for 'artifacts'"));
}

TEST(ArtifactFile, RefusesOtherVersionsAndFields) {
  EXPECT_EQ(parseError(assemble("{\"artifacts\":[]}", "")), "");
  EXPECT_EQ(parseError(assemble("{\"artifacts\":[]}", "", 2)),
            "expected format version 1 of an artifact file, but got 2");
  EXPECT_THAT(parseError(assemble("{\"artifacts\":[],\"more\":1}", "")), HasSubstr("'more'"));
  EXPECT_THAT(parseError(assemble("{\"artifacts\":[]}", "x")), HasSubstr("1 bytes more"));
  EXPECT_THAT(parseError("\x7f"
                         "ELF"),
              HasSubstr("but got other contents"));

  std::string bytes = serialize(ArtifactGenerator(4).makeFile(1));
  size_t headerSize = llvm::support::endian::read32le(bytes.data() + 12);
  std::string header = bytes.substr(48, headerSize);
  std::string payloads = bytes.substr(48 + headerSize, bytes.size() - 80 - headerSize);
  EXPECT_EQ(parseError(assemble(header, payloads)), "");
  size_t offset = header.find("\"convention\":1");
  ASSERT_NE(offset, std::string::npos);
  header.replace(offset, 14, "\"convention\":9");
  EXPECT_THAT(parseError(assemble(header, payloads)), HasSubstr("expected calling convention 1"));
}

/// The JSON of an artifact whose one payload claims these sizes.
static std::string claim(uint64_t bytes, uint64_t stored, bool compressed, llvm::StringRef contents) {
  ArtifactFile file;
  file.artifacts.emplace_back().ptx = "x";
  std::string serialized = serialize(file);
  std::string header = serialized.substr(48, llvm::support::endian::read32le(serialized.data() + 12));
  size_t begin = header.find("\"payloads\":{"), end = header.find("}}", begin);
  header.replace(begin, end - begin,
                 "\"payloads\":{\"ptx\":{\"bytes\":" + std::to_string(bytes) + ",\"stored\":" +
                     std::to_string(stored) + ",\"zstd\":" + (compressed ? "true" : "false") +
                     ",\"hash\":\"" + Hash256::of(contents).toHex() + "\"");
  return header;
}

TEST(ArtifactFile, RefusesBombs) {
  std::string zeros(1 << 20, '\0');
  EXPECT_EQ(parseError(assemble(claim(zeros.size(), zeros.size(), false, zeros), zeros)), "");
  llvm::SmallVector<uint8_t, 0> packed;
  if (!llvm::compression::zstd::isAvailable())
    GTEST_SKIP() << "no zstd";
  llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(zeros), packed);
  llvm::StringRef bomb = llvm::toStringRef(packed);
  ASSERT_LT(bomb.size() * 256, zeros.size());
  EXPECT_THAT(parseError(assemble(claim(zeros.size(), bomb.size(), true, zeros), bomb)),
              HasSubstr("compressed at most 256 times"));
  EXPECT_NE(parseError(assemble(claim(1000, bomb.size(), true, zeros), bomb)), "");
  for (uint64_t size : {uint64_t(257) << 20, uint64_t(1) << 30})
    EXPECT_THAT(parseError(assemble(claim(size, 1, true, "x"), "x")), HasSubstr("for a payload"));
  // What would be a bomb is stored plainly.
  ArtifactFile file;
  file.artifacts.emplace_back().ptx = zeros;
  std::string bytes = serialize(file);
  EXPECT_GT(bytes.size(), zeros.size());
  EXPECT_EQ(parseError(bytes), "");
}

TEST(ArtifactFile, RefusesToWriteWhatItCannotRead) {
  ArtifactFile file;
  file.artifacts.emplace_back().entry = "\xff";
  EXPECT_THAT(llvm::toString(serializeArtifacts(file).takeError()), HasSubstr("expected UTF-8 for 'entry'"));
  file.artifacts[0].entry.assign(2 << 20, 'k');
  EXPECT_THAT(llvm::toString(serializeArtifacts(file).takeError()), HasSubstr("for the header"));
  file.artifacts[0].entry = "k";
  file.artifacts[0].params.push_back({"p", KernelParam::Kind::Scalar, {ScalarKind::Float, 16, 4, 4}, 1});
  EXPECT_THAT(llvm::toString(serializeArtifacts(file).takeError()), HasSubstr("parameter 'p'"));
  file.artifacts[0].params[0].format = ScalarFormat::getInt(32);
  EXPECT_FALSE(llvm::errorToBool(serializeArtifacts(file).takeError()));
  // A tensor map of a scalar.
  file.artifacts[0].tensorMaps.emplace_back();
  EXPECT_THAT(llvm::toString(serializeArtifacts(file).takeError()), HasSubstr("the number of a pointer"));
  file.artifacts[0].tensorMaps.clear();
  file.artifacts[0].grid[1] = llvm::cantFail(GridExpr::parse("p1", 2));
  EXPECT_THAT(llvm::toString(serializeArtifacts(file).takeError()), HasSubstr("a parameter number below 1"));
}

TEST(ArtifactFile, NamesTheFileInErrors) {
  EXPECT_THAT(llvm::toString(readArtifactFile("/nonexistent/a.tilus").takeError()),
              HasSubstr("'/nonexistent/a.tilus': "));
  EXPECT_THAT(llvm::toString(readArtifactFile("/").takeError()), HasSubstr("'/': "));
  llvm::SmallString<64> path;
  int descriptor;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tilus", "tilus", descriptor, path));
  llvm::raw_fd_ostream(descriptor, true) << serialize(ArtifactGenerator(5).makeFile(2));
  llvm::Expected<ArtifactFile> file = readArtifactFile(path);
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(findDifference(*file, ArtifactGenerator(5).makeFile(2)), "");
  llvm::sys::fs::remove(path);
}

/// What would never end, or never begin, is refused before it is read.
TEST(ArtifactFile, ReadsRegularFilesAlone) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("artifact", folder));
  std::string pipe = (folder + "/pipe").str(), missing = (folder + "/missing").str();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(llvm::toString(readArtifactFile(pipe).takeError()),
            "'" + pipe + "': expected a file, but got a pipe, socket or device");
  EXPECT_EQ(llvm::toString(readArtifactFile("/dev/zero").takeError()),
            "'/dev/zero': expected a file, but got a pipe, socket or device");
  EXPECT_EQ(llvm::toString(readArtifactFile(folder).takeError()),
            ("'" + folder + "': expected a file, but got a folder").str());
  EXPECT_EQ(llvm::toString(readArtifactFile(missing).takeError()),
            "'" + missing + "': No such file or directory");
  llvm::sys::fs::remove(pipe);
  llvm::sys::fs::remove(folder);
}
