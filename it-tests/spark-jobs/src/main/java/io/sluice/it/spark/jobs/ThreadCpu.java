package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Processor time of this process by what its threads are called, the JVM's own included: the
 * compiler's, the collector's. The kernel keeps it; of threads that have ended it is gone.
 */
final class ThreadCpu {
  private static final Path TASKS = Path.of("/proc/self/task");

  private ThreadCpu() {}

  /** Since each began, in ns. */
  static SortedMap<String, Long> byName() {
    SortedMap<String, Long> byName = new TreeMap<>();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        try {
          String name = Files.readString(task.resolve("comm")).strip();
          String runNs = Files.readString(task.resolve("schedstat")).split(" ")[0];
          byName.merge(kind(name), Long.parseLong(runNs), Long::sum);
        } catch (IOException e) {
          // A thread that ends while its file is open has ESRCH for an answer, not a missing file.
          if (Files.exists(task)) {
            throw e;
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + TASKS, e);
    }
    return byName;
  }

  /** Without the numbers that tell threads of one kind from each other, and what a task is at. */
  private static String kind(String name) {
    if (name.matches("C[12] Compiler.*")) {
      return "compiler";
    }
    if (name.startsWith("Executor task")) {
      return "tasks";
    }
    return name.replaceAll("[-#. ]+[0-9]+.*|[-#. ]+$", "");
  }

  /** How much more it is now, by name; what is less, because a thread has ended, counts as 0. */
  static SortedMap<String, Long> since(
      SortedMap<String, Long> before, SortedMap<String, Long> now) {
    SortedMap<String, Long> more = new TreeMap<>();
    now.forEach((name, ns) -> more.put(name, Math.max(0, ns - before.getOrDefault(name, 0L))));
    more.values().removeIf(ns -> ns == 0);
    return more;
  }
}
