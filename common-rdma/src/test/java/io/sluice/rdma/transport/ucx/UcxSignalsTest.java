package io.sluice.rdma.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.sluice.rdma.transport.ucx.UcxProvider.UcxAvailability.UcxSignals;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After UCX has loaded, in a process whose environment says nothing of it, SIGSEGV is the JVM's.
 */
class UcxSignalsTest {
  private static final long LIMIT_S = 60;

  @TempDir private Path directory;

  @Test
  void aProcessWithoutTheVariableKeepsItsHandlers() throws Exception {
    assertEquals("kept", run("kept", null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "SIGSEGV,SIGBUS"})
  void neitherDoesTheVariableMatter(String value) throws Exception {
    assertEquals("kept", run("kept", value));
  }

  /** Otherwise the test above would prove nothing. */
  @Test
  void ucxWouldTakeThem() throws Exception {
    assertEquals("taken", run("bare", null));
  }

  private String run(String mode, String signals) throws Exception {
    assumeTrue(
        UcxProvider.overTcp().isAvailable(),
        () -> UcxProvider.overTcp().unavailabilityCause().orElseThrow());
    Path out = directory.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Loader.class.getName(),
                mode)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().remove("UCX_ERROR_SIGNALS");
    if (signals != null) {
      builder.environment().put("UCX_ERROR_SIGNALS", signals);
    }
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), "it hangs");
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(out, StandardCharsets.UTF_8);
    assertEquals(0, process.exitValue(), output);
    return output.lines().reduce((first, second) -> second).orElse("");
  }

  /** The process. */
  public static final class Loader {
    private static final int SIGSEGV = 11;
    private static final int ENOUGH_BYTES =
        256; // for a struct sigaction, which starts with the handler
    private static final int COMPILED_AFTER = 200_000;

    private Loader() {}

    public static void main(String[] args) {
      Native.register(Loader.class, "c");
      long before = handler();
      if (args[0].equals("kept")) {
        UcxSignals.leaveToJvm().ifPresent(System.out::println);
      }
      NativeLibrary.getInstance("libucs.so.0"); // by itself: jucx gives back what it took
      boolean kept = handler() == before;
      if (kept) {
        UcxProvider.overTcp().unavailabilityCause().ifPresent(System.out::println);
        countNullChecks();
        kept = handler() == before;
      }
      System.out.println(kept ? "kept" : "taken");
    }

    /** Compiled code finds a null by a SIGSEGV. */
    private static void countNullChecks() {
      int nulls = 0;
      for (int i = 0; i < COMPILED_AFTER; i++) {
        try {
          lengthOf(i % 1000 == 999 ? null : "x");
        } catch (NullPointerException e) {
          nulls++;
        }
      }
      if (nulls != COMPILED_AFTER / 1000) {
        throw new AssertionError(nulls + " null references were found");
      }
    }

    private static int lengthOf(String text) {
      return text.length();
    }

    private static long handler() {
      Memory action = new Memory(ENOUGH_BYTES);
      if (sigaction(SIGSEGV, null, action) != 0) {
        throw new AssertionError("sigaction failed");
      }
      return action.getLong(0);
    }

    private static native int sigaction(int signal, Pointer set, Pointer old);
  }
}
