package io.sluice.tools.doctor;

import com.sun.jna.Native;
import io.sluice.rdma.memory.NativeCalls;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps what libraries have to say away from what people and programs read. UCX writes to the
 * standard output unless {@code UCX_LOG_FILE} says otherwise. JNA writes a stack trace to the
 * standard error where it cannot unpack its library, which {@link JavaCheck} says in words.
 *
 * <p>Thread contract: safe from any thread; before libucs is loaded, which asks the C library's
 * environment.
 */
public final class LibraryLogs {
  static final String VARIABLE = "UCX_LOG_FILE";
  static final String ERRORS = "stderr";
  private static final int KEEP = 0;

  /** Held, because a logger that nobody holds forgets its level. */
  private static final Logger JNA = Logger.getLogger("com.sun.jna.Native");

  private LibraryLogs() {}

  /** For this process, unless its environment says something else. */
  public static void toStandardError() {
    JNA.setLevel(Level.OFF);
    // Asked first, because JNA says why it does not load to the first who asks alone.
    if (NativeCalls.unavailabilityCause().isEmpty()) { // else there is no transport of UCX either
      CLibrary.setenv(VARIABLE, ERRORS, KEEP);
    }
  }

  /** For a process to be started. */
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
