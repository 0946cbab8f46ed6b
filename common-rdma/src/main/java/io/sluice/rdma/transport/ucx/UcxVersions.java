package io.sluice.rdma.transport.ucx;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * jucx is in our jar, libucx is the system's, and may be older. UCX then warns, for each context
 * that is made, that the API is incompatible: of two calls that nothing here makes. In the output
 * of every task that would be noise, so it is not said while a context is made. All else that UCX
 * warns of later is said.
 *
 * <p>Thread contract: safe from any thread; contexts are made one at a time, as the level is the
 * process's. Only after {@link UcxSignals#leaveToJvm}. Failure: {@link LinkageError} where there is
 * no libucx.
 */
final class UcxVersions {
  /** What the build bundles. */
  static final String JUCX = "1.18.1";

  private static final String LEVEL = "LOG_LEVEL";
  private static final int LEVEL_BYTES = 64;
  private static final int OK = 0;

  private UcxVersions() {}

  /** Both, for logs. */
  static String describe() {
    return "jucx %s on libucx %s".formatted(JUCX, libucx());
  }

  /** What the system has. */
  static String libucx() {
    return NativeLibrary.getInstance("libucp.so.0")
        .getFunction("ucp_get_version_string")
        .invokeString(new Object[0], false);
  }

  /**
   * Makes a context. A level that the environment sets is the administrator's, and is left alone.
   */
  static <T> T withoutWarning(Supplier<T> context) {
    if (System.getenv("UCX_" + LEVEL) != null) {
      return context.get();
    }
    synchronized (UcxVersions.class) {
      Optional<String> level = level();
      level.ifPresent(any -> setLevel("error"));
      try {
        return context.get();
      } finally {
        level.ifPresent(UcxVersions::setLevel);
      }
    }
  }

  /** How much UCX says in this process; empty if it does not tell. */
  static Optional<String> level() {
    byte[] level = new byte[LEVEL_BYTES];
    int status = libucs("get").invokeInt(new Object[] {LEVEL, level, (long) LEVEL_BYTES});
    // ucs_status_t is packed into a byte.
    return (byte) status == OK ? Optional.of(Native.toString(level)) : Optional.empty();
  }

  private static void setLevel(String level) {
    libucs("set").invokeInt(new Object[] {LEVEL, level});
  }

  private static Function libucs(String what) {
    return NativeLibrary.getInstance("libucs.so.0")
        .getFunction("ucs_global_opts_" + what + "_value");
  }
}
