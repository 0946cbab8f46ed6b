package io.sluice.spill.disk;

import java.io.IOException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Decides which unit is next: pure, told the time, so that a model can be run against it.
 *
 * <p>The best class that has one is next. But a class that others, better ones, were preferred to
 * {@code favour} times gets one unit, so that none starves. {@link IoClass#COPY} takes part only
 * when nothing else was done for a second, or when it has waited for a minute.
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
   * Of nothing yet.
   *
   * @param favour how many units of better classes go before one of a worse class
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
    // What may fail comes before it counts as running: else it would never be over.
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

  /** Until a copy may begin, if nothing else comes; negative if it may, or if there is none. */
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

  /** A unit has ended; true if that was its request's last, whose owner is to be told. */
  final boolean ended(Turn turn, Optional<IOException> failure, long nowNs) {
    turn.request().running--;
    if (turn.ioClass() != IoClass.COPY) {
      runningOthers--;
      othersEndedNs = turn.request().cached ? othersEndedNs : nowNs; // each copy is looked at once
    }
    return failure.isPresent() ? fail(turn.request(), failure.get()) : close(turn.request());
  }

  /** Somebody waits now for what nobody waited for: what is left of it goes to a better class. */
  void promote(DiskRequest request, IoClass better) {
    if (better.compareTo(request.ioClass) < 0 && request.mayBegin()) {
      queued.get(request.ioClass).remove(request);
      request.ioClass = better;
      queued.get(better).add(request);
    }
  }

  /** Gives up what of it was not begun; true if nothing of it runs. */
  final boolean cancel(DiskRequest request) {
    queued.get(request.ioClass).remove(request);
    request.cancel();
    return close(request);
  }

  /** Fails what of it was not begun; what runs is awaited by nobody but its memory's owner. */
  final boolean fail(DiskRequest request, IOException cause) {
    queued.get(request.ioClass).remove(request);
    request.fail(cause);
    return close(request);
  }

  /** All that are queued or run. */
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
}
