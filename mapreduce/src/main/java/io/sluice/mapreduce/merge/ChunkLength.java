package io.sluice.mapreduce.merge;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.RawLengths;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * How many raw bytes the chunks that a map writes have. Where a merge has room for a stream of each
 * run there are none: a stream compresses best. Of chunks, long ones compress better, but each run
 * of a merge needs a block to parse in that takes a whole one. So they are as long as leaves a
 * merge room for {@value #RUNS_OF_A_MAP} runs of each map.
 *
 * <p>{@code mapreduce.job.maps} says how many maps there are, if nobody has changed what the client
 * set when it submitted the job: a final value in a file of the node may have, or an input format.
 * So a reduce does not ask it: each run tells how long its chunks are. A number that is not the
 * job's makes them compress less well, or lets a merge take fewer runs at once.
 */
public final class ChunkLength {
  /** What fits into the least block that a merge parses in. */
  public static final int LEAST_BYTES = BlockChecksums.BLOCK_BYTES;

  public static final int MOST_BYTES = RawLengths.MOST_CHUNK_BYTES;

  private static final int RUNS_OF_A_MAP = 4;

  /** The part of a merge's blocks that a chunk of each map may take together. */
  private static final int SHARE = RUNS_OF_A_MAP + 1; // beside what a block has besides

  private ChunkLength() {}

  /**
   * That of the runs that a map of {@code job} writes; 0: each is one stream.
   *
   * @param mostStreams how many a merge has room for
   * @param blocksBytes that its blocks may take
   */
  static int of(Configuration job, long mostStreams, long blocksBytes) {
    int maps = maps(job);
    if (maps > 0 && (long) RUNS_OF_A_MAP * maps <= mostStreams) {
      return 0;
    }
    long shareBytes = maps <= 0 ? 0 : blocksBytes / SHARE / maps;
    return (int) Math.max(LEAST_BYTES, Math.min(MOST_BYTES, Long.highestOneBit(shareBytes)));
  }

  /** As many as the client's submission has counted; 0 if that is not known. */
  private static int maps(Configuration job) {
    try {
      return job.getInt(MRJobConfig.NUM_MAPS, 0);
    } catch (NumberFormatException e) { // a map of stock's does not read it
      return 0;
    }
  }
}
