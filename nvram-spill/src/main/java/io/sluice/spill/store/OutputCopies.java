package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.OutputDirectory.StaleExtents;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Copies of outputs that lie in memory: whole on the disk tier, with their marks. No reader is told
 * of them. An output moves to its copy when it has to leave memory, or when the memory is lost;
 * {@link StaleExtents} are the opposite: locations that outputs have left.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class OutputCopies {
  private final Map<OutputId, Copy> copies = new LinkedHashMap<>(); // oldest first
  private final Map<Owner, Long> ownBytes = new HashMap<>(); // of users that have any
  private final OutputDirectory outputs;

  /**
   * Without any.
   *
   * @param outputs is told whether an output has a copy, when that changes
   */
  OutputCopies(OutputDirectory outputs) {
    this.outputs = outputs;
  }

  /**
   * One of them.
   *
   * @param output the same one, there
   * @param own extents that are not the output's as well: what it has on disk is part of both
   */
  record Copy(CommittedOutput output, List<Extent> own) {
    static Copy of(CommittedOutput copy, CommittedOutput output) {
      return new Copy(copy, copy.location().extentsBeside(output.location()));
    }

    Owner owner() {
      return output.location().tail().owner();
    }

    long ownBytes() {
      return own.stream().mapToLong(Extent::lengthBytes).sum();
    }
  }

  /** That of an output, which has none. */
  Copy add(CommittedOutput copy, CommittedOutput output) {
    Copy added = Copy.of(copy, output);
    Copy former = copies.put(copy.id(), added);
    if (former != null) {
      throw new IllegalStateException(copy.id() + " has a copy already");
    }
    ownBytes.merge(added.owner(), added.ownBytes(), Long::sum);
    outputs.setCopied(copy.id(), true);
    return added;
  }

  boolean has(OutputId id) {
    return copies.containsKey(id);
  }

  Optional<Copy> find(OutputId id) {
    return Optional.ofNullable(copies.get(id));
  }

  /** Forgets the copy of an output; the caller uses its location, or gives that back. */
  Optional<Copy> take(OutputId id) {
    Copy copy = copies.remove(id);
    if (copy == null) {
      return Optional.empty();
    }
    if (ownBytes.merge(copy.owner(), -copy.ownBytes(), Long::sum) == 0) {
      ownBytes.remove(copy.owner());
    }
    outputs.setCopied(id, false);
    return Optional.of(copy);
  }

  /** The oldest of such, whose room somebody needs. */
  Optional<Copy> takeOldest(Predicate<Copy> wanted) {
    Optional<Copy> oldest = copies.values().stream().filter(wanted).findFirst();
    oldest.ifPresent(copy -> take(copy.output().id()));
    return oldest;
  }

  int size() {
    return copies.size();
  }

  /** Of the disk tier, by them alone. */
  long bytes() {
    return ownBytes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Of these, by those of one user's outputs. */
  long bytes(Owner owner) {
    return ownBytes.getOrDefault(owner, 0L);
  }
}
