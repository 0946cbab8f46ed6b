package io.sluice.it.limit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the system's own programs. */
final class Programs {
  private static final long DEADLINE_S = 300;
  private static final List<Path> BESIDES_PATH = List.of(Path.of("/usr/sbin"), Path.of("/sbin"));

  private Programs() {}

  /** Where a program is, on the path or where only root's path leads. */
  static Optional<Path> find(String program) {
    return Stream.concat(
            Stream.of(System.getenv("PATH").split(":")).map(Path::of), BESIDES_PATH.stream())
        .map(directory -> directory.resolve(program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Runs one to its end and returns what it printed; another status than 0 is an error. */
  static String run(String program, String... arguments) {
    String path =
        find(program)
            .orElseThrow(() -> new LimitException(program + " is not installed"))
            .toString();
    ProcessBuilder builder =
        new ProcessBuilder(Stream.concat(Stream.of(path), Stream.of(arguments)).toList());
    try {
      Process process = builder.redirectErrorStream(true).start();
      process.getOutputStream().close();
      String printed =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new LimitException("%s did not end".formatted(builder.command()));
      }
      if (process.exitValue() != 0) {
        throw new LimitException(
            "%s ended with status %d: %s"
                .formatted(builder.command(), process.exitValue(), printed));
      }
      return printed;
    } catch (IOException e) {
      throw new LimitException("cannot run " + builder.command(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LimitException("interrupted while %s ran".formatted(builder.command()), e);
    }
  }
}
