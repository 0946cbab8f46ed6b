package io.sluice.mapreduce.reduce;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Runs in the order of merging: those with the shortest block first, then the shortest, then the
 * earliest. It keeps one reference for each run, because a reducer may have a million.
 *
 * <p>Thread contract: one thread. Ownership: the caller owns the runs.
 */
final class WaitingRuns {
  private static final Comparator<MergeRun> LONGEST_FIRST =
      Comparator.comparingLong(MergeRun::leastBlockBytes)
          .thenComparingLong(MergeRun::lengthBytes)
          .reversed();

  private final List<MergeRun> longestFirst; // of equal runs, the latest first

  WaitingRuns(List<? extends MergeRun> runs) {
    longestFirst = new ArrayList<>(runs);
    Collections.reverse(longestFirst);
    longestFirst.sort(LONGEST_FIRST); // a stable sort
  }

  int size() {
    return longestFirst.size();
  }

  /** All of them. */
  List<MergeRun> all() {
    return Collections.unmodifiableList(longestFirst);
  }

  /** The least blocks of all runs, the longest first. */
  LongStream leastBlocksBytes() {
    return longestFirst.stream().mapToLong(MergeRun::leastBlockBytes);
  }

  /** Adds a run behind its equals. */
  void add(MergeRun run) {
    int low = 0;
    int high = longestFirst.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (LONGEST_FIRST.compare(longestFirst.get(middle), run) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    longestFirst.add(low, run);
  }

  /** Removes and returns the first {@code count} runs. */
  List<MergeRun> take(int count) {
    List<MergeRun> first = longestFirst.subList(size() - count, size());
    List<MergeRun> taken = new ArrayList<>(first);
    Collections.reverse(taken);
    first.clear();
    return taken;
  }

  /** Removes and returns the first {@code count} runs that are one stream each. */
  List<MergeRun> takeStreams(int count) {
    List<MergeRun> taken = new ArrayList<>(count);
    List<MergeRun> left = new ArrayList<>(size());
    for (int i = size() - 1; i >= 0; i--) {
      MergeRun run = longestFirst.get(i);
      (taken.size() < count && run.isStream() ? taken : left).add(run);
    }
    longestFirst.clear();
    longestFirst.addAll(left);
    Collections.reverse(longestFirst);
    return taken;
  }
}
