package io.sluice.rdma.transport.ucx;

import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.util.Map;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/**
 * What UCX may use. A variable UCX_* in the environment overrides the value here, so that an
 * administrator can say otherwise.
 *
 * @param config UCX configuration without the UCX_ prefix
 * @param needsDevice whether reads must be served by an RDMA device, which also means that
 *     registered memory is pinned
 */
record UcxSettings(Map<String, String> config, boolean needsDevice) {
  /** A restarted service gets its port back at once. */
  private static final String REUSE_ADDRESS = "CM_REUSEADDR";

  /**
   * Reliable connections set up by rdmacm, and nothing else: with everything allowed, UCX would
   * take TCP for data or set-up in silence wherever RDMA does not work.
   *
   * <p>Named one by one, because {@code rc} brings {@code ud} to set up connections, which rdmacm
   * has no need of, and a datagram queue that fails with its link ends the process: {@code
   * ud_verbs.c: Fatal: receive completion with error}. Only where there is such a device is its own
   * transport named, because UCX warns of each that it does not have.
   */
  static UcxSettings rdma(RdmaDevices devices) {
    boolean isMlx5 = devices.activePorts().stream().anyMatch(port -> port.startsWith("mlx5"));
    String transports = isMlx5 ? "rc_verbs,rc_mlx5" : "rc_verbs";
    return new UcxSettings(
        Map.of("TLS", transports, "SOCKADDR_TLS_PRIORITY", "rdmacm", REUSE_ADDRESS, "y"), true);
  }

  /** UCX's own TCP, which emulates one-sided reads slowly: for tests on hosts without a NIC. */
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

  /** Must be called before registering: see {@link RdmaDevices#checkMayPin}. */
  void checkMayPin(long lengthBytes) throws RegistrationException {
    if (needsDevice) {
      RdmaDevices.checkMayPin(TransportNames.UCX, lengthBytes);
    }
  }
}
