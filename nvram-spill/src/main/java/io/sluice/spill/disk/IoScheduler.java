package io.sluice.spill.disk;

import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Decides which unit is next. It has no clock: the caller passes the time, so that a model can test
 * it.
 *
 * <p>The best class with a unit is next. But a class that was passed over {@code favour} times gets
 * one unit, so that none starves. {@link IoClass#COPY} takes part only after a second without other
 * units, or after a wait of a minute.
 *
 * <p>Not thread-safe: {@link DeviceQueue} has the lock.
 */
class IoScheduler {
  static final long COPY_AFTER_IDLE_NS = TimeUnit.SECONDS.toNanos(1);
  static final long COPY_AFTER_WAIT_NS = TimeUnit.SECONDS.toNanos(60);

  private final int favour;
  private final Map<IoClass, FairQueue> queued = new EnumMap<>(IoClass.class);
  private final Map<IoClass, Integer> passed = new EnumMap<>(IoClass.class);
  private final Set<DiskRequest> open = new HashSet<>(); // queued or running
  private int runningOthers; // units that are no copies
  private long othersEndedNs;

  /**
   * Has no requests yet.
   *
   * @param favour number of units of better classes before one of a worse class
   */
  IoScheduler(int favour, long nowNs) {
    this.favour = favour;
    this.othersEndedNs = nowNs;
    for (IoClass each : IoClass.values()) {
      queued.put(each, new FairQueue());
      passed.put(each, 0);
    }
  }

  /** A unit that has been begun. */
  record Turn(DiskRequest request, int unit, IoClass ioClass) {}

  void add(DiskRequest request, long nowNs) {
    request.queuedNs = nowNs;
    open.add(request);
    queued.get(request.ioClass).add(request);
  }

  /** Begins the next unit; nothing if there is none, or only copies that may not begin yet. */
  final Optional<Turn> next(long nowNs) {
    Optional<IoClass> chosen = choose(nowNs);
    if (chosen.isEmpty()) {
      return Optional.empty();
    }
    IoClass ioClass = chosen.get();
    note(ioClass);
    DiskRequest request = queued.get(ioClass).next();
    // Code that may fail comes before the unit counts as running: else it would never be over.
    Optional<Turn> turn = Optional.of(new Turn(request, request.begun - 1, ioClass));
    request.running++;
    if (ioClass != IoClass.COPY) {
      runningOthers++;
    }
    return turn;
  }

  /** The class whose unit is next. */
  Optional<IoClass> choose(long nowNs) {
    IoClass best = null;
    IoClass starving = null;
    for (IoClass each : IoClass.values()) {
      if (!mayBegin(each, nowNs)) {
        continue;
      }
      if (best == null) {
        best = each;
      } else if (passed.get(each) >= favour
          && (starving == null || passed.get(each) > passed.get(starving))) {
        starving = each;
      }
    }
    return Optional.ofNullable(starving == null ? best : starving);
  }

  /** Whether a class has a unit that may begin now. */
  final boolean mayBegin(IoClass ioClass, long nowNs) {
    FairQueue turns = queued.get(ioClass);
    if (turns.isEmpty()) {
      return false;
    }
    return ioClass != IoClass.COPY || copyWaitNs(nowNs) <= 0;
  }

  /**
   * Time until a copy may begin if nothing else comes; negative if it may now, or there is none.
   */
  final long copyWaitNs(long nowNs) {
    FairQueue copies = queued.get(IoClass.COPY);
    if (copies.isEmpty()) {
      return -1;
    }
    long byAgeNs = copies.oldestNs().orElseThrow() + COPY_AFTER_WAIT_NS - nowNs;
    boolean othersWait =
        runningOthers > 0
            || queued.entrySet().stream()
                .anyMatch(each -> each.getKey() != IoClass.COPY && !each.getValue().isEmpty());
    return othersWait ? byAgeNs : Math.min(byAgeNs, othersEndedNs + COPY_AFTER_IDLE_NS - nowNs);
  }

  private void note(IoClass chosen) {
    passed.put(chosen, 0);
    for (IoClass each : IoClass.values()) {
      if (queued.get(each).isEmpty()) {
        passed.put(each, 0);
      } else if (each.compareTo(chosen) > 0) {
        passed.merge(each, 1, Integer::sum);
      }
    }
  }

  /** A unit has ended; true if it was the last of its request, whose owner is to be told. */
  final boolean ended(Turn turn, Optional<IOException> failure, long nowNs) {
    turn.request().running--;
    if (turn.ioClass() != IoClass.COPY) {
      runningOthers--;
      othersEndedNs = turn.request().cached ? othersEndedNs : nowNs; // each copy is looked at once
    }
    return failure.isPresent() ? fail(turn.request(), failure.get()) : close(turn.request());
  }

  /** A thread waits for a request now: its remaining units go to a better class. */
  void promote(DiskRequest request, IoClass better) {
    if (better.compareTo(request.ioClass) < 0 && request.mayBegin()) {
      queued.get(request.ioClass).remove(request);
      request.ioClass = better;
      queued.get(better).add(request);
    }
  }

  /** Gives up the units that have not begun; true if none runs. */
  final boolean cancel(DiskRequest request) {
    queued.get(request.ioClass).remove(request);
    request.cancel();
    return close(request);
  }

  /** Fails the units that have not begun; only the owner of its memory waits for running ones. */
  final boolean fail(DiskRequest request, IOException cause) {
    queued.get(request.ioClass).remove(request);
    request.fail(cause);
    return close(request);
  }

  /** All requests that are queued or run. */
  final Set<DiskRequest> open() {
    return Set.copyOf(open);
  }

  private boolean close(DiskRequest request) {
    if (request.end()) {
      open.remove(request);
      return true;
    }
    return false;
  }

  /**
   * The requests of one class. Users take turns unit by unit, the applications of a user do so as
   * well, and the streams of an application. The requests of a stream keep their order. So a unit
   * of a small job waits for one unit of each other user, and of each other application of its
   * user. It does not wait for all units of a large job.
   *
   * <p>Not thread-safe.
   */
  static final class FairQueue {
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

    /** Takes a unit of the request whose turn it is, and leaves the other units for later. */
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

    /** Removes a request if it is here, also after an add that failed in the middle. */
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

    /** The time at which the oldest request was queued. */
    OptionalLong oldestNs() {
      return users.values().stream()
          .flatMap(applications -> applications.values().stream())
          .flatMap(streams -> streams.values().stream())
          .flatMap(Deque::stream)
          .mapToLong(request -> request.queuedNs)
          .reduce((one, other) -> one - other < 0 ? one : other);
    }
  }
}
