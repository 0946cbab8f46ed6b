package io.sluice.bench.local;

import io.sluice.it.cluster.ClusterDirectory;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.local.LocalJobClient;
import java.nio.file.Path;
import java.util.List;

/**
 * Where clients run jobs in processes of their own, with stock's jars and the engine.
 *
 * <p>Not thread-safe. Ownership: the caller of {@link #open} closes it, which deletes all files.
 */
final class LocalPlace implements AutoCloseable {
  private final Workspace workspace;
  private final HadoopDistribution hadoop;
  private final Path engineJar;
  private final ClusterDirectory directory;

  private LocalPlace(
      Workspace workspace, HadoopDistribution hadoop, Path engineJar, ClusterDirectory directory) {
    this.workspace = workspace;
    this.hadoop = hadoop;
    this.engineJar = engineJar;
    this.directory = directory;
  }

  /** Makes a new directory, and deletes what killed processes left. */
  static LocalPlace open(Workspace workspace) {
    Path clusters = workspace.clusters();
    ClusterDirectory.removeLeftovers(clusters);
    HadoopDistribution hadoop = HadoopDistribution.underTest(workspace);
    Path engineJar =
        SluiceFragments.load(workspace)
            .orElseThrow(() -> new ClusterException("Sluice's jar for Hadoop is not built"))
            .jar();
    return new LocalPlace(workspace, hadoop, engineJar, ClusterDirectory.create(clusters));
  }

  HadoopDistribution hadoop() {
    return hadoop;
  }

  /** The jar with the papers' programs. */
  Path workloads() {
    return workspace.workloadsJar();
  }

  Path directory() {
    return directory.path();
  }

  Path path(String name) {
    return directory().resolve(name);
  }

  String uri(String name) {
    return path(name).toUri().toString();
  }

  /** An option for every job, so that it leaves no files elsewhere. */
  String temporary() {
    return "-Dhadoop.tmp.dir=" + path("tmp");
  }

  /**
   * A client with a directory of that name, which starts as {@code ./sluice run}.
   *
   * @param jvmOptions its heap, and what else it needs
   */
  LocalJobClient client(String name, List<String> jvmOptions) {
    return LocalJobClient.ofOneProcess(workspace, hadoop, engineJar, made(name), jvmOptions);
  }

  /** A new directory. */
  Path made(String name) {
    Path made = path(name);
    if (!made.toFile().mkdirs()) {
      throw new ClusterException("cannot make " + made);
    }
    return made;
  }

  @Override
  public void close() {
    directory.delete();
  }
}
