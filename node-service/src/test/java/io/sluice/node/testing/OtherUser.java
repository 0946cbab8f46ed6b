package io.sluice.node.testing;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.rdma.testing.Await;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Runs a {@code main} of the test class path as another user, with nobody's rights but that user's.
 * The class path is copied to where that user may read.
 *
 * <p>Thread contract: one thread. Failure: an {@link AssertionError} for a process that does not
 * end in time.
 */
public final class OtherUser {
  /** The user nobody. */
  public static final Owner NOBODY = new Owner(65_534);

  private static final String SETPRIV = "/usr/bin/setpriv";
  private static final long LIMIT_S = 60;

  private final Path directory;
  private final String classPath;

  /** Copies the class path to a directory, through which others may pass from now on. */
  public OtherUser(Path directory) throws IOException {
    this.directory = directory;
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    Path copies = Files.createDirectory(directory.resolve("classes"));
    List<String> copied = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(":")) {
      if (Files.exists(Path.of(entry))) {
        Path copy = copies.resolve(copied.size() + "-" + Path.of(entry).getFileName());
        copy(Path.of(entry), copy);
        copied.add(copy.toString());
      }
    }
    this.classPath = String.join(":", copied);
  }

  /** Skips the test where users cannot be changed. */
  public static void assumeAvailable() {
    Assumptions.assumeTrue(
        new UnixSystem().getUid() == 0, "only root can run a process as another user");
    Assumptions.assumeTrue(Files.isExecutable(Path.of(SETPRIV)), "there is no " + SETPRIV);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files.forEach(
          file -> {
            try {
              Path copy = to.resolve(from.relativize(file).toString());
              Files.copy(file, file.equals(from) ? to : copy);
              boolean isDirectory = Files.isDirectory(file);
              Files.setPosixFilePermissions(
                  copy, PosixFilePermissions.fromString(isDirectory ? "rwxr-xr-x" : "rw-r--r--"));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  /** Runs it to its end as that user, and returns what it has said. */
  public String run(Owner user, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    try (Running running = start(user, main, arguments)) {
      return running.end();
    }
  }

  /** Starts it as that user; the caller closes it. */
  public Running start(Owner user, Class<?> main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                SETPRIV,
                "--reuid=" + user,
                "--regid=" + user,
                "--clear-groups",
                "--inh-caps=-all",
                "--bounding-set=-all",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                classPath,
                main.getName()));
    command.addAll(List.of(arguments));
    Path said = Files.createTempFile(directory, "said", "");
    Process process =
        new ProcessBuilder(command)
            .directory(Path.of("/").toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    return new Running(main.getName(), process, said);
  }

  /** Such a process, which may wait for the end of its input. */
  public static final class Running implements AutoCloseable {
    private final String name;
    private final Process process;
    private final Path said;

    private Running(String name, Process process, Path said) {
      this.name = name;
      this.process = process;
      this.said = said;
    }

    /** Waits until it has said this. */
    public void awaitSaid(String text) {
      Await.until(
          name + " says " + text,
          () -> {
            try {
              String now = Files.readString(said);
              Assertions.assertTrue(process.isAlive() || now.contains(text), now);
              return now.contains(text);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }

    /** Ends its input, waits for its end and returns all that it has said. */
    public String end() throws IOException, InterruptedException {
      process.getOutputStream().close();
      Assertions.assertTrue(
          process.waitFor(LIMIT_S, TimeUnit.SECONDS), () -> name + " does not end: " + said);
      return Files.readString(said);
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
