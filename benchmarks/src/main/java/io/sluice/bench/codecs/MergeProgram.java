package io.sluice.bench.codecs;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import io.sluice.bench.Comparison.Variant;
import io.sluice.bench.codecs.MergeProgram.MergeCost.MergeTask;
import io.sluice.bench.codecs.MergeProgram.MergeCost.MergeVariant;
import io.sluice.bench.codecs.SortedRuns.RunsMerge;
import io.sluice.bench.codecs.SortedRuns.RunsMerge.RecordsDigest;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Makes runs and merges them in a process of its own, on stock's jars and Sluice's: one that merges
 * nothing else, as that of a reduce does not. The first {@value #WARM_UPS} merges count for
 * nothing, the next one is measured.
 *
 * <p>One thread. Failure: what a codec or a file throws, which ends the process.
 */
public final class MergeProgram {
  static final int WARM_UPS = 2;

  private MergeProgram() {}

  /**
   * Without further arguments it writes why each codec lacks its library, else what a merge took.
   *
   * @param arguments the file to write, then a directory for all other files, variant, codec, maps
   *     and records
   */
  public static void main(String[] arguments) throws IOException {
    Path result = Path.of(arguments[0]);
    if (arguments.length == 1) {
      new ObjectMapper().writeValue(result.toFile(), missing());
      return;
    }
    MergeTask task =
        new MergeTask(
            MergeVariant.valueOf(arguments[2]),
            BenchCodec.valueOf(arguments[3]),
            Integer.parseInt(arguments[4]),
            Long.parseLong(arguments[5]));
    measure(task, Path.of(arguments[1])).write(result);
  }

  /** Codecs that cannot be used here, each with the reason. */
  static Map<BenchCodec, String> missing() {
    Map<BenchCodec, String> reasons = new EnumMap<>(BenchCodec.class);
    for (BenchCodec codec : BenchCodec.values()) {
      if (codec == BenchCodec.NONE) {
        continue;
      }
      try (OutputStream out =
          open(codec, new JobConf(false)).createOutputStream(OutputStream.nullOutputStream())) {
        out.write(1);
      } catch (IOException | RuntimeException | LinkageError e) {
        reasons.put(codec, e.getMessage() == null ? e.toString() : e.getMessage());
      }
    }
    return reasons;
  }

  /** Null for none. */
  private static CompressionCodec open(BenchCodec codec, JobConf job) {
    return codec == BenchCodec.NONE
        ? null
        : (CompressionCodec)
            ReflectionUtils.newInstance(job.getClassByNameOrNull(codec.className()), job);
  }

  /** Does a task, with all its files below {@code directory}. */
  static MergeCost measure(MergeTask task, Path directory) throws IOException {
    JobConf job = new JobConf();
    job.setMapOutputKeyClass(Text.class);
    job.setInt(MRJobConfig.NUM_MAPS, task.maps());
    job.set(MRConfig.LOCAL_DIR, Files.createDirectories(directory.resolve("local")).toString());
    CompressionCodec codec = open(task.codec(), job);
    RunsMerge runs =
        task.variant() == MergeVariant.SLUICE
            ? new SluiceMerge(job, codec)
            : new StockMerge(job, codec, task.variant().factor(), directory.resolve("runs"));
    new SortedRuns().make(task.maps(), task.records(), runs);
    for (int i = 0; i < WARM_UPS; i++) {
      runs.merge();
    }
    System.gc(); // what was made before is not this merge's
    return measure(runs, task.records());
  }

  private static MergeCost measure(RunsMerge runs, long records) throws IOException {
    var process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpuStartNs = process.getProcessCpuTime();
    long startNs = System.nanoTime();
    RunsMerge.Outcome outcome = runs.merge();
    double wallMs = (System.nanoTime() - startNs) / 1e6;
    double cpuMs = (process.getProcessCpuTime() - cpuStartNs) / 1e6;
    if (outcome.output().records() != records) {
      throw new IOException(
          "a merge put out " + outcome.output().records() + " records, expected " + records);
    }
    return new MergeCost(
        wallMs,
        cpuMs,
        runs.rawBytes(),
        runs.storedBytes(),
        runs.chunkBytes(),
        outcome.rewrittenRecords(),
        outcome.output());
  }

  /**
   * The costs of a merge, and the sizes of its input.
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
     * @param variant that merges
     * @param codec of the runs
     * @param maps how many runs there are, one of each map
     * @param records of all runs together
     */
    record MergeTask(MergeVariant variant, BenchCodec codec, int maps, long records) {}

    /** Reads a file of {@link #write}. */
    static MergeCost read(Path file) throws IOException {
      return new ObjectMapper().readValue(file.toFile(), MergeCost.class);
    }

    void write(Path file) throws IOException {
      new ObjectMapper().writeValue(file.toFile(), this);
    }

    /** The merge that is measured. */
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

  /** The codec of runs. Hadoop's classes have names only: the command line has none of them. */
  public enum BenchCodec {
    /** Not at all. */
    NONE("none", ""),
    SNAPPY("Snappy", "SnappyCodec"),
    LZ4("LZ4", "Lz4Codec"),
    /** Without Hadoop's native library, by that of the JDK. */
    ZLIB("zlib", "DefaultCodec"),
    /** Hadoop has only a native implementation. */
    ZSTANDARD("Zstandard", "ZStandardCodec");

    private final String title;
    private final String simpleName;

    BenchCodec(String title, String simpleName) {
      this.title = title;
      this.simpleName = simpleName;
    }

    /** As people read it. */
    String title() {
      return title;
    }

    /** Hadoop's class; empty for none. */
    String className() {
      return simpleName.isEmpty() ? "" : "org.apache.hadoop.io.compress." + simpleName;
    }
  }

  /** Does the merges that are measured. One thread. */
  interface MergeRunner {
    /** Codecs that lack their library here, each with the reason. */
    Map<BenchCodec, String> missing();

    /** Makes the runs, merges them, and leaves nothing behind. */
    MergeCost run(MergeTask task);
  }
}
