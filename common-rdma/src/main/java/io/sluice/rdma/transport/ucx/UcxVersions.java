package io.sluice.rdma.transport.ucx;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * jucx is in our jar, libucx is the system's, and may be older. UCX then warns, for each context
 * that is made, that the API is incompatible: of two calls that nothing here makes. In the output
 * of every task that would be noise, so with such a libucx, and where nobody has set its level, UCX
 * says errors only while a context is made. It would then also warn of variables and devices that
 * it does not know: {@code UCX_LOG_LEVEL=warn} in the environment shows that.
 *
 * <p>Thread contract: safe from any thread; contexts are made one at a time, as the level is the
 * process's. Only after {@link UcxAvailability.UcxSignals#leaveToJvm}. What cannot be asked or set
 * here changes nothing of whether UCX works.
 */
final class UcxVersions {
  /** What the build bundles. */
  static final String JUCX = "1.18.1";

  private static final String LEVEL = "LOG_LEVEL";
  private static final String UNSET = "WARN"; // what UCX has unless it is told otherwise
  private static final int LEVEL_BYTES = 64;
  private static final int OK = 0;

  private UcxVersions() {}

  /** Both, for logs. */
  static String describe() {
    return "jucx %s on libucx %s".formatted(JUCX, libucx().orElse("of unknown version"));
  }

  /** Whether the system's is older than what jucx was made for. */
  static boolean isOlder() {
    return libucx().map(UcxVersions::release).filter(has -> has < release(JUCX)).isPresent();
  }

  private static Optional<String> libucx() {
    try {
      return Optional.of(
          NativeLibrary.getInstance("libucp.so.0")
              .getFunction("ucp_get_version_string")
              .invokeString(new Object[0], false));
    } catch (LinkageError e) {
      return Optional.empty();
    }
  }

  /** Major and minor in one number: what UCX compares. */
  private static int release(String version) {
    String[] numbers = version.split("\\.");
    return Integer.parseInt(numbers[0]) * 1_000 + Integer.parseInt(numbers[1]);
  }

  /**
   * Makes a context. A level that the environment or UCX's own file sets is the administrator's,
   * and is left alone.
   */
  static <T> T withoutWarning(Supplier<T> context) {
    synchronized (UcxVersions.class) {
      if (System.getenv("UCX_" + LEVEL) != null
          || !isOlder()
          || !level().equals(Optional.of(UNSET))
          || !setLevel("error")) {
        return context.get();
      }
      try {
        return context.get();
      } finally {
        setLevel(UNSET); // as it took the other, it takes this one
      }
    }
  }

  /** How much UCX says in this process; empty if it does not tell. */
  static Optional<String> level() {
    byte[] level = new byte[LEVEL_BYTES];
    return call("get", LEVEL, level, (long) LEVEL_BYTES)
        ? Optional.of(Native.toString(level))
        : Optional.empty();
  }

  private static boolean setLevel(String level) {
    return call("set", LEVEL, level);
  }

  private static boolean call(String what, Object... arguments) {
    try {
      int status =
          NativeLibrary.getInstance("libucs.so.0")
              .getFunction("ucs_global_opts_" + what + "_value")
              .invokeInt(arguments);
      return (byte) status == OK; // ucs_status_t is packed into a byte
    } catch (LinkageError e) {
      return false;
    }
  }
}
