package io.sluice.bench.codecs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.Variant;
import io.sluice.bench.codecs.CodecsBench.BenchCodec;
import io.sluice.bench.codecs.RunsMerge.RecordsDigest;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a merge took, and of what.
 *
 * @param wallMs time, from opening the runs to closing them
 * @param cpuMs processor time of the whole process meanwhile, its collector and compilers too
 * @param rawBytes of the runs before they are compressed
 * @param storedBytes of the runs as they are read
 * @param chunkBytes raw bytes of their chunks; 0 if each is one stream, or not compressed
 * @param rewrittenRecords that were written by merges before the last one, and read again
 * @param output what came out
 */
record MergeCost(
    double wallMs,
    double cpuMs,
    long rawBytes,
    long storedBytes,
    int chunkBytes,
    long rewrittenRecords,
    RecordsDigest.Sum output) {

  /**
   * A merge to be measured.
   *
   * @param variant who merges
   * @param codec of the runs
   * @param maps how many runs there are, one of each map
   * @param records of all runs together
   */
  record MergeTask(MergeVariant variant, BenchCodec codec, int maps, long records) {}

  /** What {@link #write} has written. */
  static MergeCost read(Path file) throws IOException {
    return new ObjectMapper().readValue(file.toFile(), MergeCost.class);
  }

  void write(Path file) throws IOException {
    new ObjectMapper().writeValue(file.toFile(), this);
  }

  /** Who merges the runs. */
  public enum MergeVariant implements Variant {
    /** Stock's Merger with its default {@code mapreduce.task.io.sort.factor}. */
    STOCK_10("stock, factor 10", 10),
    /** The same as it is tuned for large jobs. */
    STOCK_100("stock, factor 100", 100),
    /** As many runs at once as the memory of a task allows. */
    SLUICE("Sluice", 0);

    private final String title;
    private final int factor;

    MergeVariant(String title, int factor) {
      this.title = title;
      this.factor = factor;
    }

    @Override
    public String title() {
      return title;
    }

    /** Most runs that stock merges at once; 0 for Sluice. */
    int factor() {
      return factor;
    }
  }
}
