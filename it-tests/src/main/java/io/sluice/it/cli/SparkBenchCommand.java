package io.sluice.it.cli;

import io.sluice.bench.spark.SparkBench;
import io.sluice.bench.spark.SparkVariant;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.peer.PeerInstallations;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench spark}. */
@Command(name = "spark", description = "Measures shuffles in Spark: stock and Sluice run in turn.")
final class SparkBenchCommand extends MeasuringCommand {
  @Option(
      names = "--rows",
      paramLabel = "COUNT",
      defaultValue = "10000000",
      description = "Rows of every shuffle (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--on-tmpfs",
      description =
          "Compare Sluice only with stock whose local directories are on tmpfs. This takes half of the time.")
  private boolean onTmpfs;

  @Option(
      names = "--encrypted",
      description =
          "Compare Sluice and stock, with local directories on tmpfs, without and with"
              + " spark.network.crypto.enabled.")
  private boolean encrypted;

  @Option(
      names = "--peers",
      paramLabel = "DIR",
      description =
          "Measure Apache Celeborn and Apache Uniffle too, if they are unpacked in this directory or"
              + " below it, with their clients for this Spark.")
  private Path peersDirectory;

  @Override
  void run(Workspace workspace, Console console, int rounds, ResultFiles results) {
    if (onTmpfs && encrypted) {
      throw refusal("--encrypted is on tmpfs already");
    }
    if (encrypted && peersDirectory != null) {
      throw refusal("peers are measured without --encrypted");
    }
    SparkDistribution spark = SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
    Optional<PeerInstallations> peers =
        Optional.ofNullable(peersDirectory)
            .map(directory -> PeerInstallations.in(directory, spark));
    List<SparkVariant> variants = SparkVariant.ALL;
    String name = "bench-spark";
    if (encrypted) {
      variants = SparkVariant.ENCRYPTED;
      name = "bench-spark-encrypted";
    } else if (onTmpfs) {
      variants = SparkVariant.ON_TMPFS;
      name = "bench-spark-tmpfs";
    }
    if (peers.isPresent()) {
      variants = SparkVariant.beside(variants, peers.get().peers());
      name += "-peers";
    }
    new SparkBench(workspace, console, spark, rows, true, variants, peers)
        .run(rounds, results, name);
  }
}
