package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a user's client with Sluice's jar in {@code HADOOP_CLASSPATH}. Stateless.
 *
 * <p>Failure: a client that does not end well, or in time, is a {@link ClusterException} with what
 * it has printed.
 */
public final class ClientWithJar {
  private static final long DEADLINE_MIN = 10;

  private ClientWithJar() {}

  /** {@code hadoop fs}; gives what it prints. */
  public static String fs(PseudoCluster cluster, String... arguments) {
    return run(cluster, "org.apache.hadoop.fs.FsShell", List.of(arguments));
  }

  /** {@code hadoop jar}; gives what it prints. */
  public static String jar(PseudoCluster cluster, List<String> arguments) {
    return run(cluster, "org.apache.hadoop.util.RunJar", new ArrayList<>(arguments));
  }

  private static String run(PseudoCluster cluster, String mainClass, List<String> arguments) {
    Process client = cluster.startClientWithJar(mainClass, arguments);
    try {
      String printed =
          CompletableFuture.supplyAsync(() -> all(client)).get(DEADLINE_MIN, TimeUnit.MINUTES);
      int exitStatus = client.onExit().get(DEADLINE_MIN, TimeUnit.MINUTES).exitValue();
      if (exitStatus != 0) {
        throw new ClusterException(
            "%s %s ended with %d:%n%s"
                .formatted(mainClass, String.join(" ", arguments), exitStatus, printed));
      }
      return printed;
    } catch (TimeoutException e) {
      throw new ClusterException(mainClass + " still runs after " + DEADLINE_MIN + " min", e);
    } catch (ExecutionException e) {
      throw new ClusterException("cannot read what " + mainClass + " prints", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while " + mainClass + " ran", e);
    } finally {
      client.destroyForcibly();
    }
  }

  private static String all(Process client) {
    try {
      return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
