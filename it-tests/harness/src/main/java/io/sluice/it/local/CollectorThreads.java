package io.sluice.it.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The threads of this process's garbage collector, by the names that HotSpot gives them: its
 * workers, those of G1, and the thread that runs what a collection does alone.
 */
final class CollectorThreads {
  private static final Pattern NAME = Pattern.compile("GC Thread#.*|G1 .*|VM Thread");
  private static final long MS_OF_TICK = 10; // what Linux shows times in, on every machine
  private static final int USER_TICKS = 11; // fields behind the name in brackets
  private static final int SYSTEM_TICKS = 12;

  private CollectorThreads() {}

  /** Their processor time until now, each rounded down to 10 ms. */
  static long cpuMs() throws IOException {
    List<Path> threads;
    try (Stream<Path> all = Files.list(Path.of("/proc/self/task"))) {
      threads = all.toList();
    }
    long cpuMs = 0;
    for (Path thread : threads) {
      try {
        cpuMs += cpuMs(Files.readString(thread.resolve("stat")));
      } catch (IOException e) {
        if (Files.exists(thread)) {
          throw e;
        }
        continue; // ended meanwhile, maybe after it was opened; the collector's do not
      }
    }
    return cpuMs;
  }

  /** That of a thread, or 0 if it is not the collector's. */
  static long cpuMs(String stat) {
    int nameEnd = stat.lastIndexOf(')');
    if (!NAME.matcher(stat.substring(stat.indexOf('(') + 1, nameEnd)).matches()) {
      return 0;
    }
    String[] fields = stat.substring(nameEnd + 2).split(" ");
    return MS_OF_TICK * (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]));
  }
}
