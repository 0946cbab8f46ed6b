package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.rdma.memory.Closing;
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
  private final Merges merges;
  private final List<Fresh> fresh = new ArrayList<>();
  private final List<MergeRun> merged = new ArrayList<>();
  private int outputs;
  private long runs;
  private long recordBytes;
  private long leastBlocksBytes;
  private int rounds;
  private long roundRecords;

  /** Makes a merge. */
  @FunctionalInterface
  public interface Merges {
    /** For runs of which these are the means; see {@link MergeMemory#maxRuns}. */
    ReduceMerge of(long recordBytes, long leastBlockBytes);
  }

  /** A run that no round has merged. */
  private record Fresh(int output, MergeRun run) {}

  /**
   * With no run.
   *
   * @param merges makes a merge each time that there is something to merge
   */
  public GrowingMerge(Merges merges) {
    this.merges = merges;
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
      recordBytes = Math.max(recordBytes, run.meanRecordBytes());
      leastBlocksBytes += MergeMemory.leastBlockBytes(run.rawLengthBytes());
    }
  }

  /**
   * Merges one round if there is one to merge now.
   *
   * @param moreOutputs that are to come, each with as many runs as those before on average
   * @return whether it has
   */
  public boolean mergeRound(int moreOutputs) throws IOException {
    ReduceMerge merge = merges.of(recordBytes, leastBlocksBytes / Math.max(1, runs));
    int fanIn = merge.fanIn();
    long more = outputs == 0 ? 0 : runs * moreOutputs / outputs;
    long size = Math.min(fanIn, fresh.size() + merged.size() + more - fanIn + 1);
    // Few runs are left to the end, when it is known how few, and which are the shortest.
    if (fresh.size() < fanIn || size < Math.max(2, fanIn / 2)) {
      return false;
    }
    fresh.sort(Comparator.comparingLong(each -> each.run().lengthBytes()));
    List<Fresh> shortest = fresh.subList(0, (int) size);
    List<MergeRun> taken = shortest.stream().map(Fresh::run).toList();
    shortest.clear();
    merged.add(merge.mergeRound(taken));
    count(merge);
    return true;
  }

  /** The last merge, when all runs have come. */
  public KWayMerge last() throws IOException {
    fresh.sort(Comparator.comparingInt(Fresh::output));
    List<MergeRun> all = new ArrayList<>(fresh.stream().map(Fresh::run).toList());
    all.addAll(merged);
    long blocksBytes =
        all.stream().mapToLong(run -> MergeMemory.leastBlockBytes(run.rawLengthBytes())).sum();
    ReduceMerge merge = merges.of(recordBytes, blocksBytes / Math.max(1, all.size()));
    fresh.clear();
    merged.clear();
    KWayMerge last = merge.merge(all);
    count(merge);
    return last;
  }

  private void count(ReduceMerge merge) {
    rounds += merge.rounds();
    roundRecords += merge.roundRecords();
  }

  /** Rounds before the last merge. */
  public int rounds() {
    return rounds;
  }

  /** Records that those have put out. */
  public long roundRecords() {
    return roundRecords;
  }

  @Override
  public void close() throws IOException {
    List<MergeRun> closing = new ArrayList<>(fresh.stream().map(Fresh::run).toList());
    closing.addAll(merged);
    fresh.clear();
    merged.clear();
    Closing.all(closing);
  }
}
