package io.sluice.node.ledger;

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
  private final Deque<Moving> queue = new ArrayDeque<>();
  private long leftBytes;
  private long hangsUntilMs;
  private boolean busy;
  boolean works;
  long movedBytes;

  private static final class Moving {
    private final Order.Move order;
    private long left;

    Moving(Order.Move order) {
      this.order = order;
      this.left = order.bytes();
    }
  }

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

  /** What is ordered to be moved and has not been. */
  long orderedBytes() {
    return queue.stream().mapToLong(moving -> Math.max(0, moving.left)).sum();
  }

  void hang(long ms) {
    hangsUntilMs = model.time.nowMs() + ms;
  }

  /** As when the service is restarted. */
  void forget() {
    queue.clear();
  }

  void add(Order.Move order) {
    Property.COMING.check(works, () -> order);
    queue.add(new Moving(order));
    next();
  }

  private void next() {
    if (busy || queue.isEmpty()) {
      return;
    }
    Moving moving = queue.peek();
    long nowMs = model.time.nowMs();
    Optional<ModelOutput> largest =
        model.outputs(moving.order.application()).stream()
            .filter(output -> output.failedUntilMs() <= nowMs)
            .max(Comparator.comparingLong(ModelOutput::bytes));
    busy = true;
    if (largest.isEmpty()) {
      model.time.in(0, () -> ended(moving));
    } else if (nowMs < hangsUntilMs) {
      model.time.in(DEADLINE_MS, this::hung);
    } else {
      ModelOutput output = largest.get();
      model.time.in(1 + output.bytes() * 1000 / mibPerSecond, () -> written(moving, output));
    }
  }

  private void unfinished(Moving moving) {
    if (moving.left > 0) {
      model.failed(moving.order.application());
    }
  }

  private void ended(Moving moving) {
    busy = false;
    if (queue.remove(moving)) {
      unfinished(moving);
      model.apply(model.ledger.moveEnded(moving.order.moveId(), model.time.nowMs()));
    }
    next();
  }

  private void written(Moving moving, ModelOutput output) {
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
      model.failed(moving.order.application(), output);
      ended(moving);
      return;
    }
    if (model.outputs(moving.order.application()).remove(output)) { // else freed meanwhile
      leftBytes -= output.bytes();
      movedBytes += output.bytes();
      moving.left -= output.bytes();
      model.apply(model.ledger.moved(moving.order.moveId(), output.bytes(), model.time.nowMs()));
    }
    if (moving.left <= 0) {
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
      Moving moving = queue.poll();
      unfinished(moving);
      model.apply(model.ledger.moveEnded(moving.order.moveId(), model.time.nowMs()));
    }
  }
}
