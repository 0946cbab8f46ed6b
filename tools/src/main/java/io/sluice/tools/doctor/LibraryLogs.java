package io.sluice.tools.doctor;

import com.sun.jna.Native;
import io.sluice.rdma.memory.NativeCalls;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps the log output of libraries out of the doctor's output. UCX writes to the standard output
 * unless {@code UCX_LOG_FILE} is set; libibverbs writes to the standard error only. JNA writes a
 * stack trace to the standard error if it cannot unpack its library; {@link Doctor.JavaCheck}
 * reports that in words.
 *
 * <p>Thread contract: safe from any thread. Call it before libucs is loaded, because libucs reads
 * the C library's environment then.
 */
public final class LibraryLogs {
  static final String VARIABLE = "UCX_LOG_FILE";
  static final String ERRORS = "stderr";
  private static final int KEEP = 0;

  /** A strong reference: a logger without one may be collected and lose its level. */
  private static final Logger JNA = Logger.getLogger("com.sun.jna.Native");

  private LibraryLogs() {}

  /** Redirects the logs of this process, unless its environment sets the variable. */
  public static void toStandardError() {
    JNA.setLevel(Level.OFF);
    // Asked first, because JNA tells only the first caller why it does not load.
    if (NativeCalls.unavailabilityCause().isEmpty()) { // else UCX does not work either
      CLibrary.setenv(VARIABLE, ERRORS, KEEP);
    }
  }

  /** Redirects the logs of a process that will be started. */
  static void toStandardError(ProcessBuilder process) {
    process.environment().putIfAbsent(VARIABLE, ERRORS);
  }

  /** Bound on first use, where native calls work. */
  private static final class CLibrary {
    static {
      Native.register(CLibrary.class, "c");
    }

    static native int setenv(String name, String value, int overwrite);
  }
}
