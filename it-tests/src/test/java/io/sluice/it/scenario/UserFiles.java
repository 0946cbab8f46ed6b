package io.sluice.it.scenario;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClientWithJar;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.jobs.ScenarioJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A user's files of a cluster, whose names are in a directory of this machine: what its owner lets
 * others do there, the kernel decides for their containers. Clients are who starts the cluster.
 *
 * <p>Not thread-safe.
 */
final class UserFiles {
  private static final String ROOT = "sluice.cluster.root";
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final String WRITTEN = "sluice://cluster/records";

  private final PseudoCluster cluster;
  private final Path root;

  /** Makes them; the directory is one that everybody may pass. */
  UserFiles(PseudoCluster cluster, Path directory, int uid) throws IOException {
    this.cluster = cluster;
    this.root = directory.resolve("root");
    fs("-mkdir", "-p", "sluice://cluster/made-by-the-client");
    for (Path each : all()) {
      Files.setAttribute(each, "unix:uid", uid);
    }
  }

  private List<Path> all() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.toList();
    }
  }

  private String fs(String... arguments) {
    List<String> command =
        Stream.concat(Stream.of("-D", ROOT + "=" + root.toUri()), Stream.of(arguments)).toList();
    return ClientWithJar.fs(cluster, command.toArray(String[]::new));
  }

  /** A job of that user puts its records there. */
  void write(Scenario records, String user) {
    JobSpec job =
        new JobSpec(
            records.name(),
            Workspace.find().jobsJar(),
            ScenarioJob.class.getName(),
            HadoopVariant.SLUICE.settings(),
            withJar(WRITTEN),
            DEADLINE);
    start(job.with(records.settings()), user).awaitSuccess();
  }

  /** Begins a job of that user that counts their words; the caller awaits it. */
  RunningJob startCount(String output, String user) {
    JobSpec job =
        JobSpec.example(
            cluster.spec().distribution(),
            "count as " + user,
            "wordcount",
            withJar(WRITTEN, output).toArray(String[]::new));
    return start(job.with("mapreduce.map.maxattempts", 1), user);
  }

  private RunningJob start(JobSpec job, String user) {
    JobSpec whole =
        job.with(ROOT, root.toUri())
            .with("fs.sluice.impl", "io.sluice.hadoop.fs.SluiceFileSystem")
            .withDeadline(DEADLINE)
            .as(user);
    return RunningJob.start(cluster, whole, JobProgress.SILENT);
  }

  private List<String> withJar(String... arguments) {
    Path jar = cluster.spec().sluice().map(SluiceFragments::jar).orElseThrow();
    return Stream.concat(Stream.of("-libjars", jar.toString()), Stream.of(arguments)).toList();
  }

  /** Lets everybody read names, records and secret. */
  void letOthersRead() throws IOException {
    for (Path each : all()) {
      Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(each));
      permissions.add(PosixFilePermission.OTHERS_READ);
      if (Files.isDirectory(each)) {
        permissions.add(PosixFilePermission.OTHERS_EXECUTE);
      }
      Files.setPosixFilePermissions(each, permissions);
    }
  }

  void delete() {
    fs("-rm", "-r", "-skipTrash", WRITTEN);
  }
}
