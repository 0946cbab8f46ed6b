package io.sluice.node.wire;

import java.net.BindException;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Tells a port that somebody else listens at from all else that keeps a listener from starting.
 * Sockets say so by a type of exception, libraries of RDMA in words: libucx calls the device busy,
 * librdmacm the address in use.
 */
public final class PortConflict {
  private PortConflict() {}

  /** Whether that is why, or one of the reasons why. */
  public static boolean isCauseOf(Throwable failure) {
    return failure != null
        && ((failure instanceof BindException && !isRefused(failure.getMessage()))
            || saysSo(failure.getMessage())
            || isCauseOf(failure.getCause())
            || Stream.of(failure.getSuppressed()).anyMatch(PortConflict::isCauseOf));
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
