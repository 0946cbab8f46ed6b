package io.sluice.bench.codecs;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import io.sluice.bench.codecs.CodecsBench.BenchCodec;
import io.sluice.bench.codecs.MergeCost.MergeTask;
import io.sluice.bench.codecs.MergeCost.MergeVariant;
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
}
