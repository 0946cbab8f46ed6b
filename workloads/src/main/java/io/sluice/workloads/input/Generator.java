package io.sluice.workloads.input;

import io.sluice.workloads.run.Program;
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
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A program that writes records into files of about the same number of records. Each record has its
 * own random, made of the seed and the record's number. So all files together hold the same records
 * with any number of files and threads.
 *
 * <p>Thread contract: that of {@link Program}; {@link #write} has threads of its own, as many as
 * there are processors, and ends them.
 */
abstract class Generator extends Program {
  private static final String SEED = "workloads.generate.seed";
  private static final String FILES = "workloads.generate.files";
  private static final int BUFFER_BYTES = 1 << 16;

  /** A program whose first argument is the number of these. */
  Generator(String records) {
    super(records, "output");
  }

  /** Makes the records of an input. Thread contract: safe from any thread. */
  interface RecordMaker {
    /**
     * Appends the lines of one record, each with its end.
     *
     * @param number of the record in the whole input, from 0 on
     * @param random for this record alone
     */
    void make(long number, SplittableRandom random, StringBuilder lines);
  }

  /** Writes as many records as the first argument says to the directory of the second. */
  final void write(String[] arguments, RecordMaker maker) throws IOException, InterruptedException {
    write(new Path(arguments[1]), Long.parseLong(arguments[0]), maker);
  }

  /**
   * Writes all records.
   *
   * @param directory new, or without files of these names
   */
  final void write(Path directory, long records, RecordMaker maker)
      throws IOException, InterruptedException {
    FileSystem system = directory.getFileSystem(getConf());
    int files = getConf().getInt(FILES, 4);
    // Mixed, because the records of seed n+1 would else be those of seed n, shifted.
    long base = new SplittableRandom(getConf().getLong(SEED, 1)).nextLong();
    List<Callable<Void>> all = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      Path path = new Path(directory, String.format("part-%05d", file));
      long from = records * file / files;
      long to = records * (file + 1) / files;
      all.add(
          () -> {
            write(system.create(path, false), base, from, to, maker);
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

  private static void write(OutputStream file, long base, long from, long to, RecordMaker maker)
      throws IOException {
    StringBuilder lines = new StringBuilder();
    try (OutputStream out = new BufferedOutputStream(file, BUFFER_BYTES)) {
      for (long number = from; number < to; number++) {
        lines.setLength(0);
        maker.make(number, new SplittableRandom(base + number), lines);
        out.write(lines.toString().getBytes(StandardCharsets.US_ASCII));
      }
    }
  }

  /** Appends a number with leading zeroes, so that texts are in the order of their numbers. */
  static StringBuilder appendPadded(StringBuilder lines, long number, int digits) {
    String text = Long.toString(number);
    return lines.append("0".repeat(Math.max(0, digits - text.length()))).append(text);
  }
}
