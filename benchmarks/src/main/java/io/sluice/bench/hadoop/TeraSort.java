package io.sluice.bench.hadoop;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.job.RunningJob.JobResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Hadoop's own TeraGen, TeraSort and TeraValidate over one data set.
 *
 * <p>Input and validation always run on stock's shuffle, so they judge the sort from outside. Not
 * thread-safe. A job that fails or an output that is not the sorted input is a {@link
 * ClusterException}.
 */
public final class TeraSort {
  private static final int ROW_LENGTH_BYTES = 100;
  private static final int GENERATOR_MAPS = 2;
  private static final int REDUCES = 2;
  private static final long BLOCK_LENGTH_BYTES = 128L << 20;

  private final PseudoCluster cluster;
  private final String directory;
  private final long rows;
  private String checksum;

  /**
   * Prepares a data set; nothing runs yet.
   *
   * @param cluster where to run
   * @param directory the directory for input and outputs
   * @param sizeBytes size of the input
   */
  public TeraSort(PseudoCluster cluster, String directory, long sizeBytes) {
    this.cluster = cluster;
    this.directory = directory;
    this.rows = sizeBytes / ROW_LENGTH_BYTES;
  }

  /** Makes the input and keeps the checksum TeraGen counted over its records. */
  public String generate(JobProgress progress) {
    JobSpec spec =
        example("TeraGen", "teragen", Long.toString(rows), input())
            .with(HadoopVariant.STOCK.settings())
            .with("mapreduce.job.maps", GENERATOR_MAPS)
            .with("dfs.blocksize", BLOCK_LENGTH_BYTES);
    JobResult result = RunningJob.run(cluster, spec, progress).requireSuccess();
    long sum =
        JobHistory.of(cluster)
            .counters(result.jobId())
            .require("org.apache.hadoop.examples.terasort.TeraGen$Counters", "CHECKSUM");
    checksum = Long.toHexString(sum);
    return checksum;
  }

  /** Sorts the input and tells what that cost; an earlier output of the variant is replaced. */
  public JobCosts sort(HadoopVariant variant, Map<String, String> settings, JobProgress progress) {
    JobSpec spec = sorting(variant).with(settings);
    return JobCosts.of(cluster, RunningJob.run(cluster, spec, progress).requireSuccess());
  }

  /** The same, and what the host did meanwhile, from the end of all that ran before. */
  JobCosts measure(HadoopVariant variant, JobProgress progress) {
    return JobCosts.measure(cluster, sorting(variant), progress);
  }

  private JobSpec sorting(HadoopVariant variant) {
    cluster.fileSystem().delete(output(variant));
    return example("TeraSort, " + variant.title(), "terasort", input(), output(variant))
        .with("mapreduce.job.reduces", REDUCES)
        .with(variant.settings(cluster));
  }

  /** Checks that a variant's output is sorted and holds exactly the records of the input. */
  public String validate(HadoopVariant variant, JobProgress progress) {
    String report = directory + "/report-" + variant;
    cluster.fileSystem().delete(report);
    JobSpec spec =
        example("TeraValidate, " + variant.title(), "teravalidate", output(variant), report)
            .with(HadoopVariant.STOCK.settings());
    RunningJob.run(cluster, spec, progress).requireSuccess();
    String found = text(report);
    String expected = "checksum\t" + checksum + "\n";
    if (!found.equals(expected)) {
      throw new ClusterException(
          "TeraSort, %s: TeraValidate's report on %s should be \"%s\" (TeraGen's checksum) and is \"%s\""
              .formatted(variant.title(), output(variant), expected.strip(), found.strip()));
    }
    return checksum;
  }

  /** A digest of each part of a variant's output. */
  List<String> digests(HadoopVariant variant) {
    return OutputDigest.of(cluster.fileSystem(), output(variant), true);
  }

  private JobSpec example(String name, String program, String... arguments) {
    return JobSpec.example(cluster.spec().distribution(), name, program, arguments);
  }

  private String text(String output) {
    StringBuilder text = new StringBuilder();
    List<String> parts = cluster.fileSystem().partFiles(output);
    for (String part : parts) {
      try (InputStream in = cluster.fileSystem().open(part)) {
        text.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + part, e);
      }
    }
    return text.toString();
  }

  /**
   * The directory of the input; a test with its own input puts it there instead of {@link
   * #generate}.
   */
  public String input() {
    return directory + "/input";
  }

  private String output(HadoopVariant variant) {
    return directory + "/sorted-" + variant;
  }
}
