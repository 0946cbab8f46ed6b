package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class LockFileTest {
  @TempDir Path dir;

  @AfterEach
  void clearFlag() {
    Thread.interrupted();
  }

  /** Another JVM, which tries once and says whether it got it. */
  public static final class Other {
    private Other() {}

    /** Tries to lock the file that is named; holds it until its input ends. */
    public static void main(String[] args) throws IOException {
      boolean held = LockFile.tryLock(Path.of(args[0])).isPresent();
      System.out.write(held ? 'y' : 'n');
      System.out.flush();
      System.in.read();
    }
  }

  private Process other(Path file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Other.class.getName(),
            file.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static boolean gotIt(Process other) throws IOException {
    InputStream out = other.getInputStream();
    int said = out.read();
    assertTrue(said == 'y' || said == 'n', "it said " + said);
    return said == 'y';
  }

  private boolean anotherProcessGetsIt(Path file) throws Exception {
    Process other = other(file);
    try {
      return gotIt(other);
    } finally {
      end(other);
    }
  }

  private static void end(Process other) throws Exception {
    other.destroyForcibly();
    assertTrue(other.waitFor(30, TimeUnit.SECONDS));
  }

  /** A second try of this process must not cost it the lock that it has. */
  @Test
  void triesOfTheSameProcessDoNotLoseIt() throws Exception {
    Path file = dir.resolve("a.lock");
    try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
      assertEquals(file, held.path());
      for (int i = 0; i < 3; i++) {
        assertTrue(LockFile.tryLock(file).isEmpty());
      }
      assertFalse(anotherProcessGetsIt(file));
    }
    assertTrue(anotherProcessGetsIt(file));
    LockFile.tryLock(file).orElseThrow().close();
  }

  @Test
  void triesOfOtherLoadersOfTheSameProcessDoNotLoseIt() throws Exception {
    Path file = dir.resolve("a.lock");
    URL classes = LockFile.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader loader =
            new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader());
        LockFile held = LockFile.tryLock(file).orElseThrow()) {
      Class<?> theirs = loader.loadClass(LockFile.class.getName());
      assertEquals(
          Optional.empty(), theirs.getMethod("tryLock", Path.class).invoke(null, held.path()));
      assertFalse(anotherProcessGetsIt(file));
    }
  }

  @Test
  void whatADeadProcessHeldIsFreeAndTidiedUp() throws Exception {
    Path file = dir.resolve("a.lock");
    Process other = other(file);
    try {
      assertTrue(gotIt(other));
      assertTrue(LockFile.tryLock(file).isEmpty());
    } finally {
      end(other);
    }
    LockFile.tryLock(file).orElseThrow().close();
    try (Stream<Path> left = Files.list(dir)) {
      assertEquals(List.of(file), left.toList());
    }
  }

  @Test
  void anInterruptedThreadLocksAndHoldsIt() throws Exception {
    Path file = dir.resolve("a.lock");
    Thread.currentThread().interrupt();
    try (LockFile held = LockFile.tryLock(file).orElseThrow()) {
      assertTrue(LockFile.tryLock(held.path()).isEmpty());
      assertTrue(Thread.interrupted());
      assertFalse(anotherProcessGetsIt(file));
    }
  }
}
