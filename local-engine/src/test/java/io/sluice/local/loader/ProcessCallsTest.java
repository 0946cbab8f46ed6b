package io.sluice.local.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.local.CompiledClasses;
import io.sluice.local.loader.SlotLoader.TaskExit;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class ProcessCallsTest {
  /** Calls among instructions of all lengths, the switches' at each alignment. */
  private static final String CALLS =
      """
      public class Calls {
        static long wide;
        public static int call(int n) {
          Runtime process = Runtime.getRuntime();
          int m = n;
          switch (n) { case 0: process.exit(0); case 1: m += 1000; break; case 2: process.exit(2); }
          m++;
          switch (n) { case 3: process.halt(3); case 1000: m--; break; case -5: process.exit(-5); }
          m += 2;
          switch (n) { case 4: System.exit(4); case 1000000: m--; break; case -6: process.exit(-6); }
          MANY
          int[][] all = new int[2][3];
          long[] longs = {1L << 40, wide};
          Object o = longs;
          if (o instanceof long[] && o != null && all.length == 2) {
            m += 100000;
          }
          double d = Math.PI * m;
          java.util.function.IntConsumer exits = n == 7 ? process::halt : System::exit;
          if (n == 7 || n == 8) {
            exits.accept(n);
          }
          switch ("" + n) { case "9": process.exit(9); default: }
          if (n == 10) {
            new Object() { void exit() { Runtime.getRuntime().exit(10); } }.exit();
          }
          return (int) d + m;
        }
        public int exit(int n) { return n; }
        public static int other(int n) { return new Calls().exit(n); }
      }
      """;

  @TempDir private Path directory;

  private Class<?> calls() throws Exception {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 300; i++) { // so many that instructions on variables become wide
      many.append("int v" + i + " = m + " + i * 200 + "; v" + i + "++; v" + i + " += 1000;\n");
    }
    many.append("m += v299 - v298;\n");
    try (URLClassLoader has =
        CompiledClasses.of(directory, Map.of("Calls", CALLS.replace("MANY", many)))) {
      Configuration conf = new Configuration(false);
      conf.setClassLoader(has);
      Class<?> calls = Class.forName("Calls", true, new SlotLoader(conf));
      calls.getDeclaredClasses();
      Class.forName("Calls$1", false, calls.getClassLoader());
      return calls;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3, -5, 4, -6, 7, 8, 9, 10})
  void callsThatEndTheProcessThrow(int status) throws Exception {
    Class<?> calls = calls();
    SlotLoader loader = (SlotLoader) calls.getClassLoader();
    String[] said = new String[1];
    loader.serve(reason -> said[0] = reason);
    InvocationTargetException thrown =
        assertThrows(
            InvocationTargetException.class,
            () -> calls.getMethod("call", int.class).invoke(null, status));
    assertEquals(TaskExit.class, thrown.getCause().getClass());
    assertEquals(thrown.getCause().getMessage(), said[0]);
    assertEquals(said[0].replaceAll(".*\\((.*)\\)", "$1"), Integer.toString(status));
    assertSame(thrown.getCause(), assertThrows(TaskExit.class, loader::requireNoExit));
    loader.serve(reason -> {});
    loader.requireNoExit();
  }

  @Test
  void aThreadThatAnAttemptHasLeftEndsNoLaterOne() throws Exception {
    Class<?> calls = calls();
    SlotLoader loader = (SlotLoader) calls.getClassLoader();
    loader.serve(reason -> {});
    FutureTask<Object> left =
        new FutureTask<>(() -> calls.getMethod("call", int.class).invoke(null, 4));
    Thread thread = new Thread(left, "left");
    String[] said = new String[1];
    loader.serve(reason -> said[0] = reason);
    thread.start();
    ExecutionException thrown = assertThrows(ExecutionException.class, left::get);
    assertEquals(TaskExit.class, thrown.getCause().getCause().getClass());
    assertNull(said[0]);
    loader.requireNoExit();
  }

  @Test
  void whatDoesNotEndItIsAsItWas() throws Exception {
    Class<?> calls = calls();
    Class<?> before = Class.forName("Calls", true, reloaded());
    for (int n : new int[] {1, 6, 1000, 1_000_000}) {
      assertEquals(
          before.getMethod("call", int.class).invoke(null, n),
          calls.getMethod("call", int.class).invoke(null, n));
    }
    assertEquals(5, calls.getMethod("other", int.class).invoke(null, 5));
  }

  private ClassLoader reloaded() throws Exception {
    return new URLClassLoader(
        new java.net.URL[] {directory.resolve("classes").toUri().toURL()}, null);
  }

  @Test
  void aClassWithoutSuchACallIsTheSameBytes() throws Exception {
    for (Class<?> each : new Class<?>[] {String.class, java.util.HashMap.class, Test.class}) {
      byte[] bytes;
      try (InputStream in =
          each.getResourceAsStream("/" + each.getName().replace('.', '/') + ".class")) {
        bytes = in.readAllBytes();
      }
      assertArrayEquals(bytes, ProcessCalls.replaced(bytes));
    }
  }

  @Test
  void whatIsNoClassIsLeftToTheJvm() throws Exception {
    byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99, 12, 13};
    assertSame(bytes, ProcessCalls.replaced(bytes));
  }
}
