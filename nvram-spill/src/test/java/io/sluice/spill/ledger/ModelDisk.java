package io.sluice.spill.ledger;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;

/** The mover of a {@link LedgerModel} and its disk, which may hang, fail, fill up or be absent. */
final class ModelDisk {
  private static final long DEADLINE_MS = 500;

  private final LedgerModel model;
  private final long mibPerSecond; // 0: there is none
  private final double failing;
  private final Deque<MemoryAction.Move> queue = new ArrayDeque<>();
  private long leftBytes;
  private long hangsUntilMs;
  private boolean busy;
  boolean works;

  /** Whether what tasks write to it takes of its room, too. */
  boolean isShared;

  long movedBytes;

  ModelDisk(LedgerModel model, long mibPerSecond, double failing, long size) {
    this.model = model;
    this.mibPerSecond = mibPerSecond;
    this.failing = failing;
    this.leftBytes = size;
    this.works = exists();
  }

  boolean exists() {
    return mibPerSecond > 0;
  }

  /** A task writes so much to it; false if there is no room. */
  boolean take(long bytes) {
    if (bytes > 0 && (!exists() || isShared && bytes > leftBytes)) {
      return false;
    }
    leftBytes -= isShared ? bytes : 0;
    return true;
  }

  /** What is ordered to be moved and has not been. */
  long orderedBytes() {
    return queue.stream().mapToLong(this::leftBytes).sum();
  }

  /** The same of one application. */
  long orderedBytes(String application) {
    return queue.stream()
        .filter(order -> order.application().equals(application))
        .mapToLong(this::leftBytes)
        .sum();
  }

  private long leftBytes(MemoryAction.Move order) {
    return model.ledger.leftBytes(order.moveId());
  }

  void hang(long ms) {
    hangsUntilMs = model.time.nowMs() + ms;
  }

  /** As when the service is restarted. */
  void forget() {
    queue.clear();
  }

  void add(MemoryAction.Move order) {
    Property.COMING.check(works, () -> order);
    queue.add(order);
    next();
  }

  private void next() {
    if (busy || queue.isEmpty()) {
      return;
    }
    MemoryAction.Move moving = queue.peek();
    long nowMs = model.time.nowMs();
    Optional<ModelOutput> largest =
        model.outputs(moving.application()).stream()
            .filter(output -> output.failedUntilMs() <= nowMs)
            .max(Comparator.comparingLong(ModelOutput::bytes));
    busy = true;
    if (largest.isEmpty() || leftBytes(moving) <= 0) {
      model.time.in(0, () -> ended(moving));
    } else if (nowMs < hangsUntilMs) {
      model.time.in(DEADLINE_MS, this::hung);
    } else {
      ModelOutput output = largest.get();
      model.time.in(1 + output.bytes() * 1000 / mibPerSecond, () -> written(moving, output));
    }
  }

  private void unfinished(MemoryAction.Move moving) {
    if (leftBytes(moving) > 0) {
      model.failed(moving.application());
    }
  }

  private void ended(MemoryAction.Move moving) {
    busy = false;
    if (queue.remove(moving)) {
      unfinished(moving);
      model.apply(model.ledger.moveEnded(moving.moveId(), model.time.nowMs()));
    }
    next();
  }

  private void written(MemoryAction.Move moving, ModelOutput output) {
    busy = false;
    if (!queue.contains(moving)) {
      next();
      return;
    }
    if (output.bytes() > leftBytes) {
      stop();
      return;
    }
    if (model.random.nextDouble() < failing) {
      model.failed(moving.application(), output);
      ended(moving);
      return;
    }
    if (model.outputs(moving.application()).remove(output)) { // else freed meanwhile
      leftBytes -= output.bytes();
      movedBytes += output.bytes();
      model.apply(model.ledger.moved(moving.moveId(), output.bytes(), model.time.nowMs()));
    }
    if (leftBytes(moving) <= 0) {
      ended(moving);
    } else {
      next();
    }
  }

  private void hung() {
    busy = false;
    stop();
    model.time.in(
        Math.max(1, hangsUntilMs - model.time.nowMs()),
        () -> {
          works = true;
          model.apply(model.ledger.moverWorks(true, model.time.nowMs()));
        });
  }

  private void stop() {
    works = false;
    model.apply(model.ledger.moverWorks(false, model.time.nowMs()));
    while (!queue.isEmpty()) {
      MemoryAction.Move moving = queue.poll();
      unfinished(moving);
      model.apply(model.ledger.moveEnded(moving.moveId(), model.time.nowMs()));
    }
  }
}
