package io.sluice.local.task;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills the processes of an attempt: those whose environment names it, as Hadoop's streaming sets
 * it, and their children. On a cluster they end with the attempt's container; here the client's
 * process runs on.
 *
 * <p>Thread contract: safe from any thread. Failure: a warning if they start others faster than
 * they can be killed.
 */
final class AttemptProcesses {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptProcesses.class);
  private static final Path PROCESSES = Path.of("/proc");
  private static final int MOST_PASSES = 100;

  private AttemptProcesses() {}

  /**
   * Kills all processes, because an interrupt does not end a thread that waits for their output. It
   * repeats until it finds no new process, because a process may start another one meanwhile.
   */
  static void kill(TaskAttemptID attempt) {
    String text = "mapreduce_task_attempt_id=" + attempt + '\0';
    // The number has the digits of the locale, and the environment its encoding.
    Charset encoding = Charset.forName(System.getProperty("sun.jnu.encoding"));
    String entry = new String(text.getBytes(encoding), StandardCharsets.ISO_8859_1);
    Set<ProcessHandle> seen = new HashSet<>();
    boolean foundNew = true;
    for (int pass = 0; foundNew && pass < MOST_PASSES; pass++) {
      foundNew = false;
      List<ProcessHandle> all = ProcessHandle.allProcesses().toList();
      for (ProcessHandle process : all) {
        String environment = environment(process.pid());
        boolean isOurs = environment.contains(entry);
        if (isOurs) {
          process.destroyForcibly();
        }
        foundNew |= (isOurs || environment.isEmpty()) && seen.add(process);
      }
    }
    if (foundNew) {
      LOG.warn(
          "Programs of {} start others faster than they can be killed; some may still run",
          attempt);
    }
  }

  /** The environment of a process; empty if it has ended, or is between fork and exec. */
  private static String environment(long pid) {
    try {
      return Files.readString(
          PROCESSES.resolve(Long.toString(pid)).resolve("environ"), StandardCharsets.ISO_8859_1);
    } catch (AccessDeniedException e) {
      return "another user's";
    } catch (IOException e) {
      return "";
    }
  }
}
