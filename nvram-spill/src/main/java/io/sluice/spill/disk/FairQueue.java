package io.sluice.spill.disk;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The requests of one class: a unit of one user, then one of the next; a user's applications take
 * turns in the same way, and the streams of an application; inside a stream one request after the
 * other. So a small job's unit waits for one unit of each other user, and of each other application
 * of its own, and not for what a large one has queued.
 *
 * <p>Not thread-safe.
 */
final class FairQueue {
  private final Map<String, Map<String, Map<DiskStream, Deque<DiskRequest>>>> users =
      new LinkedHashMap<>();

  boolean isEmpty() {
    return users.isEmpty();
  }

  void add(DiskRequest request) {
    users
        .computeIfAbsent(request.stream.user(), name -> new LinkedHashMap<>())
        .computeIfAbsent(request.stream.application(), name -> new LinkedHashMap<>())
        .computeIfAbsent(request.stream, stream -> new ArrayDeque<>())
        .add(request);
  }

  /** Takes a unit of the request whose turn it is, and leaves what remains of it for later. */
  DiskRequest next() {
    String user = users.keySet().iterator().next();
    Map<String, Map<DiskStream, Deque<DiskRequest>>> applications = users.remove(user);
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
    if (!applications.isEmpty()) {
      users.put(user, applications);
    }
    return request;
  }

  /** Takes a request out, if it is here, also where it could be added by half only. */
  void remove(DiskRequest request) {
    DiskStream stream = request.stream;
    users.computeIfPresent(
        stream.user(),
        (user, applications) -> {
          applications.computeIfPresent(
              stream.application(), (name, streams) -> without(request, streams));
          return applications.isEmpty() ? null : applications;
        });
  }

  private static Map<DiskStream, Deque<DiskRequest>> without(
      DiskRequest request, Map<DiskStream, Deque<DiskRequest>> streams) {
    streams.computeIfPresent(
        request.stream,
        (stream, requests) -> {
          requests.remove(request);
          return requests.isEmpty() ? null : requests;
        });
    return streams.isEmpty() ? null : streams;
  }

  /** When the one that waits for longest was queued. */
  OptionalLong oldestNs() {
    return users.values().stream()
        .flatMap(applications -> applications.values().stream())
        .flatMap(streams -> streams.values().stream())
        .flatMap(Deque::stream)
        .mapToLong(request -> request.queuedNs)
        .reduce((one, other) -> one - other < 0 ? one : other);
  }
}
