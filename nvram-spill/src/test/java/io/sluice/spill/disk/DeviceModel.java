package io.sluice.spill.disk;

import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A device, those who use it and what they may expect, in a time of its own. All is drawn from a
 * seed: requests of all classes and of some applications, cancellations, promotions, units that
 * fail, a device that is quick, slow or hangs for a while.
 *
 * <p>Checks each step against a book of its own: which classes and applications wait, and how often
 * others were preferred to them. A broken schedule is an {@link AssertionError} that says what.
 */
final class DeviceModel {
  private static final int DEPTH = 2;
  private static final int READ_BUFFERS = 2;
  private static final int AHEAD_BUFFERS = 4;
  private static final long MS = 1_000_000;
  private static final long LONG_NS = 1000_000 * MS;
  private static final int CLASSES = IoClass.values().length;

  private final Random random;
  private final IoScheduler schedule;
  private final boolean aheadTakesReadBuffers;
  private long nowNs;

  private final Map<IoClass, Map<Group, Waiting>> waiting = new EnumMap<>(IoClass.class);
  private final Map<IoClass, Integer> preferred = new EnumMap<>(IoClass.class);
  private final List<DiskRequest> open = new ArrayList<>();
  private final Set<DiskRequest> promoted = new HashSet<>();
  private final Map<DiskRequest, Long> queuedNs = new HashMap<>();
  private final Map<DiskRequest, Integer> unitsLeft = new HashMap<>();
  private final TreeMap<Long, IoScheduler.Turn> running = new TreeMap<>();
  private final Map<DiskRequest, Boolean> readBuffers = new HashMap<>(); // true: of those of reads
  private final Deque<DiskRequest> withoutBuffer = new ArrayDeque<>();
  private long turns;
  private long submitted;
  private long over;
  private long othersEndedNs;

  /** Who takes turns with whom: users do, and the applications of each. */
  private record Group(String parent, String name) {
    static List<Group> of(DiskRequest request) {
      DiskStream stream = request.stream;
      return List.of(new Group("", stream.user()), new Group(stream.user(), stream.application()));
    }
  }

  /** Units of one of these in a class. */
  private static final class Waiting {
    int units;
    long sinceTurn;
    long lastTurn = -1;
  }

  DeviceModel(Random random, IoScheduler schedule, boolean aheadTakesReadBuffers) {
    this.random = random;
    this.schedule = schedule;
    this.aheadTakesReadBuffers = aheadTakesReadBuffers;
    for (IoClass each : IoClass.values()) {
      waiting.put(each, new HashMap<>());
      preferred.put(each, 0);
    }
  }

  /** Lets things happen, then waits until all that was asked for has ended. */
  void run(int steps) {
    for (int step = 0; step < steps; step++) {
      happen();
      begin();
    }
    long endNs = nowNs + LONG_NS;
    while (!open.isEmpty()) {
      require(nowNs < endNs, "requests that never end: " + open.size());
      pass();
      begin();
    }
    require(over == submitted, "%d requests are over of %d".formatted(over, submitted));
    require(readBuffers.isEmpty() && withoutBuffer.isEmpty(), "buffers are not back");
  }

  private void happen() {
    int draw = random.nextInt(100);
    if (draw < 45) {
      submit();
    } else if (draw < 50 && !open.isEmpty()) {
      cancel(any());
    } else if (draw < 58) {
      open.stream()
          .filter(request -> request.ioClass == IoClass.READ_AHEAD && request.mayBegin())
          .findFirst()
          .ifPresent(this::promote);
    } else if (draw == 58) {
      nowNs += 2000 * MS; // nobody wants anything, and what runs ends
      finishUntil(nowNs);
    } else if (draw == 59) {
      hang();
    } else {
      pass();
    }
  }

  private DiskRequest any() {
    return open.get(random.nextInt(open.size()));
  }

  private void submit() {
    IoClass ioClass = IoClass.values()[random.nextInt(CLASSES)];
    int stream = random.nextInt(8);
    DiskRequest request =
        new DiskRequest(
            ioClass,
            new DiskStream("user " + stream % 2, "application " + stream % 3, stream),
            1 + random.nextInt(6),
            unit -> {},
            () -> over++);
    submitted++;
    open.add(request);
    if (ioClass == IoClass.READ_SEND || ioClass == IoClass.READ_AHEAD) {
      withoutBuffer.add(request);
      giveBuffers();
    } else {
      queue(request);
    }
  }

  /** A request has its memory before it is queued. */
  private void giveBuffers() {
    for (DiskRequest request : List.copyOf(withoutBuffer)) {
      boolean ahead = request.ioClass == IoClass.READ_AHEAD;
      boolean ofReads = !ahead || aheadTakesReadBuffers;
      long taken = readBuffers.values().stream().filter(each -> each == ofReads).count();
      if (taken < (ofReads ? READ_BUFFERS : AHEAD_BUFFERS)) {
        withoutBuffer.remove(request);
        readBuffers.put(request, ofReads);
        queue(request);
      } else if (!ahead) {
        require(
            readBuffers.entrySet().stream()
                .filter(Map.Entry::getValue)
                .noneMatch(
                    each ->
                        each.getKey().ioClass == IoClass.READ_AHEAD
                            && !promoted.contains(each.getKey())),
            "a read that is waited for has no buffer because of one that is not");
      }
    }
  }

  private void queue(DiskRequest request) {
    waitFor(request.ioClass, request, request.units);
    unitsLeft.put(request, request.units);
    queuedNs.put(request, nowNs);
    schedule.add(request, nowNs);
  }

  private void waitFor(IoClass ioClass, DiskRequest request, int units) {
    for (Group group : Group.of(request)) {
      Waiting of = waiting.get(ioClass).computeIfAbsent(group, name -> new Waiting());
      if (of.units == 0) {
        of.sinceTurn = turns;
      }
      of.units += units;
    }
  }

  private void waitNoMore(IoClass ioClass, DiskRequest request, int units) {
    for (Group group : Group.of(request)) {
      waiting.get(ioClass).get(group).units -= units;
    }
  }

  private void promote(DiskRequest request) {
    if (withoutBuffer.contains(request)) {
      return;
    }
    int left = unitsLeft.get(request);
    waitNoMore(request.ioClass, request, left);
    waitFor(IoClass.READ_SEND, request, left);
    promoted.add(request);
    schedule.promote(request, IoClass.READ_SEND);
  }

  private void cancel(DiskRequest request) {
    if (withoutBuffer.remove(request)) {
      if (schedule.cancel(request)) {
        end(request);
      }
      return;
    }
    forget(request);
    if (schedule.cancel(request)) {
      end(request);
    }
  }

  /** What is left of it waits no more. */
  private void forget(DiskRequest request) {
    IoClass ioClass = promoted.contains(request) ? IoClass.READ_SEND : request.ioClass;
    waitNoMore(ioClass, request, unitsLeft.put(request, 0));
  }

  /** The device answers nobody, until it does; what is queued has failed meanwhile. */
  private void hang() {
    if (running.isEmpty()) {
      return;
    }
    for (DiskRequest request : schedule.open()) {
      forget(request);
      if (schedule.fail(request, new IOException("hangs"))) {
        end(request);
      }
    }
    nowNs += 20_000 * MS;
    finishUntil(nowNs);
  }

  private void end(DiskRequest request) {
    request.tellOver();
    require(open.remove(request), "a request is over twice");
    require(
        running.values().stream().noneMatch(turn -> turn.request() == request),
        "a request is over while a unit of it runs");
    readBuffers.remove(request);
    giveBuffers();
  }

  /** To the next moment at which a unit ends, or a copy may begin. */
  private void pass() {
    long copyNs = schedule.copyWaitNs(nowNs);
    long nextNs = running.isEmpty() ? Long.MAX_VALUE : running.firstKey();
    if (copyNs > 0) {
      nextNs = Math.min(nextNs, nowNs + copyNs);
    }
    nowNs = Math.max(nowNs, nextNs == Long.MAX_VALUE ? nowNs + 10 * MS : nextNs);
    finishUntil(nowNs);
  }

  private void finishUntil(long untilNs) {
    while (!running.isEmpty() && running.firstKey() <= untilNs) {
      Map.Entry<Long, IoScheduler.Turn> first = running.pollFirstEntry();
      IoScheduler.Turn turn = first.getValue();
      if (turn.ioClass() != IoClass.COPY) {
        othersEndedNs = untilNs;
      }
      boolean fails = random.nextInt(20) == 0;
      if (fails) {
        forget(turn.request());
      }
      if (schedule.ended(
          turn, fails ? Optional.of(new IOException("EIO")) : Optional.empty(), untilNs)) {
        end(turn.request());
      }
    }
  }

  private void begin() {
    while (running.size() < DEPTH) {
      Optional<IoScheduler.Turn> turn = schedule.next(nowNs);
      if (turn.isEmpty()) {
        require(
            waiting.entrySet().stream()
                .filter(each -> each.getKey() != IoClass.COPY)
                .noneMatch(each -> isWaiting(each.getKey())),
            "the device is idle and somebody waits");
        return;
      }
      check(turn.get());
      long endNs = nowNs + (1 + random.nextInt(200)) * MS;
      while (running.containsKey(endNs)) {
        endNs++;
      }
      running.put(endNs, turn.get());
    }
  }

  private boolean isWaiting(IoClass ioClass) {
    return waiting.get(ioClass).values().stream().anyMatch(each -> each.units > 0);
  }

  private void check(IoScheduler.Turn turn) {
    IoClass chosen = turn.ioClass();
    DiskRequest request = turn.request();
    require(
        !promoted.contains(request) || chosen == IoClass.READ_SEND,
        "somebody waits for what is still read ahead");
    boolean favoured = preferred.get(chosen) >= DeviceQueue.FAVOUR;
    for (IoClass better : IoClass.values()) {
      if (better.compareTo(chosen) < 0 && isWaiting(better) && better != IoClass.COPY) {
        require(favoured, "%s goes before %s, which waits".formatted(chosen, better));
      }
    }
    checkCopy(turn);
    preferred.put(chosen, 0);
    for (IoClass each : IoClass.values()) {
      if (!isWaiting(each)) {
        preferred.put(each, 0);
      } else if (each.compareTo(chosen) > 0) {
        int times = preferred.merge(each, 1, Integer::sum);
        require(
            each == IoClass.COPY || times <= DeviceQueue.FAVOUR + CLASSES,
            "%s starves: others went first %d times".formatted(each, times));
      }
    }
    checkTurn(chosen, request);
  }

  private void checkCopy(IoScheduler.Turn turn) {
    if (turn.ioClass() == IoClass.COPY) {
      boolean othersAtWork =
          running.values().stream().anyMatch(each -> each.ioClass() != IoClass.COPY);
      boolean idle = !othersAtWork && nowNs - othersEndedNs >= 1000 * MS;
      boolean old =
          queuedNs.entrySet().stream()
              .anyMatch(
                  each ->
                      each.getKey().ioClass == IoClass.COPY
                          && unitsLeft.get(each.getKey()) > 0
                          && nowNs - each.getValue() >= 60_000 * MS);
      require(idle || old, "a copy begins though the device was not idle");
    }
  }

  private void checkTurn(IoClass chosen, DiskRequest request) {
    Group.of(request).forEach(group -> checkTurn(waiting.get(chosen), group));
    turns++;
    unitsLeft.merge(request, -1, Integer::sum);
  }

  private void checkTurn(Map<Group, Waiting> all, Group group) {
    Waiting mine = all.get(group);
    all.forEach(
        (each, other) ->
            require(
                other == mine
                    || !each.parent().equals(group.parent())
                    || other.units == 0
                    || mine.lastTurn < 0
                    || other.sinceTurn > mine.lastTurn
                    || other.lastTurn > mine.lastTurn,
                "%s has two turns while %s waits".formatted(group, each)));
    mine.lastTurn = turns;
    mine.units--;
    require(mine.units >= 0, "a unit begins that nobody asked for");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new AssertionError(message);
    }
  }
}
