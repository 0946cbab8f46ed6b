package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Tier;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The outputs of one application that lie in memory, in the order in which they should leave it.
 * Outputs with a copy on disk leave first, then those that no reader was told of; the largest of
 * each first. The order is kept up to date, since there may be a hundred thousand and one leaves at
 * a time.
 *
 * <p>Thread contract: guarded by the lock of the store. Readers are told of outputs under no lock,
 * so the caller that takes the next one files it anew if it {@link #isFormer}.
 */
final class EvictionOrder {
  private static final Comparator<Turn> ORDER =
      Comparator.comparing(Turn::copied)
          .reversed()
          .thenComparing(Turn::told)
          .thenComparing(Turn::bytes, Comparator.reverseOrder())
          .thenComparing(Turn::number);

  private final TreeSet<Turn> turns = new TreeSet<>(ORDER);
  private final Map<OutputId, Turn> byId = new HashMap<>();
  private long number;
  private long looks;

  /** An output as it was when it was filed. */
  record Turn(CommittedOutput output, boolean copied, boolean told, long bytes, long number) {}

  /** Files one that has no copy, if something of it lies in memory. */
  void add(CommittedOutput output) {
    long bytes = output.location().bytesOf(Tier.MEMORY);
    if (bytes > 0) {
      file(new Turn(output, false, output.location().wasTold(), bytes, number++));
    }
  }

  private void file(Turn turn) {
    turns.add(turn);
    byId.put(turn.output().id(), turn);
  }

  void remove(OutputId id) {
    Turn turn = byId.remove(id);
    if (turn != null) {
      turns.remove(turn);
    }
  }

  /** One that lies here has a copy from now on, or has none. */
  void setCopied(OutputId id, boolean copied) {
    Turn former = byId.get(id);
    if (former != null) {
      turns.remove(former);
      file(new Turn(former.output(), copied, former.told(), former.bytes(), former.number()));
    }
  }

  /** The next one behind that; behind none, the first. */
  Optional<Turn> after(Turn turn) {
    looks++;
    if (turn == null) {
      return turns.isEmpty() ? Optional.empty() : Optional.of(turns.first());
    }
    return Optional.ofNullable(turns.higher(turn));
  }

  /** Whether readers were told of it since it was filed; it is behind others then. */
  boolean isFormer(Turn turn) {
    if (turn.told() || !turn.output().location().wasTold()) {
      return false;
    }
    turns.remove(turn);
    file(new Turn(turn.output(), turn.copied(), true, turn.bytes(), turn.number()));
    return true;
  }

  /** How many outputs were looked at to find the next. */
  long looks() {
    return looks;
  }

  /**
   * Iterates over an application's outputs in this order, with the lock of the store for one output
   * at a time. It may miss an output that comes meanwhile or that a reader is told of meanwhile, or
   * return it later.
   *
   * <p>Thread contract: for one thread, which does not hold the lock.
   */
  static final class OutputsInMemory implements Iterator<CommittedOutput> {
    private final ReentrantLock lock;
    private final OutputDirectory outputs;
    private final String applicationId;
    private Turn last; // null: none yet
    private CommittedOutput ahead; // null: not looked for, or there is none

    OutputsInMemory(ReentrantLock lock, OutputDirectory outputs, String applicationId) {
      this.lock = lock;
      this.outputs = outputs;
      this.applicationId = applicationId;
    }

    @Override
    public boolean hasNext() {
      if (ahead == null) {
        ahead = look().orElse(null);
      }
      return ahead != null;
    }

    @Override
    public CommittedOutput next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no further output of " + applicationId + " is in memory");
      }
      CommittedOutput next = ahead;
      ahead = null;
      return next;
    }

    private Optional<CommittedOutput> look() {
      lock.lock();
      try {
        YieldingLock turn = new YieldingLock(lock);
        while (true) {
          Optional<EvictionOrder> order = outputs.moveOrder(applicationId);
          Optional<Turn> found = order.flatMap(it -> it.after(last));
          if (found.isEmpty()) {
            return Optional.empty();
          }
          if (!order.get().isFormer(found.get())) {
            last = found.get();
            return Optional.of(last.output());
          }
          turn.pass(); // all of them may have been told of since the last move
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
