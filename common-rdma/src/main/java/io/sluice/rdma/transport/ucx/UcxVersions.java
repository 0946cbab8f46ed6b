package io.sluice.rdma.transport.ucx;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The versions of jucx, which is in Sluice's jar, and of libucx, which is the system's and may be
 * older. An older libucx warns at each new context that the API is incompatible, because of two
 * calls that Sluice does not make. To keep that out of the output of every task, UCX then logs only
 * errors while a context is made, unless its log level is set. That also hides warnings about
 * unknown variables and devices; {@code UCX_LOG_LEVEL=warn} in the environment shows them.
 *
 * <p>Thread contract: safe from any thread; contexts are made one at a time, because the level is
 * global. Call it only after {@link UcxAvailability.UcxSignals#leaveToJvm}. Failure: none; if a
 * version or level cannot be read or set, UCX still works.
 */
final class UcxVersions {
  /** The release that the build bundles. */
  static final String JUCX = "1.18.1";

  private static final String LEVEL = "LOG_LEVEL";
  private static final String UNSET = "WARN"; // the default of UCX
  private static final int LEVEL_BYTES = 64;
  private static final int OK = 0;

  private UcxVersions() {}

  /** Both versions, for logs. */
  static String describe() {
    return "jucx %s on libucx %s".formatted(JUCX, libucx().orElse("of unknown version"));
  }

  /** Whether libucx is older than jucx. */
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

  /** The major and minor version as one number, which UCX compares. */
  private static int release(String version) {
    String[] numbers = version.split("\\.");
    return Integer.parseInt(numbers[0]) * 1_000 + Integer.parseInt(numbers[1]);
  }

  /**
   * Makes a context without the warning. A log level that the environment or UCX' own file sets
   * stays as it is.
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
        setLevel(UNSET); // it accepted the other level, so it accepts this one
      }
    }
  }

  /** The log level of UCX in this process; empty if it cannot be read. */
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
