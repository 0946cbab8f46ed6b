package io.sluice.rdma.transport.ucx;

import com.sun.jna.Native;
import java.util.Optional;

/**
 * Keeps libucs from the signals of this process.
 *
 * <p>By default libucs handles SIGSEGV from the moment it is loaded, by which the JVM finds null
 * references and stops its threads: the process can freeze. It asks the C library's environment,
 * which no Java call changes, so this one does.
 *
 * <p>Thread contract: safe from any thread; before libucs is loaded.
 */
final class UcxSignals {
  private static final String VARIABLE = "UCX_ERROR_SIGNALS";
  private static final int OVERWRITE = 1;

  private UcxSignals() {}

  /** Leaves the signals to the JVM; says why not if it cannot. */
  static Optional<String> leaveToJvm() {
    if ("".equals(System.getenv(VARIABLE))) {
      return Optional.empty();
    }
    try {
      if (CLibrary.setenv(VARIABLE, "", OVERWRITE) == 0) {
        return Optional.empty();
      }
      return Optional.of(cause("setenv failed"));
    } catch (LinkageError | RuntimeException e) {
      return Optional.of(cause(e.toString()));
    }
  }

  private static String cause(String why) {
    return "UCX would take over the JVM's signals while it loads, and this process cannot prevent it ("
        + why
        + "); set "
        + VARIABLE
        + " to the empty string in its environment";
  }

  /** Bound on first use, so that a failure is one of {@link #leaveToJvm}. */
  private static final class CLibrary {
    static {
      Native.register(CLibrary.class, "c");
    }

    static native int setenv(String name, String value, int overwrite);
  }
}
