package io.sluice.spill.ledger;

import io.sluice.spill.ledger.GrantTerms.WaitLimit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * A node in virtual time: tasks, a disk and a ledger, which is watched after each event. Bytes are
 * MiB here.
 */
final class LedgerModel {
  static final GrantTerms TERMS = new GrantTerms(32, 2_000, 10_000, 1_000);
  private static final long TICK_MS = 100;
  private static final long HARD_LIMIT_MS = 10_000_000;

  final VirtualTime time = new VirtualTime();
  final Random random;
  final GrantTerms terms;
  final long capacity;
  ModelDisk disk;
  MemoryLedger ledger;
  int names;

  /** Whether nobody waits for what it sorts in or receives: so the tasks of a service ask. */
  boolean asksNow;

  /** Whether maps are lent to although they have nowhere else to write to. */
  boolean lendsWithoutDisk;

  long lates;
  private final Function<Long, MemoryLedger> maker;
  private final Map<Long, ModelTask> tasks = new HashMap<>();
  private final Map<String, List<ModelOutput>> outputs = new LinkedHashMap<>();
  private final Map<String, Long> failedAtMs = new HashMap<>();
  private final Map<String, Integer> running = new HashMap<>();
  private final Set<String> stopped = new HashSet<>();
  private long outputNumbers;
  private int starting;
  private boolean changed;
  private boolean copies;

  LedgerModel(Function<Long, MemoryLedger> maker, long capacity, Random random) {
    this(maker, TERMS, capacity, random);
  }

  LedgerModel(Function<Long, MemoryLedger> maker, GrantTerms terms, long capacity, Random random) {
    this.maker = maker;
    this.terms = terms;
    this.capacity = capacity;
    this.random = random;
    this.ledger = maker.apply(capacity);
  }

  void disk(long mibPerSecond, double failing, long size) {
    disk = new ModelDisk(this, mibPerSecond, failing, size);
    ledger.moverWorks(disk.exists(), 0);
  }

  /** Outputs have copies on disk from now on. */
  void outputsHaveCopies() {
    copies = true;
    ledger.outputsHaveCopies();
  }

  /** Of an ask for what can be done without. */
  WaitLimit patience() {
    return asksNow ? WaitLimit.NONE : WaitLimit.COMING;
  }

  /** So many outputs of one length were found at the start. */
  void found(String application, long bytes, int count) {
    for (int i = 0; i < count; i++) {
      outputs(application).add(new ModelOutput(outputNumbers++, bytes, 0));
    }
    ledger.recovered(application, bytes * count);
  }

  void at(long ms, ModelTask task) {
    starting++;
    if (random.nextBoolean()) {
      time.in(ms / 2, () -> apply(ledger.expected(task.who.application(), time.nowMs())));
    }
    running.merge(task.who.application(), 1, Integer::sum);
    time.in(
        ms,
        () -> {
          starting--;
          task.start();
        });
  }

  void join(ModelTask task) {
    task.id = ledger.join(task.who, task.ownSortBytes);
    stopped.remove(task.who.application());
    ledger.receivesNotices(task.id, task.hearing != ModelTask.Hearing.NONE);
    tasks.put(task.id, task);
  }

  List<ModelOutput> outputs(String application) {
    return outputs.computeIfAbsent(application, a -> new ArrayList<>());
  }

  void committed(ModelTask task, long bytes) {
    if (bytes > 0) {
      outputs(task.who.application()).add(new ModelOutput(outputNumbers++, bytes, 0));
      apply(ledger.commit(task.id, bytes, time.nowMs()));
    }
  }

  void failed(String application) {
    failedAtMs.put(application, time.nowMs());
  }

  void failed(String application, ModelOutput output) {
    failed(application);
    if (outputs(application).remove(output)) {
      outputs(application)
          .add(new ModelOutput(output.number(), output.bytes(), time.nowMs() + terms.wantMs()));
    }
  }

  void left(ModelTask task) {
    tasks.remove(task.id);
    long held = task.held.values().stream().mapToLong(Long::longValue).sum();
    long settling = held > 0 && random.nextInt(3) == 0 ? 1 + random.nextLong(held) : 0;
    apply(ledger.leave(task.id, settling, time.nowMs()));
    settleLater(settling);
    gone(task);
  }

  private void settleLater(long bytes) {
    MemoryLedger of = ledger;
    time.in(
        random.nextInt(20_000),
        () -> {
          if (of == ledger) { // else it was found at the start of another one
            apply(ledger.settled(bytes, time.nowMs()));
          }
        });
  }

  private void gone(ModelTask task) {
    Property.ENDS.check(
        task.frozen || time.nowMs() - task.startedMs <= task.allowedMs + 1000, () -> task);
    String application = task.who.application();
    if (running.merge(application, -1, Integer::sum) == 0) {
      time.in(random.nextInt(3000), () -> end(application));
    }
  }

  /** Frees what an application has, as when it has ended. */
  void end(String application) {
    stopped.add(application);
    apply(ledger.stopped(application, time.nowMs()));
    List<ModelOutput> freed = outputs(application);
    while (!freed.isEmpty()) {
      apply(ledger.freed(application, freed.remove(0).bytes(), time.nowMs()));
    }
  }

  /**
   * The service ends and another one comes; tasks end with it, but what they hold is quarantined.
   */
  void restart() {
    long settling = ledger.stats().heldBytes().get(MemoryKind.SETTLING);
    long quarantined = settling;
    List<ModelTask> ended = List.copyOf(tasks.values());
    tasks.clear();
    disk.forget();
    ledger = maker.apply(ledger.stats().capacityBytes());
    if (copies) {
      ledger.outputsHaveCopies();
    }
    outputs.forEach(
        (application, all) ->
            ledger.recovered(application, all.stream().mapToLong(ModelOutput::bytes).sum()));
    for (ModelTask task : ended) {
      long bytes =
          task.held(MemoryKind.SORT)
              + task.held(MemoryKind.WRITING)
              + task.held(MemoryKind.RECEIVE);
      quarantined += bytes;
      task.alive = false;
      time.in(random.nextInt(20_000), () -> apply(ledger.reviewed(bytes, time.nowMs())));
    }
    ledger.quarantined(quarantined);
    time.in(random.nextInt(20_000), () -> apply(ledger.reviewed(settling, time.nowMs())));
    apply(ledger.moverWorks(disk.works, time.nowMs()));
    ended.forEach(this::gone);
  }

  List<ModelTask> tasks() {
    return List.copyOf(tasks.values());
  }

  void apply(List<MemoryAction> orders) {
    changed = true;
    for (MemoryAction order : orders) {
      if (order instanceof MemoryAction.Answer answer) {
        ModelTask task = tasks.get(answer.holderId());
        Property.WAIT.check(task.waiting != null, () -> answer);
        task.answered(answer.bytes());
      } else if (order instanceof MemoryAction.Revoke revoke) {
        ModelTask task = tasks.get(revoke.holderId());
        checkRevoke(task, revoke);
        task.heard(revoke.kind(), revoke.keepBytes());
      } else if (order instanceof MemoryAction.Move move) {
        checkMove(move);
        disk.add(move);
      }
    }
    if (orders.stream().anyMatch(MemoryAction.Answer.class::isInstance)) {
      checkAll();
    }
  }

  /** Runs until everything has ended; {@code each} after each event. */
  void run(Runnable each) {
    time.in(TICK_MS, this::tick);
    while (time.step()) {
      if (changed) {
        changed = false;
        checkAll();
        each.run();
      }
      Property.ENDS.check(time.nowMs() < HARD_LIMIT_MS, () -> tasks.values());
    }
    LedgerStats stats = ledger.stats();
    lates = stats.lates();
    Property.FREE_AT_THE_END.check(stats.freeBytes() == stats.capacityBytes(), () -> stats);
  }

  private void tick() {
    apply(ledger.tick(time.nowMs()));
    if (starting == 0 && tasks.values().stream().allMatch(task -> task.frozen)) {
      tasks().forEach(ModelTask::leave);
    }
    if (starting > 0 || !tasks.isEmpty()) {
      time.in(TICK_MS, this::tick);
    }
  }

  private void checkAll() {
    LedgerStats stats = ledger.stats();
    long sum = stats.freeBytes();
    for (long bytes : stats.heldBytes().values()) {
      Property.SUM.check(bytes >= 0, () -> stats);
      sum += bytes;
    }
    Property.SUM.check(stats.freeBytes() >= 0 && sum == stats.capacityBytes(), () -> stats);
    for (MemoryKind kind : List.of(MemoryKind.SORT, MemoryKind.WRITING, MemoryKind.RECEIVE)) {
      long held = tasks.values().stream().mapToLong(task -> task.held(kind)).sum();
      Property.TRUTH.check(
          held == stats.heldBytes().get(kind), () -> kind + " " + held + ": " + stats);
    }
    long send = outputs.values().stream().flatMap(List::stream).mapToLong(ModelOutput::bytes).sum();
    Property.TRUTH.check(
        send == stats.heldBytes().get(MemoryKind.SEND), () -> "outputs " + send + ": " + stats);
    checkWaiting(stats, send);
  }

  private void checkWaiting(LedgerStats stats, long send) {
    for (ModelTask task : tasks.values()) {
      if (task.waiting != null) {
        long limitMs =
            task.waiting.patience() == WaitLimit.LAST ? terms.revokeMs() : terms.waitMs();
        Property.WAIT.check(time.nowMs() - task.waiting.sinceMs() <= limitMs + TICK_MS, () -> task);
      }
    }
    long charges =
        tasks.values().stream()
            .map(task -> task.waiting)
            .filter(waiting -> waiting != null && waiting.patience() == WaitLimit.COMING)
            .mapToLong(ModelTask.Waiting::chargeBytes)
            .sum();
    Property.WORK.check(
        charges == 0 || !disk.works || failedLately() || disk.orderedBytes() > 0,
        () -> charges + " wait and nothing is moved: " + stats + tasks.values());
    long coming = stats.freeBytes() + (disk.works ? send : 0);
    Property.COMING.check(charges <= coming, () -> charges + " wait for " + coming + ": " + stats);
  }

  /** Some outputs are not tried again for a while. */
  private boolean failedLately() {
    return failedAtMs.values().stream().anyMatch(ms -> time.nowMs() - ms <= terms.wantMs());
  }

  private boolean isRecalled(ModelTask task) {
    return !task.told.isEmpty();
  }

  long claimBytes(ModelTask task) {
    return Math.max(0, terms.claimBytes() - task.ownSortBytes);
  }

  /** Of one that was refused early: others could not have given back enough. */
  void checkLastResort(ModelTask asker, ModelTask.Waiting was) {
    long nowMs = time.nowMs();
    if (nowMs >= was.sinceMs() + terms.revokeMs() || stopped.contains(asker.who.application())) {
      return;
    }
    LedgerStats stats = ledger.stats();
    long keptBytes = stats.capacityBytes() / 8; // at most
    long othersBytes = // of those who may come before it
        tasks.values().stream()
            .filter(task -> task.waiting != null)
            .mapToLong(task -> task.waiting.chargeBytes())
            .sum();
    long recallableBytes =
        tasks.values().stream()
            .filter(task -> task != asker && !task.isLate(nowMs))
            .mapToLong(
                task ->
                    task.held(MemoryKind.RECEIVE)
                        + Math.max(0, task.held(MemoryKind.SORT) - claimBytes(task)))
            .sum();
    Property.LAST_RESORT.check(
        was.chargeBytes() + othersBytes + keptBytes > stats.freeBytes() + recallableBytes,
        () -> asker + " was refused " + was + " with " + recallableBytes + " to recall: " + stats);
  }

  /** Whether it waits for what others are told to give back for, or was refused that just now. */
  private boolean wantsMoreThanToReceive(ModelTask task) {
    boolean now = task.refused != null && task.refusedAtMs == time.nowMs();
    ModelTask.Waiting ask = now && !task.refused.late() ? task.refused : task.waiting;
    return ask != null
        && ask.kind() != MemoryKind.RECEIVE
        && !ask.loan()
        && !stopped.contains(task.who.application());
  }

  private void checkMove(MemoryAction.Move move) {
    boolean forSort =
        tasks.values().stream()
            .anyMatch(task -> task.waiting != null && task.waiting.kind() != MemoryKind.RECEIVE);
    if (move.urgent() && forSort && tasks.values().stream().noneMatch(this::isRecalled)) {
      for (ModelTask task : tasks.values()) {
        boolean asks = task.waiting != null || time.nowMs() - task.refusedAtMs <= terms.wantMs();
        boolean lent =
            task.held(MemoryKind.RECEIVE) > 0 || task.held(MemoryKind.SORT) > claimBytes(task);
        Property.OUTPUTS_AFTER_LOANS.check(asks || !lent, () -> move + " before " + task);
      }
    }
  }

  private void checkRevoke(ModelTask task, MemoryAction.Revoke revoke) {
    long nowMs = time.nowMs();
    boolean forMore = tasks.values().stream().anyMatch(this::wantsMoreThanToReceive);
    boolean forLoans =
        tasks.values().stream().anyMatch(asker -> nowMs - asker.loanRefusedAtMs <= terms.wantMs());
    if (revoke.kind() == MemoryKind.SORT && forMore && !forLoans) {
      for (ModelTask other : tasks.values()) {
        boolean canGiveBack = other.held(MemoryKind.RECEIVE) > 0 && other.waiting == null;
        Property.LOANS_AFTER_RECEIVED.check(
            !canGiveBack || other.told.containsKey(MemoryKind.RECEIVE),
            () -> revoke + " of " + task + " before " + other);
      }
    }
    if (revoke.kind() == MemoryKind.SORT && revoke.keepBytes() < claimBytes(task) && disk.works) {
      long send = outputsInsteadOf(task.who.application());
      Property.CLAIMS_LAST.check(
          failedLately() || send == 0, () -> revoke + " of " + task + ", outputs " + send);
    }
  }

  /**
   * What is not ordered to be moved: of the outputs of an application, and of those who have more
   * than one that waits.
   */
  private long outputsInsteadOf(String application) {
    List<String> waiting =
        tasks.values().stream()
            .filter(task -> task.waiting != null && task.waiting.kind() == MemoryKind.SORT)
            .map(task -> task.who.application())
            .toList();
    return outputs.keySet().stream()
        .filter(
            other ->
                other.equals(application)
                    || waiting.stream()
                        .anyMatch(asking -> held(other) > held(asking) + 2 * terms.claimBytes()))
        .mapToLong(
            other ->
                outputs(other).stream().mapToLong(ModelOutput::bytes).sum()
                    - disk.orderedBytes(other))
        .map(bytes -> Math.max(0, bytes))
        .sum();
  }

  private long held(String application) {
    return ledger.sends().getOrDefault(application, 0L)
        + ledger.holdings(time.nowMs()).stream()
            .filter(holding -> holding.who().application().equals(application))
            .flatMap(holding -> holding.bytes().values().stream())
            .mapToLong(Long::longValue)
            .sum();
  }
}
