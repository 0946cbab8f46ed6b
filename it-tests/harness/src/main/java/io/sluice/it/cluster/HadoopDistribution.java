package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The stock jars of one Hadoop release, as {@code it-tests/distribution} assembles them.
 *
 * @param version the release, such as 3.5.0
 * @param home the directory with {@code lib}
 */
public record HadoopDistribution(String version, Path home) {
  public static final String DEFAULT_VERSION = "3.5.0";

  /** Finds an assembled release; fails with the command that assembles it. */
  public static HadoopDistribution locate(Workspace workspace, String version) {
    Path home = workspace.distribution(version);
    if (!isAssembled(workspace, version)) {
      throw new ClusterException(
          "Hadoop %s is not assembled in %s; run: mvn -f it-tests/distribution/pom.xml -Ddistribution.hadoop.version=%s package"
              .formatted(version, home, version));
    }
    return new HadoopDistribution(version, home);
  }

  /** The one that tests run on: {@code -Dsluice.hadoop}, or the default. */
  public static HadoopDistribution underTest(Workspace workspace) {
    return locate(workspace, System.getProperty("sluice.hadoop", DEFAULT_VERSION));
  }

  public static boolean isAssembled(Workspace workspace, String version) {
    return Files.isDirectory(workspace.distribution(version).resolve("lib"));
  }

  /**
   * Has Maven assemble a release from released jars. The build of the repository does so for the
   * default release; others come when first asked for.
   */
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
    return locate(workspace, version);
  }

  /** A class path wildcard for all jars of the release. */
  public String classPath() {
    return home.resolve("lib") + "/*";
  }

  public Path examplesJar() {
    return Workspace.only(home.resolve("lib"), "hadoop-mapreduce-examples-", ".jar");
  }

  /**
   * Options that a JVM of this release needs besides its heap; before 3.5 guice opens java.lang.
   */
  public List<String> jvmOptions() {
    return version.startsWith("3.3.") || version.startsWith("3.4.")
        ? List.of("--add-opens=java.base/java.lang=ALL-UNNAMED")
        : List.of();
  }
}
