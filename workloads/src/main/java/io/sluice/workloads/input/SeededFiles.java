package io.sluice.workloads.input;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Records in files of about the same number of them. Each has its own random, of the seed and its
 * number: what all files hold together depends on neither their number nor the threads.
 *
 * <p>Thread contract: immutable; {@link #write} has threads of its own, as many as there are
 * processors, and ends them.
 */
final class SeededFiles {
  private static final String SEED = "workloads.generate.seed";
  private static final String FILES = "workloads.generate.files";
  private static final int BUFFER_BYTES = 1 << 16;

  private final Configuration conf;
  private final int files;
  private final long base;

  /** With the seed and the number of files that are configured. */
  SeededFiles(Configuration conf) {
    this.conf = conf;
    this.files = conf.getInt(FILES, 4);
    // Mixed, because the records of seed n+1 would else be those of seed n, shifted.
    this.base = new SplittableRandom(conf.getLong(SEED, 1)).nextLong();
  }

  /**
   * Writes them all.
   *
   * @param directory new, or without files of these names
   */
  void write(Path directory, long records, RecordMaker maker)
      throws IOException, InterruptedException {
    FileSystem system = directory.getFileSystem(conf);
    List<Callable<Void>> all = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      Path path = new Path(directory, String.format("part-%05d", file));
      long from = records * file / files;
      long to = records * (file + 1) / files;
      all.add(
          () -> {
            write(system.create(path, false), from, to, maker);
            return null;
          });
    }
    ExecutorService threads =
        Executors.newFixedThreadPool(Math.min(files, Runtime.getRuntime().availableProcessors()));
    try {
      for (Future<Void> written : threads.invokeAll(all)) {
        written.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("cannot write " + directory, e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private void write(OutputStream file, long from, long to, RecordMaker maker) throws IOException {
    StringBuilder lines = new StringBuilder();
    try (OutputStream out = new BufferedOutputStream(file, BUFFER_BYTES)) {
      for (long number = from; number < to; number++) {
        lines.setLength(0);
        maker.make(number, new SplittableRandom(base + number), lines);
        out.write(lines.toString().getBytes(StandardCharsets.US_ASCII));
      }
    }
  }

  /** Makes the records of an input. Thread contract: safe from any thread. */
  interface RecordMaker {
    /**
     * Writes the lines of one record, each with its end.
     *
     * @param number of it in the whole input, from 0 on
     * @param random for this record alone
     */
    void make(long number, SplittableRandom random, StringBuilder lines);
  }
}
