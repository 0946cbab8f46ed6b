package io.sluice.rdma.unix;

import java.io.IOException;

/**
 * This user has passed more open files than its limit on them ({@code ulimit -n}) that nobody has
 * received yet. Nothing was sent; it can be tried again later.
 */
public final class TooManyInFlightException extends IOException {
  private static final long serialVersionUID = 1L;

  TooManyInFlightException(Throwable cause) {
    super("too many open files are on their way and not received yet", cause);
  }
}
