package io.sluice.node.conf;

import io.sluice.node.conf.Setting.Units;
import io.sluice.node.remote.RemoteClient;
import io.sluice.rdma.transport.ConnectionLimits;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The settings behind {@link ConnectionLimits}, which every engine has with names and units of its
 * own.
 *
 * @param maxConnections {@link ConnectionLimits#maxConnections}
 * @param maxUnauthenticated {@link ConnectionLimits#maxUnauthenticated}
 * @param authenticationTimeoutMs {@link ConnectionLimits#authenticationTimeoutMs}
 * @param idleTimeoutMs {@link ConnectionLimits#idleTimeoutMs}
 */
public record LimitSettings(
    Setting<Integer> maxConnections,
    Setting<Integer> maxUnauthenticated,
    Setting<? extends Number> authenticationTimeoutMs,
    Setting<? extends Number> idleTimeoutMs) {
  private static final ConnectionLimits DEFAULT = ConnectionLimits.DEFAULT;
  private static final int MAX_CONNECTIONS = 1 << 16;
  private static final int MIN_PROOF_TIMEOUT_MS = 100;
  private static final int MIN_IDLE_TIMEOUT_MS = 2 * (int) RemoteClient.KEPT_IDLE_MS;
  private static final int MAX_TIMEOUT_MS = 3_600_000;

  private static final String CONNECTIONS =
      "Most connections that are served at a time. The limit applies separately to local tasks,"
          + " to control connections, and to data connections of each transport. Each connection"
          + " takes open files (`ulimit -n`), and a thread unless it is a data connection of RDMA."
          + " If the process has too few open files, it serves fewer connections. A reader beyond"
          + " the limit is told to try again later.";
  private static final String UNAUTHENTICATED =
      "Connections allowed in addition, for peers that have not authenticated yet. Beyond this"
          + " number the service closes the oldest connection of the host that has the most.";
  private static final String PROOF = "How long a peer has to authenticate";
  private static final String IDLE =
      "The service closes a reader's connection that is idle for this long. Readers close theirs"
          + " sooner, and connect again when they need to";

  /** Those of a NodeManager. */
  public static final LimitSettings HADOOP = hadoop("sluice.service.");

  /** Those of an executor. */
  public static final LimitSettings SPARK = spark("spark.sluice.server.");

  private static LimitSettings hadoop(String prefix) {
    return new LimitSettings(
        connections(prefix + "max-connections"),
        unauthenticated(prefix + "max-unproved-connections"),
        Setting.integer(
            prefix + "proof-timeout-ms",
            (int) DEFAULT.authenticationTimeoutMs(),
            MIN_PROOF_TIMEOUT_MS,
            MAX_TIMEOUT_MS,
            PROOF + ", in milliseconds."),
        Setting.integer(
            prefix + "idle-timeout-ms",
            (int) DEFAULT.idleTimeoutMs(),
            MIN_IDLE_TIMEOUT_MS,
            MAX_TIMEOUT_MS,
            IDLE + ". In milliseconds."));
  }

  private static LimitSettings spark(String prefix) {
    return new LimitSettings(
        connections(prefix + "maxConnections"),
        unauthenticated(prefix + "maxUnprovedConnections"),
        Setting.time(
            prefix + "proofTimeout",
            Units.shortest(DEFAULT.authenticationTimeoutMs()),
            Units.shortest(MIN_PROOF_TIMEOUT_MS),
            Units.shortest(MAX_TIMEOUT_MS),
            PROOF + "."),
        Setting.time(
            prefix + "idleTimeout",
            Units.shortest(DEFAULT.idleTimeoutMs()),
            Units.shortest(MIN_IDLE_TIMEOUT_MS),
            Units.shortest(MAX_TIMEOUT_MS),
            IDLE + "."));
  }

  private static Setting<Integer> connections(String name) {
    return Setting.integer(name, DEFAULT.maxConnections(), 1, MAX_CONNECTIONS, CONNECTIONS);
  }

  private static Setting<Integer> unauthenticated(String name) {
    return Setting.integer(name, DEFAULT.maxUnauthenticated(), 1, MAX_CONNECTIONS, UNAUTHENTICATED);
  }

  /** The values of all of them. */
  public ConnectionLimits get(UnaryOperator<String> conf) {
    return new ConnectionLimits(
        maxConnections.get(conf),
        maxUnauthenticated.get(conf),
        authenticationTimeoutMs.get(conf).longValue(),
        idleTimeoutMs.get(conf).longValue());
  }

  /** Those that only tests and measurements need: on a page of their own. */
  public List<Setting<?>> forExperiments() {
    return List.of(maxUnauthenticated, authenticationTimeoutMs, idleTimeoutMs);
  }
}
