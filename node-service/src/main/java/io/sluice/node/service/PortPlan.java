package io.sluice.node.service;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Where a service listens: one port behind the other, so that a firewall can be told.
 *
 * <pre>
 *  controlPort           the control protocol
 *  controlPort + 1 + i   transport i, preferred first
 *  controlPort + 4 + i   probes of transport i
 * </pre>
 *
 * @param controlAddress of the control protocol
 * @param dataAddress of the transports, for probes too
 * @param controlPort 0 for free ports, also for all others
 */
record PortPlan(InetAddress controlAddress, InetAddress dataAddress, int controlPort) {
  private static final int MAX_TRANSPORTS = 3;

  InetSocketAddress control() {
    return new InetSocketAddress(controlAddress, controlPort);
  }

  InetSocketAddress transport(int index) {
    return new InetSocketAddress(dataAddress, after(1 + index));
  }

  /** Of the first transport that is probed. */
  int probePort() {
    return after(1 + MAX_TRANSPORTS);
  }

  private int after(int ports) {
    return controlPort == 0 ? 0 : controlPort + ports;
  }

  /** Whether the control protocol may carry data too: the administrator named no other way. */
  boolean isOneAddress() {
    return dataAddress.equals(controlAddress);
  }
}
