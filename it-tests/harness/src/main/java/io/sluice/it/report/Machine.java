package io.sluice.it.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * On what a result was measured.
 *
 * @param cpu the processor's name
 * @param cores processors this JVM may use
 * @param memoryBytes memory of the machine
 * @param kernel the operating system's version
 * @param java the JVM's version
 */
public record Machine(String cpu, int cores, long memoryBytes, String kernel, String java) {

  public static Machine here() {
    return new Machine(
        field("/proc/cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        memoryKb("MemTotal") * 1024,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.runtime.version"));
  }

  /** Memory that programs can have now without any other being moved out, in MiB. */
  public static long availableMb() {
    return memoryKb("MemAvailable") / 1024;
  }

  private static long memoryKb(String name) {
    return Long.parseLong(field("/proc/meminfo", name).replaceAll("\\D", ""));
  }

  private static String field(String file, String name) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  @Override
  public String toString() {
    return "%s, %d cores, %.0f GiB, %s, Java %s"
        .formatted(cpu, cores, memoryBytes / (double) (1 << 30), kernel, java);
  }
}
