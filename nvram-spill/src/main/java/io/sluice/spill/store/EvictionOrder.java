package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Tier;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The outputs of one application that lie in memory, in the order in which they should leave it:
 * first those that have a copy on disk, then those that no reader was told of, of each the largest.
 * It is kept in order, since there may be a hundred thousand, and one leaves at a time.
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
    long bytes = output.place().bytesOf(Tier.MEMORY);
    if (bytes > 0) {
      file(new Turn(output, false, output.place().wasTold(), bytes, number++));
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
    if (turn.told() || !turn.output().place().wasTold()) {
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
}
