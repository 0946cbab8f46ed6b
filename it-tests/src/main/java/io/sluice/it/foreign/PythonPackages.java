package io.sluice.it.foreign;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A virtual environment of Python with the packages that PySpark's programs need, whose versions
 * {@code it-tests/foreign/spark/requirements} has; made once per user, list and Python.
 *
 * <p>Stateless. Failure: {@link ClusterException}, and as {@link ForeignCache} says.
 */
final class PythonPackages {
  /** Prints its version before it may fail for what else is needed. */
  private static final String ASK =
      "import sys; print('%d.%d' % sys.version_info[:2], flush=True); import ensurepip, venv";

  private static final long DEADLINE_S = 60;
  private static final int MAJOR = 3;
  private static final int OLDEST_MINOR = 11;

  private PythonPackages() {}

  /** Why there can be none here, in words; empty if there can. */
  static Optional<String> obstacle(String python) {
    String said;
    boolean whole;
    try {
      Process process =
          new ProcessBuilder(python, "-c", ASK)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        boolean ended = process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
        byte[] printed = ended ? process.getInputStream().readAllBytes() : new byte[0];
        said = new String(printed, StandardCharsets.UTF_8).strip();
        whole = ended && process.exitValue() == 0;
      } finally {
        process.destroyForcibly(); // which closes what is read
      }
    } catch (IOException e) {
      return Optional.of("there is no program " + python);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while " + python + " was asked for its version", e);
    }
    if (!said.matches("\\d+\\.\\d+") || isTooOld(said)) {
      return Optional.of(
          "%s is Python %s, and PySpark's programs need %d.%d"
              .formatted(python, said.isEmpty() ? "of no version" : said, MAJOR, OLDEST_MINOR));
    }
    return whole
        ? Optional.empty()
        : Optional.of(python + " has no pip or no venv (Debian: apt-get install python3-venv)");
  }

  private static boolean isTooOld(String version) {
    String[] parts = version.split("\\.");
    int major = Integer.parseInt(parts[0]);
    return major < MAJOR || major == MAJOR && Integer.parseInt(parts[1]) < OLDEST_MINOR;
  }

  /** The environment's own Python. */
  static Path python(Workspace workspace) {
    Path list = workspace.root().resolve("it-tests/foreign/spark/requirements");
    try {
      return ForeignCache.of(
              "python", Files.readString(list), "venv", staging -> install(list, staging))
          .resolve("bin/python");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + list, e);
    }
  }

  /** Not by the environment's pip, which names the directory that it was made in. */
  private static void install(Path list, Path staging) throws IOException {
    Path venv = staging.resolve("venv");
    ForeignCache.run(
        staging, "no virtual environment could be made", "python3", "-m", "venv", venv.toString());
    ForeignCache.run(
        staging,
        "pip could not fetch the packages",
        venv.resolve("bin/python").toString(),
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--only-binary=:all:",
        "-r",
        list.toString());
  }
}
