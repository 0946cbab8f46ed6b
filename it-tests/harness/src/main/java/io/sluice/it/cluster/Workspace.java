package io.sluice.it.cluster;

import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where things lie in a checkout of this repository: what the build made, and where clusters and
 * results go.
 *
 * @param root the repository's root
 */
public record Workspace(Path root) {
  /** The system property that names another place for results. */
  public static final String RESULTS = "sluice.results";

  private static final String UNKNOWN = "unknown";

  /** The checkout named by the system property {@code sluice.root}, else the working directory. */
  public static Workspace find() {
    Path root = Path.of(System.getProperty("sluice.root", "")).toAbsolutePath().normalize();
    if (!Files.isDirectory(root.resolve("docs/conf"))) {
      throw new ClusterException(
          "%s is no checkout of Sluice: docs/conf is missing; start ./sluice there or set -Dsluice.root"
              .formatted(root));
    }
    return new Workspace(root);
  }

  public Path fragments() {
    return root.resolve("docs/conf");
  }

  /** How {@code ./sluice run} starts Java for jobs in one process, but for the heap. */
  public List<String> oneProcessOptions() {
    return List.of(
        "@" + fragments().resolve("local/java.options"),
        "-XX:SharedArchiveFile=" + root.resolve("target/run/classes.jsa"));
  }

  public Path distribution(String hadoopVersion) {
    return root.resolve("it-tests/distribution/target/hadoop-" + hadoopVersion);
  }

  public Path clusters() {
    return root.resolve("it-tests/target/clusters");
  }

  /** Where what is measured goes. */
  public Path results() {
    return Path.of(System.getProperty(RESULTS, root.resolve("target/results").toString()));
  }

  /** Results that are part of the repository. */
  public Path publishedResults() {
    return root.resolve("docs/results");
  }

  /** The page with the table of Spark's releases and JDKs. */
  public Path sparkReleases() {
    return root.resolve("docs/spark-releases.md");
  }

  /** The jar with the jobs of the scenario tests. */
  public Path jobsJar() {
    return only(root.resolve("it-tests/target"), "it-tests-", "-jobs.jar");
  }

  /** The jar with the papers' programs. */
  public Path workloadsJar() {
    return only(root.resolve("workloads/target"), "workloads-", ".jar");
  }

  /** The jar with the Spark jobs of tests and demo. */
  public Path sparkJobsJar() {
    return only(root.resolve("it-tests/spark-jobs/target"), "it-spark-jobs-", ".jar");
  }

  /** Where the module is built that runs Spark's own suites. */
  public Path sparkSuites() {
    return root.resolve("it-tests/spark-suites/target");
  }

  /** The jar that makes Spark shuffle through Sluice. */
  public Path sparkEngineJar() {
    return only(root.resolve("jars/spark/target"), "sluice-spark-", ".jar");
  }

  /** The classes of all modules with their tests, and all that they need. */
  public String testClassPath() {
    Path target = root.resolve("it-tests/target");
    try {
      return target.resolve("test-classes")
          + ":"
          + target.resolve("classes")
          + ":"
          + Files.readString(target.resolve("lab.classpath")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("no lab.classpath in " + target + "; build first", e);
    }
  }

  /** The jar of the tools, which runs by itself. */
  public Path toolsJar() {
    return only(root.resolve("jars/tools/target"), "sluice-tools-", ".jar");
  }

  /**
   * The commit of the checkout's files, as git says it.
   *
   * @return with {@code -dirty} if the files are not the commit's; {@code unknown} without git
   */
  public String commit() {
    try {
      Process git =
          new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=12")
              .directory(root.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return git.waitFor() == 0 ? said : UNKNOWN;
    } catch (IOException e) {
      return UNKNOWN; // no git
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while asking git for the commit", e);
    }
  }

  /** The one file of a directory with this prefix and suffix. */
  static Path only(Path directory, String prefix, String suffix) {
    List<Path> found = matching(directory, prefix, suffix);
    if (found.size() != 1) {
      throw new ClusterException(
          "expected one %s*%s in %s, found %s; build with ./sluice or mvn package"
              .formatted(prefix, suffix, directory, found));
    }
    return found.get(0);
  }

  /** All files of a directory with this prefix and suffix; none if there is no such directory. */
  public static List<Path> matching(Path directory, String prefix, String suffix) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .filter(file -> file.getFileName().toString().endsWith(suffix))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }

  /** Removes a directory and all in it; a file that vanishes meanwhile is no error. */
  public static void delete(Path directory) {
    try {
      PrivateDirectory.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + directory, e);
    }
  }
}
