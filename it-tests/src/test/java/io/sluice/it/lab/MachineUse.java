package io.sluice.it.lab;

import io.sluice.rdma.transport.LeakCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What this machine and this process use, since an object was made. A soft RDMA device works in the
 * kernel, on no process's account, so that processor and memory are the whole machine's.
 */
final class MachineUse {
  private static final Path SYSTEM = Path.of("/proc/stat");
  private static final Path MEMORY = Path.of("/proc/meminfo");
  private static final Path PROCESS = Path.of("/proc/self/status");
  private static final double TICKS_PER_S = 100; // USER_HZ of every Linux

  /** Columns of {@code cpu}: user, nice, system, irq and softirq. */
  private static final int[] BUSY = {1, 2, 3, 6, 7};

  private final double cpuSeconds = allCpuSeconds();
  private final long availableBytes = number(MEMORY, "MemAvailable:") << 10;
  private final long pinnedBytes = number(PROCESS, "VmPin:") << 10;
  private final long threads = number(PROCESS, "Threads:");
  private final long files = LeakCheck.openFiles();

  /** Of all processors. */
  double cpuSeconds() {
    return allCpuSeconds() - cpuSeconds;
  }

  /** Memory of the machine that is not available any more. */
  long memoryBytes() {
    return availableBytes - (number(MEMORY, "MemAvailable:") << 10);
  }

  /** Memory of this process that is pinned. */
  long pinnedBytes() {
    return (number(PROCESS, "VmPin:") << 10) - pinnedBytes;
  }

  /** Threads of this process. */
  long threads() {
    return number(PROCESS, "Threads:") - threads;
  }

  /** Descriptors of this process. */
  long files() {
    return LeakCheck.openFiles() - files;
  }

  private static double allCpuSeconds() {
    List<String> words = words(SYSTEM, "cpu");
    return IntStream.of(BUSY).mapToLong(column -> Long.parseLong(words.get(column))).sum()
        / TICKS_PER_S;
  }

  private static long number(Path file, String name) {
    return Long.parseLong(words(file, name).get(1));
  }

  private static List<String> words(Path file, String first) {
    try {
      return Files.readAllLines(file).stream()
          .map(line -> List.of(line.split("\\s+")))
          .filter(words -> words.get(0).equals(first))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
