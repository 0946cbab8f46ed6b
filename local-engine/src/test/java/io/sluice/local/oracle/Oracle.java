package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.ComparedCounters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Runs a job with stock's LocalJobRunner, which says what is right, and with this engine.
 *
 * <p>Thread contract: one thread. Ownership: outputs are deleted once they are read.
 */
final class Oracle {
  /** All there are. */
  static final List<String> EXCHANGES = List.of("pull", "push", "hybrid");

  static final int MEMORY_MB = 512;
  private static final int POLL_MS = 5;
  private static final int REPORT_MS = 50;

  private final Path directory;
  private final Configuration conf = new Configuration();
  private int runs;

  /** Makes a job, but for its output's directory. */
  interface Program {
    /** With a copy of these settings. */
    Job job(Configuration settings) throws Exception;
  }

  /** A job that has ended, and its output by file. */
  record Ran(Job job, TreeMap<String, String> output) {}

  Oracle(Path directory) {
    this.directory = directory;
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.setInt("mapreduce.task.io.sort.mb", 4);
    conf.setInt("sluice.local.memory-mb", MEMORY_MB);
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, POLL_MS);
  }

  /** Of all jobs from now on. */
  Configuration conf() {
    return conf;
  }

  /** Asks stock, which must succeed. */
  Ran stock(Program program) throws Exception {
    Configuration own = new Configuration(conf);
    own.set("mapreduce.framework.name", "local");
    return Stock.ask(() -> succeeded(run(program.job(new Configuration(own)))));
  }

  /** Settings of this engine's. */
  static void oursIn(Configuration settings, String exchange) {
    settings.set("mapreduce.framework.name", "sluice");
    settings.set("sluice.local.exchange", exchange);
    if (exchange.equals("push")) {
      settings.set("sluice.local.isolation", "none"); // or it would be hybrid
    }
    // So often the reporting threads of failed attempts look whether they should end.
    settings.setInt(MRJobConfig.TASK_PROGRESS_REPORT_INTERVAL, REPORT_MS);
  }

  /** The job as this engine is to run it. */
  Job ours(Program program, String exchange, int threads) throws Exception {
    Configuration own = new Configuration(conf);
    oursIn(own, exchange);
    own.setInt("sluice.local.map-threads", threads);
    own.setInt("sluice.local.reduce-threads", threads);
    own.setInt("sluice.local.sort-threads", threads);
    return program.job(own);
  }

  /** Runs it, to whatever end. */
  Ran run(Job job) throws Exception {
    Path output = directory.resolve("output" + ++runs);
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(output.toUri()));
    job.waitForCompletion(false);
    return new Ran(job, taken(output));
  }

  /** The same, which must end well. */
  Ran succeeded(Ran ran) throws Exception {
    assertTrue(ran.job.isSuccessful(), () -> failure(ran.job));
    return ran;
  }

  static String failure(Job job) {
    try {
      return String.valueOf(job.getStatus().getFailureInfo());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Fails unless this engine does what stock has done. */
  void sameAs(Ran stock, Program program, String exchange, int threads) throws Exception {
    Job job = ours(program, exchange, threads);
    same(stock, succeeded(run(job)), exchange + ", " + threads + " threads");
  }

  /** Fails unless both have the same output and counters. */
  static void same(Ran stock, Ran ours, String how) throws Exception {
    assertEquals(stock.output, ours.output, how);
    Configuration settings = ours.job.getConfiguration();
    boolean combines =
        settings.get("mapreduce.job.combine.class") != null
            || settings.get("mapred.combiner.class") != null;
    boolean combinesMaps = combines && !"pull".equals(settings.get("sluice.local.exchange"));
    TreeMap<String, Long> expected = ComparedCounters.of(stock.job, combinesMaps);
    TreeMap<String, Long> counted = ComparedCounters.of(ours.job, combinesMaps);
    for (String name : List.copyOf(counted.keySet())) {
      if (counted.get(name).equals(expected.get(name))) { // what differs is short to read
        counted.remove(name);
        expected.remove(name);
      }
    }
    assertEquals(expected, counted, how);
  }

  /** In all exchanges. */
  void sameAsStock(Program program, int threads) throws Exception {
    sameAsStock(program, EXCHANGES, threads);
  }

  /** In these exchanges. */
  void sameAsStock(Program program, List<String> exchanges, int threads) throws Exception {
    Ran stock = stock(program);
    for (String exchange : exchanges) {
      sameAs(stock, program, exchange, threads);
    }
  }

  private static TreeMap<String, String> taken(Path output) throws IOException {
    TreeMap<String, String> all = new TreeMap<>();
    if (Files.exists(output)) {
      try (Stream<Path> files = Files.walk(output)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          String name = output.relativize(file).toString();
          if (!name.endsWith(".crc")) {
            all.put(name, Files.readString(file, StandardCharsets.ISO_8859_1));
          }
          Files.delete(file);
        }
      }
    }
    return all;
  }
}
