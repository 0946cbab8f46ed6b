package io.sluice.mapreduce.reduce;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.merge.KWayMerge;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Merges the runs of a reducer while further runs arrive. Rounds begin as soon as it is clear that
 * the last merge cannot take all runs. It differs from {@link ReduceMerge}, which needs all runs at
 * its start.
 *
 * <p>Before the last run has arrived, no record is merged twice, because the second time might be
 * unnecessary.
 *
 * <p>Thread contract: one thread. Ownership: owns the runs, and closes those that it has not handed
 * to the last merge. Failure: that of {@link ReduceMerge}; the caller closes it then.
 */
public final class GrowingMerge implements Closeable {
  private final ReduceMerge merge;
  private final List<Fresh> fresh = new ArrayList<>();
  private final List<MergeRun> merged = new ArrayList<>();
  private int outputs;
  private long runs;

  /** A run that was not merged yet. */
  private record Fresh(int output, MergeRun run) {}

  /**
   * Begins without runs.
   *
   * @param merge does the rounds and the last merge
   */
  public GrowingMerge(ReduceMerge merge) {
    this.merge = merge;
  }

  /**
   * Adds the runs of one map output.
   *
   * @param output its number; without rounds, records with equal keys come in the order of these
   *     numbers
   */
  public void add(int output, List<? extends MergeRun> of) {
    outputs++;
    runs += of.size();
    for (MergeRun run : of) {
      fresh.add(new Fresh(output, run));
      merge.expect(run);
    }
  }

  /**
   * Merges one round if one is due.
   *
   * @param moreOutputs number of outputs still to come, each with the mean number of runs so far
   * @return whether a round was merged
   */
  public boolean mergeRound(int moreOutputs) throws IOException {
    if (fresh.size() < merge.leastFanIn()) {
      return false; // avoids computing over all runs
    }
    int fanIn = merge.fanIn(all());
    long more = outputs == 0 ? 0 : runs * moreOutputs / outputs;
    long size = Math.min(fanIn, fresh.size() + merged.size() + more - fanIn + 1);
    if (fresh.size() < fanIn || size < 2) {
      return false;
    }
    List<MergeRun> runs = fresh.stream().map(Fresh::run).toList();
    boolean streamsFirst = merge.isHeldUpByStreams(runs);
    if (streamsFirst) {
      size = Math.min(fanIn, runs.stream().filter(MergeRun::isStream).count());
    } else if (size < fanIn / 2) {
      return false; // a small round waits for the end, when the shortest runs are known
    }
    fresh.sort(
        Comparator.<Fresh, Boolean>comparing(each -> streamsFirst && !each.run().isStream())
            .thenComparingLong(each -> each.run().lengthBytes()));
    List<Fresh> first = fresh.subList(0, (int) size);
    List<MergeRun> taken = first.stream().map(Fresh::run).toList();
    first.clear();
    merged.add(merge.mergeRound(taken));
    return true;
  }

  /** Starts the last merge, when all runs have arrived. */
  public KWayMerge last() throws IOException {
    fresh.sort(Comparator.comparingInt(Fresh::output));
    return merge.merge(takeAll());
  }

  private List<MergeRun> all() {
    List<MergeRun> all = new ArrayList<>(fresh.stream().map(Fresh::run).toList());
    all.addAll(merged);
    return all;
  }

  private List<MergeRun> takeAll() {
    List<MergeRun> all = all();
    fresh.clear();
    merged.clear();
    return all;
  }

  /** The number of rounds before the last merge. */
  public int rounds() {
    return merge.rounds();
  }

  /** The number of records that rounds have written. */
  public long roundRecords() {
    return merge.roundRecords();
  }

  @Override
  public void close() throws IOException {
    Closer.all(takeAll());
  }
}
