package io.sluice.mapreduce.reduce;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Runs in the order of merging: the shortest first, whose blocks are, and of equal ones the
 * earlier. It takes a reference for each, since a reducer may have a million of them.
 *
 * <p>Thread contract: one thread. Ownership: the runs stay its owner's.
 */
final class WaitingRuns {
  private static final Comparator<MergeRun> LONGEST_FIRST =
      Comparator.comparingLong(MergeRun::leastBlockBytes)
          .thenComparingLong(MergeRun::lengthBytes)
          .reversed();

  private final List<MergeRun> longestFirst; // the latest of equal ones, too

  WaitingRuns(List<? extends MergeRun> runs) {
    longestFirst = new ArrayList<>(runs);
    Collections.reverse(longestFirst);
    longestFirst.sort(LONGEST_FIRST); // which leaves equal ones as they are
  }

  int size() {
    return longestFirst.size();
  }

  /** All of them. */
  List<MergeRun> all() {
    return Collections.unmodifiableList(longestFirst);
  }

  /** The least blocks of all of them, the longest first. */
  LongStream leastBlocksBytes() {
    return longestFirst.stream().mapToLong(MergeRun::leastBlockBytes);
  }

  /** Adds one behind its equals. */
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

  /** Takes the first so many. */
  List<MergeRun> take(int count) {
    List<MergeRun> first = longestFirst.subList(size() - count, size());
    List<MergeRun> taken = new ArrayList<>(first);
    Collections.reverse(taken);
    first.clear();
    return taken;
  }

  /** Takes the first so many of those that are one stream each. */
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
