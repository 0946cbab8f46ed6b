package io.sluice.mapreduce.reduce;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.merge.KWayMerge;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Merges the runs of a reducer while further ones come: in rounds, as soon as it is clear that the
 * last merge could not take all of them. {@link ReduceMerge} needs all of them to begin with.
 *
 * <p>Only what no round has merged yet is merged before the last run has come, since who merges the
 * same record twice may do so in vain.
 *
 * <p>Thread contract: one thread. Ownership: takes the runs over, and closes what it has not given
 * to the last merge. Failure: that of a {@link ReduceMerge}; it is to be closed then.
 */
public final class GrowingMerge implements Closeable {
  private final ReduceMerge merge;
  private final List<Fresh> fresh = new ArrayList<>();
  private final List<MergeRun> merged = new ArrayList<>();
  private int outputs;
  private long runs;

  /** A run that no round has merged. */
  private record Fresh(int output, MergeRun run) {}

  /**
   * With no run.
   *
   * @param merge makes the rounds, and the last merge
   */
  public GrowingMerge(ReduceMerge merge) {
    this.merge = merge;
  }

  /**
   * Takes in the runs of one map output.
   *
   * @param output its number: of records with equal keys, those of the first output come first
   *     where there were no rounds
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
   * Merges one round if there is one to merge now.
   *
   * @param moreOutputs that are to come, each with as many runs as those before on average
   * @return whether it has
   */
  public boolean mergeRound(int moreOutputs) throws IOException {
    if (fresh.size() < merge.leastFanIn()) {
      return false; // without a look at each of them
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
      return false; // few are left to the end: it is known then how few, and the shortest
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

  /** The last merge, when all runs have come. */
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

  /** Rounds before the last merge. */
  public int rounds() {
    return merge.rounds();
  }

  /** Records that those have put out. */
  public long roundRecords() {
    return merge.roundRecords();
  }

  @Override
  public void close() throws IOException {
    Closer.all(takeAll());
  }
}
