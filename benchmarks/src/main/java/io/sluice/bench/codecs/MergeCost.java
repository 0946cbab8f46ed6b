package io.sluice.bench.codecs;

import com.fasterxml.jackson.databind.ObjectMapper;
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
}
