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
 * The processes of an attempt: those whose environment names it, as Hadoop's streaming has it, and
 * what they have started. On a cluster they would end with the attempt's container; here the client
 * goes on.
 *
 * <p>Thread contract: safe from any thread. Failure: a warning if they start others faster than
 * they are ended.
 */
final class AttemptProcesses {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptProcesses.class);
  private static final Path PROCESSES = Path.of("/proc");
  private static final int MOST_PASSES = 100;

  private AttemptProcesses() {}

  /**
   * Ends all there are, by force: an interrupt ends nobody who waits for what they say. It looks
   * until it finds none that it has not seen: one may start another while it looks, but not after
   * it was ended.
   */
  static void kill(TaskAttemptID attempt) {
    String text = "mapreduce_task_attempt_id=" + attempt + '\0';
    // Hadoop writes numbers with the digits of the locale, and Java environments in its encoding.
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
      LOG.warn("Programs of {} start others faster than they are ended; some may be left", attempt);
    }
  }

  /**
   * Of a process; empty if it has ended, perhaps with others started, or is about to become another
   * program.
   */
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
