package io.sluice.node.service;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Where a service listens: one port behind the other, so that a firewall can be told.
 *
 * <pre>
 *  controlPort           the control protocol
 *  controlPort + 1 + i   transport i, preferred first
 *  controlPort + 4 + i   probes of transport i
 * </pre>
 *
 * <p>A service has at most three transports, except that of {@code doctor --serve}: with four its
 * probes begin one port further on.
 *
 * @param controlAddress of the control protocol
 * @param dataAddress of the transports, for probes too
 * @param rails further addresses of transports that can use several RDMA ports side by side
 * @param controlPort 0 for free ports, also for all others
 */
public record PortPlan(
    InetAddress controlAddress, InetAddress dataAddress, List<InetAddress> rails, int controlPort) {
  private static final int PLANNED_TRANSPORTS = 3;

  InetSocketAddress control() {
    return new InetSocketAddress(controlAddress, controlPort);
  }

  InetSocketAddress transport(int index) {
    return new InetSocketAddress(dataAddress, after(1 + index));
  }

  /**
   * Of the first transport that is probed.
   *
   * @param transports how many the service has
   */
  int probePort(int transports) {
    return after(1 + Math.max(PLANNED_TRANSPORTS, transports));
  }

  private int after(int ports) {
    return controlPort == 0 ? 0 : controlPort + ports;
  }

  /** Whether the control protocol may carry data too: the administrator named no other way. */
  boolean isOneAddress() {
    return dataAddress.equals(controlAddress);
  }

  /**
   * Whether a listener could not start because somebody else listens at its port, or partly so.
   * Sockets say that by a type of exception, libraries of RDMA in words: libucx calls the device
   * busy, librdmacm the address in use.
   */
  public static boolean isConflict(Throwable failure) {
    return failure != null
        && ((failure instanceof BindException && !isRefused(failure.getMessage()))
            || saysSo(failure.getMessage())
            || isConflict(failure.getCause())
            || Stream.of(failure.getSuppressed()).anyMatch(PortPlan::isConflict));
  }

  /** A port that this user may not have, or an address that this host does not have. */
  private static boolean isRefused(String message) {
    String said = message == null ? "" : message.toLowerCase(Locale.ROOT);
    return said.contains("permission denied") || said.contains("cannot assign requested address");
  }

  private static boolean saysSo(String message) {
    String said = message == null ? "" : message.toLowerCase(Locale.ROOT);
    return said.contains("device is busy") || said.contains("address already in use");
  }
}
