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
 * Locates the outputs that a task will read in the pool of its node, many with one request. Spark
 * asks for local blocks one by one, and locating one small block takes longer than reading it.
 * Remote blocks need no such class, because Spark asks for them in batches; local ones keep it,
 * since Spark counts and limits remote blocks in another way.
 *
 * <p>Thread contract: safe from any thread. Failure: if one of the outputs of a request cannot be
 * located, none of them is located here. Each is then located alone, and fails alone.
 *
 * @param <R> a run that was located; before it is read, it holds nothing but bytes that came with
 *     the answer
 */
final class LocatePrefetch<R> {
  /** Most runs of one request, if each output has one run per partition. */
  static final int MOST_AT_A_TIME = 4096;

  private final PartitionRange partitions;
  private final ToIntFunction<R> partitionOf;
  private final Locator<R> locator;
  private final Set<String> unasked; // in the order of reading
  private final Map<String, Untaken<R>> untaken = new HashMap<>();
  private boolean hasAsked;

  /** Locates outputs; those that are not in the pool are absent in the answer. */
  interface Locator<R> {
    /**
     * Locates them.
     *
     * @param isFirst whether the answer may bring bytes. Spark has all local blocks located before
     *     it reads the first, so all those bytes would be held at once, and nothing counts them
     */
    Map<String, List<R>> locate(PartitionRange partitions, List<String> outputs, boolean isFirst)
        throws IOException;
  }

  /**
   * Asks nothing yet.
   *
   * @param outputs about in the order in which the task will read them
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
   * Some partitions of an output: all of them or none, and each only once. Empty if the task has
   * not announced them, if one of them was taken before, or if they were not located.
   *
   * @throws InterruptedIOException if the task is being killed
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
   * The runs of an output that were not taken yet.
   *
   * @param first the first partition
   * @param runs by partition
   * @param taken the partitions that were taken, counted from the first
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

  /** Locates an output, and those that follow it. */
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
      untaken.keySet().removeAll(asked); // one of them failed, so each is located alone
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

  /** Whether all announced outputs were taken. */
  synchronized boolean isTaken() {
    return unasked.isEmpty() && untaken.isEmpty();
  }
}
