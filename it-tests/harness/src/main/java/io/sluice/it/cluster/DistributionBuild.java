package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Has Maven assemble a Hadoop release from released jars. The build of the repository does so for
 * the default release; others come when first asked for.
 */
public final class DistributionBuild {
  private DistributionBuild() {}

  public static boolean isThere(Workspace workspace, String version) {
    return Files.isDirectory(workspace.distribution(version).resolve("lib"));
  }

  /** Assembles a release. */
  public static HadoopDistribution assemble(Workspace workspace, String version) {
    Path pom = workspace.root().resolve("it-tests/distribution/pom.xml");
    ProcessBuilder maven =
        new ProcessBuilder(
                "mvn",
                "-q",
                "-B",
                "-f",
                pom.toString(),
                "-Ddistribution.hadoop.version=" + version,
                "package")
            .inheritIO();
    try {
      int exitStatus = maven.start().waitFor();
      if (exitStatus != 0) {
        // Half a release must not be taken for a whole one next time.
        Workspace.delete(workspace.distribution(version));
        throw new ClusterException(
            "Maven could not assemble Hadoop %s (exit status %d): %s"
                .formatted(version, exitStatus, String.join(" ", maven.command())));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start Maven", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while assembling Hadoop " + version, e);
    }
    return HadoopDistribution.locate(workspace, version);
  }
}
