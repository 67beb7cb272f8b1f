// The fake driver's streams, events, captures and graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeLaunch.h"

using namespace fake;

/// The stream of a handle; null for a handle that is no live stream of the current context.
static StreamObject *findStream(Call &call, StreamHandle handle) {
  if (!handle)
    return &call.context->defaultStream;
  return call.state.streams.count(handle) && handle->context == call.context ? handle : nullptr;
}

/// Ends the stream's capture, if there is one, and forgets what it captured.
static void endCapture(State &state, StreamObject &stream) {
  stream.capture = nullptr;
  stream.isCaptureInvalid = false;
  for (StreamHandle other : state.streams)
    if (other->capture)
      return;
  clear(isCapturing);
}

extern "C" {

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

int cuStreamCreate(StreamHandle *stream, unsigned flags) {
  Call call("cuStreamCreate", currentContext);
  if (call.code)
    return call.code;
  call.state.streamStorage.push_back(std::make_unique<StreamObject>());
  *stream = call.state.streamStorage.back().get();
  (*stream)->context = call.context;
  call.state.streams.insert(*stream);
  return ok;
}

int cuStreamDestroy_v2(StreamHandle stream) {
  Call call("cuStreamDestroy_v2", currentContext);
  if (call.code)
    return call.code;
  if (!call.state.streams.erase(stream))
    return invalidHandle;
  stream->isAlive = false;
  if (stream->capture) {
    delete stream->capture;
    endCapture(call.state, *stream);
  }
  return ok;
}

int cuStreamGetCtx(StreamHandle stream, ContextHandle *context) {
  Call call("cuStreamGetCtx");
  if (call.code)
    return call.code;
  if (!call.state.streams.count(stream))
    return invalidHandle;
  *context = stream->context;
  return ok;
}

int cuStreamSynchronize(StreamHandle handle) {
  Call call("cuStreamSynchronize", currentContext | noCapture);
  if (call.code)
    return call.code;
  StreamObject *stream = findStream(call, handle);
  if (!stream)
    return invalidHandle;
  call.state.released.wait(call.lock, [&] { return !stream->hangs; });
  return call.context->fault;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

int cuEventCreate(EventHandle *event, unsigned flags) {
  Call call("cuEventCreate", currentContext);
  if (call.code)
    return call.code;
  *event = new EventObject;
  (*event)->context = call.context;
  call.state.events.insert(*event);
  return ok;
}

int cuEventDestroy_v2(EventHandle event) {
  Call call("cuEventDestroy_v2", currentContext);
  return call.code ? call.code : destroy(call.state.events, event);
}

/// A record takes one millisecond, so that what lies between two records is never nothing.
int cuEventRecord(EventHandle event, StreamHandle handle) {
  Call call("cuEventRecord", currentContext);
  if (call.code)
    return call.code;
  StreamObject *stream = findStream(call, handle);
  if (!stream || !call.state.events.count(event) || event->context != call.context)
    return invalidHandle;
  event->stream = stream;
  event->milliseconds = ++stream->milliseconds;
  event->isPending = stream->hangs;
  return ok;
}

int cuEventQuery(EventHandle event) {
  Call call("cuEventQuery", currentContext | noCapture);
  if (call.code)
    return call.code;
  if (!call.state.events.count(event))
    return invalidHandle;
  return event->isPending ? notReady : ok;
}

int cuEventSynchronize(EventHandle event) {
  Call call("cuEventSynchronize", currentContext | noCapture);
  if (call.code)
    return call.code;
  if (!call.state.events.count(event))
    return invalidHandle;
  call.state.released.wait(call.lock, [&] { return !event->isPending; });
  return call.context->fault;
}

int cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle stop) {
  Call call("cuEventElapsedTime", currentContext);
  if (call.code)
    return call.code;
  for (EventHandle event : {start, stop})
    if (!call.state.events.count(event) || !event->stream)
      return invalidHandle;
  if (start->isPending || stop->isPending)
    return notReady;
  *milliseconds = float(stop->milliseconds - start->milliseconds);
  return ok;
}

//===----------------------------------------------------------------------===//
// Captures and graphs
//===----------------------------------------------------------------------===//

int cuStreamBeginCapture_v2(StreamHandle handle, CaptureMode mode) {
  Call call("cuStreamBeginCapture_v2", currentContext);
  if (call.code)
    return call.code;
  // The driver refuses to capture the legacy default stream.
  StreamObject *stream = findStream(call, handle);
  if (!handle || !stream || stream->capture)
    return stream ? captureUnsupported : invalidHandle;
  stream->capture = new GraphObject;
  stream->captureMode = mode;
  stream->captureThread = std::this_thread::get_id();
  static unsigned long long lastCapture = 0;
  stream->captureId = ++lastCapture;
  raise(isCapturing);
  call.state.record("cuStreamBeginCapture");
  return ok;
}

int cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  Call call("cuThreadExchangeStreamCaptureMode");
  if (call.code)
    return call.code;
  std::swap(*mode, getThreadCaptureMode());
  return ok;
}

int cuStreamIsCapturing(StreamHandle handle, CaptureStatus *status) {
  if (!has(~0u) && handle && handle->isAlive.load(std::memory_order_relaxed)) {
    *status = captureNone;
    return ok;
  }
  Call call("cuStreamIsCapturing", currentContext);
  if (call.code)
    return call.code;
  StreamObject *stream = findStream(call, handle);
  if (!stream)
    return invalidHandle;
  if (!handle && has(isCapturing))
    return captureImplicit;
  *status = !stream->capture ? captureNone : stream->isCaptureInvalid ? captureInvalid : captureActive;
  return ok;
}

/// What a capture depends on is not told.
int cuStreamGetCaptureInfo_v2(StreamHandle handle, CaptureStatus *status, unsigned long long *id, void *,
                              void *, unsigned long *) {
  int code = cuStreamIsCapturing(handle, status);
  if (code == ok && handle && *status == captureActive)
    *id = handle->captureId;
  return code;
}

int cuStreamEndCapture(StreamHandle handle, GraphHandle *graph) {
  Call call("cuStreamEndCapture", currentContext);
  if (call.code)
    return call.code;
  StreamObject *stream = findStream(call, handle);
  *graph = nullptr;
  if (!stream || !stream->capture)
    return stream ? captureUnmatched : invalidHandle;
  GraphHandle captured = stream->capture;
  bool isInvalid = stream->isCaptureInvalid;
  endCapture(call.state, *stream);
  call.state.record("cuStreamEndCapture launches=" + std::to_string(captured->launches.size()) +
                    (isInvalid ? " invalid" : ""));
  if (isInvalid) {
    delete captured;
    return captureInvalidated;
  }
  call.state.graphs.insert(*graph = captured);
  return ok;
}

/// An executable graph is a copy of the graph.
int cuGraphInstantiateWithFlags(GraphHandle *executable, GraphHandle graph, unsigned long long flags) {
  Call call("cuGraphInstantiateWithFlags", currentContext);
  if (call.code)
    return call.code;
  if (!call.state.graphs.count(graph))
    return invalidValue;
  call.state.graphs.insert(*executable = new GraphObject(*graph));
  return ok;
}

int cuGraphLaunch(GraphHandle graph, StreamHandle stream) {
  std::vector<CapturedLaunch> launches;
  {
    Call call("cuGraphLaunch", currentContext);
    if (call.code)
      return call.code;
    if (!call.state.graphs.count(graph))
      return invalidValue;
    call.state.record("cuGraphLaunch launches=" + std::to_string(graph->launches.size()));
    launches = graph->launches;
  }
  for (CapturedLaunch &launch : launches) {
    std::vector<void *> params;
    for (std::vector<unsigned char> &param : launch.params)
      params.push_back(param.data());
    launch.config.stream = stream;
    if (int code = runLaunch("cuGraphLaunch.node", launch.config, launch.function, params.data()))
      return code;
  }
  return ok;
}

int cuGraphExecDestroy(GraphHandle graph) {
  Call call("cuGraphExecDestroy");
  return call.code ? call.code : destroy(call.state.graphs, graph);
}

int cuGraphDestroy(GraphHandle graph) {
  Call call("cuGraphDestroy");
  return call.code ? call.code : destroy(call.state.graphs, graph);
}

} // extern "C"
