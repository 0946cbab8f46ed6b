package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.memory.store.ProcessStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** What a job must not leave behind. */
public final class Leftovers {
  private static final long ENDS_MS = 30_000;

  private static final String REPORTER = "communication thread";

  /** One that stays is the fault of one test, not of all after it. */
  private static final Set<Thread> NAMED = Collections.newSetFromMap(new WeakHashMap<>());

  private Leftovers() {}

  /**
   * No thread, no file below a directory, no program whose environment names it, and nothing in the
   * store of the process.
   *
   * <p>A program that stays holds a pipe to what has started it. The JDK then gives that one's
   * status to the next process with its number, which may be a chmod of Hadoop's: "exit code 143".
   */
  public static synchronized void none(Configuration conf, Path tmp) throws Exception {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().matches("sluice-(map|reduce|job|sort)[ -].*|" + REPORTER)
          && !NAMED.contains(thread)) {
        thread.join(ENDS_MS);
        if (thread.isAlive()) {
          NAMED.add(thread);
        }
        assertFalse(thread.isAlive(), thread.getName());
      }
    }
    assertEquals(0, ProcessStore.of(conf).stats().memory().usedBytes(), "memory");
    assertEquals(0, ProcessStore.of(conf).stats().disk().usedBytes(), "disk");
    for (ProcessHandle program : programs(tmp.toString())) {
      program.onExit().get(ENDS_MS, TimeUnit.MILLISECONDS);
    }
    if (Files.exists(tmp)) {
      try (Stream<Path> left = Files.walk(tmp)) {
        assertEquals(
            List.of(),
            left.filter(Files::isRegularFile)
                .filter(file -> !file.toString().contains("/sluice/"))
                .filter(file -> !isLock(file) && !isKept(file))
                .toList());
      }
    }
  }

  /** Those whose environment has that text. */
  public static List<ProcessHandle> programs(String text) {
    return ProcessHandle.allProcesses()
        .filter(program -> environment(program).contains(text))
        .toList();
  }

  private static String environment(ProcessHandle program) {
    try {
      return Files.readString(
          Path.of("/proc/" + program.pid() + "/environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it has ended, or is another user's
    }
  }

  /** The settings of one of the last jobs, for whoever asks for it. */
  static boolean isKept(Path file) {
    return file.toString().matches(".*/\\.staging/job_[^/]*/(job\\.xml|\\.job\\.xml\\.crc)");
  }

  /** What says that a directory's process lives. */
  static boolean isLock(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(".guard") || name.contains(".lock");
  }

  /** The threads that report for tasks now. */
  public static Set<Thread> reporters() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(REPORTER))
        .collect(Collectors.toSet());
  }

  /** Where LocalJobRunner fails a task, the thread that reports for it never ends. */
  public static synchronized void excuseReporters(Set<Thread> allBut) {
    reporters().stream().filter(thread -> !allBut.contains(thread)).forEach(NAMED::add);
  }
}
