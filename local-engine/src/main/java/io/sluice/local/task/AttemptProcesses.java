package io.sluice.local.task;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * The processes of an attempt: those whose environment names it, as Hadoop's streaming has it, and
 * what they have started. On a cluster they would end with the attempt's container; here the client
 * goes on.
 *
 * <p>Thread contract: safe from any thread.
 */
final class AttemptProcesses {
  private static final Path PROCESSES = Path.of("/proc");

  private AttemptProcesses() {}

  /** Ends all there are, by force: an interrupt ends nobody who waits for what they say. */
  static void kill(TaskAttemptID attempt) {
    String text = "mapreduce_task_attempt_id=" + attempt + '\0';
    // Hadoop writes numbers with the digits of the locale, and Java environments in its encoding.
    Charset encoding = Charset.forName(System.getProperty("sun.jnu.encoding"));
    String entry = new String(text.getBytes(encoding), StandardCharsets.ISO_8859_1);
    ProcessHandle.allProcesses()
        .filter(process -> environment(process.pid()).contains(entry))
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static String environment(long pid) {
    try {
      return Files.readString(
          PROCESSES.resolve(Long.toString(pid)).resolve("environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it has ended, or is another user's
    }
  }
}
