package io.sluice.node.conf;

import io.sluice.node.remote.RemoteClient;
import io.sluice.rdma.transport.ConnectionLimits;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The settings behind {@link ConnectionLimits}, which every engine has under a prefix of its own.
 *
 * @param maxConnections {@link ConnectionLimits#maxConnections}
 * @param maxUnproved {@link ConnectionLimits#maxUnproved}
 * @param proofTimeoutMs {@link ConnectionLimits#proofTimeoutMs}
 * @param idleTimeoutMs {@link ConnectionLimits#idleTimeoutMs}
 */
public record LimitSettings(
    Setting<Integer> maxConnections,
    Setting<Integer> maxUnproved,
    Setting<Integer> proofTimeoutMs,
    Setting<Integer> idleTimeoutMs) {
  private static final int MAX_CONNECTIONS = 1 << 16;
  private static final int MAX_TIMEOUT_MS = 3_600_000;

  /** With names that begin with {@code prefix}. */
  public static LimitSettings of(String prefix) {
    ConnectionLimits defaults = ConnectionLimits.DEFAULT;
    return new LimitSettings(
        Setting.integer(
            prefix + "max-connections",
            defaults.maxConnections(),
            1,
            MAX_CONNECTIONS,
            "Connections that are served at a time: so many of local tasks, of readers that ask"
                + " where outputs lie, and for each transport of readers that read them. Each has"
                + " a thread. Readers that come when there are as many are told to come later."),
        Setting.integer(
            prefix + "max-unproved-connections",
            defaults.maxUnproved(),
            1,
            MAX_CONNECTIONS,
            "Connections beside those whose peers have not proved yet that they may be there. When"
                + " there are more, the oldest of the host that has the most is ended."),
        Setting.integer(
            prefix + "proof-timeout-ms",
            (int) defaults.proofTimeoutMs(),
            100,
            MAX_TIMEOUT_MS,
            "How long such a peer has for its proof, in milliseconds."),
        Setting.integer(
            prefix + "idle-timeout-ms",
            (int) defaults.idleTimeoutMs(),
            2 * (int) RemoteClient.KEPT_IDLE_MS,
            MAX_TIMEOUT_MS,
            "A connection on which a reader asks for nothing for so long is ended, in milliseconds;"
                + " readers end theirs sooner, and connect again when they need to."));
  }

  /** The values of all of them. */
  public ConnectionLimits get(UnaryOperator<String> conf) {
    return new ConnectionLimits(
        maxConnections.get(conf),
        maxUnproved.get(conf),
        proofTimeoutMs.get(conf),
        idleTimeoutMs.get(conf));
  }

  /** All of them, in the order of the documentation. */
  public List<Setting<?>> all() {
    return List.of(maxConnections, maxUnproved, proofTimeoutMs, idleTimeoutMs);
  }
}
