package io.sluice.tools.doctor;

import io.sluice.rdma.memory.NativeCalls;
import java.util.Optional;

/**
 * Checks the JVM of this process: its release, the module that maps persistent memory, and native
 * calls. JNA unpacks a library for native calls into a directory. A container with a read-only root
 * has no such directory, and it may be mounted {@code noexec}.
 *
 * <p>Thread contract: stateless.
 */
final class JavaCheck {
  private static final String JAVA = "Java";
  private static final int OLDEST = 17;
  private static final String SYNC_MODULE = "jdk.nio.mapmode";
  private static final String NATIVE_CALLS = "native calls";

  private JavaCheck() {}

  static Finding release() {
    String what = "%s from %s".formatted(Runtime.version(), System.getProperty("java.home"));
    if (Runtime.version().feature() < OLDEST) {
      return Finding.broken(
          JAVA,
          what,
          "Sluice needs Java %s or later".formatted(OLDEST),
          "apt-get install openjdk-17-jdk-headless, and set JAVA_HOME");
    }
    if (ModuleLayer.boot().findModule(SYNC_MODULE).isEmpty()) {
      return Finding.problem(
          JAVA,
          what,
          "it lacks the module " + SYNC_MODULE + ", which maps persistent memory",
          "set JAVA_HOME to a complete JDK");
    }
    return Finding.ok(JAVA, what);
  }

  static Finding nativeCalls() {
    return nativeCalls(NativeCalls.unavailabilityCause());
  }

  /** The finding for a process in which native calls fail for this cause; empty if they work. */
  static Finding nativeCalls(Optional<String> failure) {
    return failure
        .map(
            cause ->
                Finding.problem(
                    NATIVE_CALLS,
                    "do not work: no transport ucx, no pool on a DAX device or in huge pages,"
                        + " and a NodeManager's service cannot serve tasks of other users",
                    cause,
                    "set -Djna.tmpdir=DIR to a directory that is writable and not mounted noexec:"
                        + " in YARN_NODEMANAGER_OPTS, in the JVM options of tasks and executors,"
                        + " and after \"java\" for this doctor"))
        .orElseGet(() -> Finding.ok(NATIVE_CALLS, "work"));
  }
}
