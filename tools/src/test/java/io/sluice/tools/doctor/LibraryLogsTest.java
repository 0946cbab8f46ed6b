package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Native;
import org.junit.jupiter.api.Test;

class LibraryLogsTest {
  private static final class CLibrary {
    static {
      Native.register(CLibrary.class, "c");
    }

    static native String getenv(String name);

    static native int unsetenv(String name);

    static native int setenv(String name, String value, int overwrite);
  }

  @Test
  void ucxWritesToTheStandardError() {
    CLibrary.unsetenv(LibraryLogs.VARIABLE);
    LibraryLogs.toStandardError();
    assertEquals("stderr", CLibrary.getenv(LibraryLogs.VARIABLE));
  }

  @Test
  void whereTheEnvironmentSaysIsWhereItGoes() {
    CLibrary.setenv(LibraryLogs.VARIABLE, "/tmp/ucx.log", 1);
    LibraryLogs.toStandardError();
    assertEquals("/tmp/ucx.log", CLibrary.getenv(LibraryLogs.VARIABLE));
  }
}
