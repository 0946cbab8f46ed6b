package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code hadoop fs} as a user has it with Sluice's jar in {@code HADOOP_CLASSPATH}. Stateless. */
public final class FileShell {
  private static final Duration DEADLINE = Duration.ofMinutes(10);

  private FileShell() {}

  /** Runs one command, and gives what it prints; one that fails is a {@link ClusterException}. */
  public static String run(PseudoCluster cluster, String... arguments) {
    Process client = cluster.startClientWithJar("org.apache.hadoop.fs.FsShell", List.of(arguments));
    try {
      Poll.untilTrue("the end of hadoop fs", DEADLINE, () -> Optional.of(!client.isAlive()));
      String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (client.exitValue() != 0) {
        throw new ClusterException(
            "hadoop fs %s ended with %d:%n%s"
                .formatted(String.join(" ", arguments), client.exitValue(), printed));
      }
      return printed;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read what hadoop fs prints", e);
    } finally {
      client.destroyForcibly();
    }
  }
}
