package io.sluice.rdma.memory;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.util.Optional;

/**
 * Whether this process can make system calls that the JDK does not offer, and what their failures
 * look like.
 *
 * <p>Thread contract: stateless.
 */
public final class NativeCalls {
  private NativeCalls() {}

  /** Why no native call works in this process; empty if they do. */
  public static Optional<String> unavailabilityCause() {
    try {
      return Libc.loadFailure()
          .map(e -> "native calls do not work (" + e + "); is java.io.tmpdir mounted noexec?");
    } catch (LinkageError e) {
      return Optional.of("JNA is not on the class path (" + e + ")");
    }
  }

  /** What could not be done, with the system's own words. */
  public static IOException failure(String what, LastErrorException e) {
    return new IOException("cannot " + what + ": " + e.getMessage(), e);
  }

  /** The same, of a call that returns its error. */
  public static IOException failure(String what, int errno) {
    return new IOException("cannot " + what + ": [" + errno + "] " + Libc.strerror(errno));
  }
}
