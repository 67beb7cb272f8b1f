// Measuring of candidates for another process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/MeasureServer.h"
#include "MeasureProtocol.h"
#include "Tilus/Support/ArtifactFile.h"

#include <unistd.h>

namespace tilus {

namespace {
/// The device with a copy of the regions of the process that tunes.
struct Server {
  MeasureSetup setup;
  std::optional<RegionContents> before;
  std::unique_ptr<CudaDriver> driver;
  std::unique_ptr<Device> device;
  std::vector<DeviceBuffer> regions;
  std::unique_ptr<CandidateMeasurer> measurer;

  /// The file has the contents of the regions.
  llvm::Error start(int file);

private:
  llvm::Error uploadRegion(unsigned index);
};
} // namespace

/// The new address has the old one's place within 256 bytes.
llvm::Error Server::uploadRegion(unsigned index) {
  TuneRegion &region = setup.plan.regions[index];
  uint64_t offset = region.address % tuneAlignment;
  llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(*device, region.bytes + offset);
  if (!buffer)
    return buffer.takeError();
  regions.push_back(std::move(*buffer));
  region.address = regions.back().getAddress() + offset;
  return writeMemory(*device, region.address, (*before)[index]);
}

llvm::Error Server::start(int file) {
  llvm::Expected<RegionContents> shared = RegionContents::open(file, setup.plan.regions);
  if (!shared)
    return shared.takeError();
  before.emplace(std::move(*shared));
  llvm::Expected<std::unique_ptr<CudaDriver>> loaded = CudaDriver::load(setup.driverPath);
  if (!loaded)
    return loaded.takeError();
  driver = std::move(*loaded);
  llvm::Expected<std::unique_ptr<Device>> opened = Device::open(*driver, setup.ordinal);
  if (!opened)
    return opened.takeError();
  device = std::move(*opened);
  for (unsigned index = 0; index < before->size(); ++index)
    if (llvm::Error error = uploadRegion(index))
      return error;
  // A copy may still be on its way when it returns.
  if (llvm::Error error = device->synchronize())
    return error;
  llvm::Expected<std::unique_ptr<CandidateMeasurer>> created =
      createDeviceMeasurer(*device, setup.plan, *before, setup.options);
  if (!created)
    return created.takeError();
  measurer = std::move(*created);
  return llvm::Error::success();
}

static llvm::Expected<Measurement> measureFile(CandidateMeasurer &measurer, const std::string &bytes) {
  llvm::Expected<ArtifactFile> file = parseArtifacts(bytes);
  if (!file)
    return file.takeError();
  if (file->artifacts.size() != 1)
    return llvm::createStringError("expected one artifact to measure, but got " +
                                   llvm::Twine(file->artifacts.size()));
  return measurer.measure(std::make_shared<const KernelArtifact>(std::move(file->artifacts.front())));
}

static void serve(MeasureChannel &channel, CandidateMeasurer &measurer, size_t regions) {
  std::vector<KnownContents> known(regions);
  for (;;) {
    std::string bytes = channel.receiveText(ArtifactLimits::fileBytes);
    if (channel.hasFailed())
      return;
    llvm::Expected<Measurement> measurement = measureFile(measurer, bytes);
    if (measurement) {
      sendStatus(channel, {true, false, ""});
      sendMeasurement(channel, *measurement, known);
      continue;
    }
    sendStatus(channel, {false, measurer.isLost(), llvm::toString(measurement.takeError())});
    if (measurer.isLost())
      _exit(0);
  }
}

int runMeasureServer(int socket, int contents) {
  MeasureChannel channel(socket);
  std::optional<MeasureSetup> setup = receiveSetup(channel);
  if (!setup)
    return 1;
  Server server;
  server.setup = std::move(*setup);
  if (llvm::Error error = server.start(contents)) {
    sendStatus(channel, {false, true, llvm::toString(std::move(error))});
    return 1;
  }
  sendStatus(channel, {true, false, ""});
  serve(channel, *server.measurer, server.setup.plan.regions.size());
  if (llvm::Error error = channel.takeError())
    llvm::consumeError(std::move(error));
  return 0;
}

} // namespace tilus
