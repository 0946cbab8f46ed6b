package io.sluice.tools.doctor;

import com.sun.jna.Native;

/**
 * Keeps what UCX has to say off the standard output, where a program reads findings: it writes
 * there unless {@code UCX_LOG_FILE} says otherwise.
 *
 * <p>Thread contract: safe from any thread; before libucs is loaded, which asks the C library's
 * environment.
 */
public final class UcxLog {
  static final String VARIABLE = "UCX_LOG_FILE";
  static final String ERRORS = "stderr";
  private static final int KEEP = 0;

  private UcxLog() {}

  /** For this process, unless its environment says something else. */
  public static void toStandardError() {
    try {
      CLibrary.setenv(VARIABLE, ERRORS, KEEP);
    } catch (LinkageError | RuntimeException e) {
      // Without JNA there is no transport of UCX either.
    }
  }

  /** For a process to be started. */
  static void toStandardError(ProcessBuilder process) {
    process.environment().putIfAbsent(VARIABLE, ERRORS);
  }

  /** Bound on first use, so that a failure is one of {@link #toStandardError()}. */
  private static final class CLibrary {
    static {
      Native.register(CLibrary.class, "c");
    }

    static native int setenv(String name, String value, int overwrite);
  }
}
