package io.sluice.bench.hadoop;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobProgress;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import java.util.List;

/**
 * Hadoop's own WordCount, which has a combiner, over a text.
 *
 * <p>Its output is a function of the text and the number of reduces, so two variants agree exactly
 * when their part files are the same bytes. Not thread-safe.
 */
public final class WordCountJob {
  private static final int REDUCES = 2;
  private static final long BLOCK_LENGTH_BYTES = 16L << 20;

  private final PseudoCluster cluster;
  private final String directory;

  public WordCountJob(PseudoCluster cluster, String directory) {
    this.cluster = cluster;
    this.directory = directory;
  }

  public void upload(TextSource text) {
    cluster.fileSystem().upload(text.file(), directory + "/input", BLOCK_LENGTH_BYTES);
  }

  /** Counts the words and tells what that cost. */
  public JobCosts count(HadoopVariant variant, JobProgress progress) {
    cluster.fileSystem().delete(output(variant));
    JobSpec spec =
        JobSpec.example(
                cluster.spec().distribution(),
                "WordCount, " + variant.title(),
                "wordcount",
                directory + "/input",
                output(variant))
            .with("mapreduce.job.reduces", REDUCES)
            .with(variant.settings(cluster));
    return JobCosts.of(cluster, RunningJob.run(cluster, spec, progress).requireSuccess());
  }

  /** Checks that two variants wrote the same bytes into the same part files. */
  public void requireEqual(HadoopVariant one, HadoopVariant other) {
    List<String> first = digests(output(one));
    List<String> second = digests(output(other));
    if (!first.equals(second) || first.size() != REDUCES) {
      throw new ClusterException(
          "WordCount: the outputs of %s and %s differ; SHA-256 of their part files: %s and %s"
              .formatted(one.title(), other.title(), first, second));
    }
  }

  private List<String> digests(String output) {
    return OutputDigest.of(cluster.fileSystem(), output, true);
  }

  private String output(HadoopVariant variant) {
    return directory + "/counts-" + variant;
  }
}
