package io.sluice.spill.disk;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The requests of one class: a unit of one application, then one of the next, and inside an
 * application one of each stream; inside a stream one request after the other. So a small job's
 * unit waits for one unit of each other application and not for what a large one has queued.
 *
 * <p>Not thread-safe.
 */
final class Turns {
  private final Map<String, Map<DiskStream, Deque<DiskRequest>>> applications =
      new LinkedHashMap<>();

  boolean isEmpty() {
    return applications.isEmpty();
  }

  void add(DiskRequest request) {
    applications
        .computeIfAbsent(request.stream.application(), name -> new LinkedHashMap<>())
        .computeIfAbsent(request.stream, stream -> new ArrayDeque<>())
        .add(request);
  }

  /** Takes a unit of the request whose turn it is, and leaves what remains of it for later. */
  DiskRequest next() {
    String application = applications.keySet().iterator().next();
    Map<DiskStream, Deque<DiskRequest>> streams = applications.remove(application);
    DiskStream stream = streams.keySet().iterator().next();
    Deque<DiskRequest> requests = streams.remove(stream);
    DiskRequest request = requests.peek();
    request.begun++;
    if (request.begun == request.units) {
      requests.remove();
    }
    if (!requests.isEmpty()) {
      streams.put(stream, requests);
    }
    if (!streams.isEmpty()) {
      applications.put(application, streams);
    }
    return request;
  }

  /** Takes a request out, if it is here. */
  void remove(DiskRequest request) {
    Map<DiskStream, Deque<DiskRequest>> streams = applications.get(request.stream.application());
    Deque<DiskRequest> requests = streams == null ? null : streams.get(request.stream);
    if (requests == null) {
      return;
    }
    requests.remove(request);
    if (requests.isEmpty()) {
      streams.remove(request.stream);
    }
    if (streams.isEmpty()) {
      applications.remove(request.stream.application());
    }
  }

  /** When the one that waits for longest was queued. */
  OptionalLong oldestNs() {
    return applications.values().stream()
        .flatMap(streams -> streams.values().stream())
        .flatMap(Deque::stream)
        .mapToLong(request -> request.queuedNs)
        .reduce((one, other) -> one - other < 0 ? one : other);
  }
}
