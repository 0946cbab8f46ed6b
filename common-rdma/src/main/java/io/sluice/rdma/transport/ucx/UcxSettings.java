package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.RdmaDevices;
import io.sluice.rdma.transport.ucx.UcpLibrary.UcxVersions;
import java.util.Map;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/**
 * The configuration of UCX. A variable UCX_* in the environment overrides a value here, for
 * administrators. Thread contract: immutable.
 *
 * @param config UCX configuration without the UCX_ prefix
 * @param needsDevice whether an RDMA device must serve reads; registered memory is pinned then
 */
record UcxSettings(Map<String, String> config, boolean needsDevice) {
  /** Lets a restarted service bind its port at once. */
  private static final String REUSE_ADDRESS = "CM_REUSEADDR";

  /**
   * Allows only reliable connections set up by rdmacm. With all transports allowed, UCX would
   * silently use TCP for data or set-up where RDMA does not work.
   *
   * <p>The transports are named one by one. {@code rc} would add {@code ud} to set up connections,
   * which rdmacm does not need; a datagram queue that fails with its link ends the process ({@code
   * ud_verbs.c: Fatal: receive completion with error}). A device's own transport is named only if
   * there is such a device, because UCX warns of each missing one.
   */
  static UcxSettings rdma(RdmaDevices devices) {
    boolean isMlx5 = devices.activePorts().stream().anyMatch(port -> port.startsWith("mlx5"));
    String transports = isMlx5 ? "rc_verbs,rc_mlx5" : "rc_verbs";
    return new UcxSettings(
        Map.of("TLS", transports, "SOCKADDR_TLS_PRIORITY", "rdmacm", REUSE_ADDRESS, "y"), true);
  }

  /** UCX' own TCP, which emulates one-sided reads slowly: for tests on hosts without a NIC. */
  static final UcxSettings TCP = new UcxSettings(Map.of("TLS", "tcp", REUSE_ADDRESS, "y"), false);

  UcpContext newContext() {
    UcpParams params = new UcpParams().requestRmaFeature().requestWakeupFeature();
    config.forEach(
        (name, value) -> {
          if (System.getenv("UCX_" + name) == null) {
            params.setConfig(name, value);
          }
        });
    return UcxVersions.withoutWarning(() -> new UcpContext(params));
  }

  /**
   * Checks whether memory may be pinned; must be called before registering: see {@link
   * RdmaDevices#checkMayPin}.
   */
  void checkMayPin(long lengthBytes) throws RegistrationException {
    if (needsDevice) {
      RdmaDevices.checkMayPin(TransportNames.UCX, lengthBytes);
    }
  }
}
