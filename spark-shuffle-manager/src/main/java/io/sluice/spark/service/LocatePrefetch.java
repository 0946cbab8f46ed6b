package io.sluice.spark.service;

import io.sluice.node.remote.PartitionRange;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * What a task is about to read in the pool of its node, located for many outputs at a time: Spark
 * wants local blocks one by one, and where they are small, asking for one takes longer than reading
 * it.
 *
 * <p>Thread contract: safe from any thread. Failure: outputs that cannot be located together are
 * not located here; whoever wants one of them asks for it alone, and has its failure alone.
 *
 * @param <R> a run that was located, which holds nothing before it is read but bytes that came
 *     along
 */
final class LocatePrefetch<R> {
  /** Runs that are located at a time if each output has one for each partition. */
  static final int MOST_AT_A_TIME = 4096;

  private final PartitionRange partitions;
  private final ToIntFunction<R> partitionOf;
  private final Locator<R> locator;
  private final Set<String> unasked; // in the order in which they are wanted
  private final Map<String, Untaken<R>> untaken = new HashMap<>();
  private boolean hasAsked;

  /** Asks for outputs; those that are not there are absent in the answer. */
  interface Locator<R> {
    /**
     * Locates them.
     *
     * @param isFirst whether bytes may come along: Spark has all local blocks located before it
     *     reads the first, so that those of all would be held at once, and nobody counts them
     */
    Map<String, List<R>> locate(PartitionRange partitions, List<String> outputs, boolean isFirst)
        throws IOException;
  }

  /**
   * Asks nothing yet.
   *
   * @param outputs about in the order in which they are wanted
   */
  LocatePrefetch(
      PartitionRange partitions,
      Collection<String> outputs,
      ToIntFunction<R> partitionOf,
      Locator<R> locator) {
    this.partitions = partitions;
    this.partitionOf = partitionOf;
    this.locator = locator;
    this.unasked = new LinkedHashSet<>(outputs);
  }

  /**
   * Some partitions of an output, all of them or none, and each once; empty if they are not among
   * what the task is about to read, if one of them has been taken, or if they were not located.
   *
   * @throws InterruptedIOException if the task is to end
   */
  synchronized Optional<List<R>> take(String output, PartitionRange wanted)
      throws InterruptedIOException {
    if (wanted.first() < partitions.first() || wanted.end() > partitions.end()) {
      return Optional.empty();
    }
    if (unasked.contains(output)) {
      ask(output);
    }
    Untaken<R> left = untaken.get(output);
    if (left == null || !left.isWhole(wanted)) {
      return Optional.empty();
    }
    List<R> taken = left.take(wanted);
    if (left.runs().isEmpty()) {
      untaken.remove(output);
    }
    return taken.isEmpty() ? Optional.empty() : Optional.of(taken);
  }

  /**
   * What is left of an output.
   *
   * @param first the first partition
   * @param runs by partition
   * @param taken partitions that have been taken, counted from the first: their runs are gone
   */
  private record Untaken<R>(int first, NavigableMap<Integer, List<R>> runs, BitSet taken) {
    Untaken(int first) {
      this(first, new TreeMap<>(), new BitSet());
    }

    boolean isWhole(PartitionRange wanted) {
      int next = taken.nextSetBit(wanted.first() - first);
      return next < 0 || next >= wanted.end() - first;
    }

    List<R> take(PartitionRange wanted) {
      List<R> found = new ArrayList<>();
      Map<Integer, List<R>> some = runs.subMap(wanted.first(), wanted.end());
      some.values().forEach(found::addAll);
      some.clear();
      taken.set(wanted.first() - first, wanted.end() - first);
      return found;
    }
  }

  /** Locates an output, and those that are wanted behind it. */
  private void ask(String output) throws InterruptedIOException {
    int most = Math.max(1, MOST_AT_A_TIME / partitions.count());
    List<String> asked = new ArrayList<>(Math.min(most, unasked.size()));
    asked.add(output);
    for (String other : unasked) {
      if (asked.size() == most) {
        break;
      }
      if (!other.equals(output)) {
        asked.add(other);
      }
    }
    boolean isFirst = !hasAsked;
    hasAsked = true;
    asked.forEach(unasked::remove);
    try {
      locator.locate(partitions, asked, isFirst).forEach(this::keep);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      untaken.keySet().removeAll(asked); // one of them has failed: each is asked for alone
    }
  }

  private void keep(String output, List<R> runs) {
    Untaken<R> left = new Untaken<>(partitions.first());
    for (R run : runs) {
      left.runs()
          .computeIfAbsent(partitionOf.applyAsInt(run), partition -> new ArrayList<>(1))
          .add(run);
    }
    if (!runs.isEmpty()) {
      untaken.put(output, left);
    }
  }

  /** Whether nothing is left to be taken. */
  synchronized boolean isTaken() {
    return unasked.isEmpty() && untaken.isEmpty();
  }
}
