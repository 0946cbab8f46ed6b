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
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one attempt on a thread of its own. The attempt can be told to end, and is abandoned if it
 * does not.
 *
 * <p>Thread contract: safe from any thread. Ownership: the thread cleans up after itself, also
 * after it was abandoned.
 */
public final class AttemptThread {
  private static final ThreadLocal<AttemptThread> CURRENT = new ThreadLocal<>();

  private final TaskAttemptID id;
  private final Thread thread;
  private boolean cleansUp; // guarded by this
  private volatile Throwable failure;
  private volatile String endReason; // null if it was not told to end

  /** The work of an attempt. */
  public interface Body {
    /** Runs the attempt. */
    void run(TaskAttemptID id) throws Exception;
  }

  /** Does not begin yet. */
  public AttemptThread(TaskAttemptID id, ThreadFactory threads, Body body) {
    this.id = id;
    this.thread =
        threads.newThread(
            () -> {
              CURRENT.set(this);
              CallingJob.enter(id.getJobID());
              try {
                body.run(id);
              } catch (Throwable e) {
                failure = e;
              }
              if (failure != null
                  || endReason != null) { // an attempt that was told to end may succeed
                AttemptProcesses.kill(id);
              }
            });
  }

  /** The attempt. */
  public TaskAttemptID id() {
    return id;
  }

  /** Tells the attempt to end, with a reason. */
  public synchronized void end(String reason) {
    if (endReason == null) {
      endReason = reason;
    }
    if (!cleansUp) {
      thread.interrupt();
    }
  }

  /** The attempt of the calling thread has failed; it is not interrupted while it cleans up. */
  static void cleansUp() {
    AttemptThread attempt = CURRENT.get();
    synchronized (attempt) { // else an interrupt could come after the check
      attempt.cleansUp = true;
      Thread.interrupted();
    }
  }

  /** Whether the attempt has failed and cleans up now. */
  public synchronized boolean isCleaningUp() {
    return cleansUp;
  }

  /** The reason for which it was told to end, or null. */
  public String endReason() {
    return endReason;
  }

  /**
   * Runs the attempt to its end, and checks every second whether it has to end.
   *
   * @param watch returns the reason for which the attempt must end, or null; called every second
   * @param graceMs time to end after it was told to; at least one poll
   * @throws AttemptGivenUp if it does not end in that time
   * @throws Exception of the attempt
   */
  public void run(Supplier<String> watch, long graceMs) throws Exception {
    thread.start();
    boolean interrupted = false;
    try {
      PolledWait grace = new PolledWait(graceMs);
      while (true) {
        try {
          if (PolledWait.hasEnded(thread)) {
            break;
          }
        } catch (InterruptedException e) {
          interrupted = true;
          end("its job ends");
        }
        String reason = endReason == null ? watch.get() : endReason;
        if (reason == null) {
          continue;
        }
        end(reason); // interrupts again, in case the first was ignored
        AttemptProcesses.kill(id);
        if (grace.isOver()) {
          thread.interrupt(); // also while it cleans up, because the time is over
          throw new AttemptGivenUp(id, reason, thread.getStackTrace());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (failure instanceof Exception e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    } else if (failure != null) {
      throw new IOException(failure); // other languages may throw any Throwable
    }
  }

  /**
   * An attempt did not end when it was told to, because the user's code ignores interrupts. Java
   * cannot stop its thread, which runs on. The stack of this exception is that of the thread.
   */
  public static final class AttemptGivenUp extends IOException {
    private static final long serialVersionUID = 1L;

    AttemptGivenUp(TaskAttemptID id, String reason, StackTraceElement[] stack) {
      super(
          id
              + " did not end when it was told to, because "
              + reason
              + ". Its thread still runs; its stack:");
      setStackTrace(stack);
    }
  }

  /**
   * The jobs for which a thread works. A task may start a job and wait for it; threads that a task
   * starts work for the same jobs.
   *
   * <p>Thread contract: each thread has its own value.
   */
  public static final class CallingJob {
    private static final InheritableThreadLocal<Set<JobID>> JOBS = new InheritableThreadLocal<>();

    private CallingJob() {}

    /** The job of the calling task, and the jobs whose tasks have started that job. */
    public static Set<JobID> here() {
      Set<JobID> jobs = JOBS.get();
      return jobs == null ? Set.of() : jobs;
    }

    /** The calling thread begins a task of a job. */
    static void enter(JobID job) {
      Set<JobID> jobs = new HashSet<>(here());
      jobs.add(job);
      JOBS.set(Set.copyOf(jobs));
    }
  }

  /**
   * Kills the processes of an attempt: those whose environment names it, as Hadoop's streaming sets
   * it, and their children. On a cluster they end with the attempt's container; here the client's
   * process runs on.
   *
   * <p>Thread contract: safe from any thread. Failure: a warning if they start others faster than
   * they can be killed.
   */
  static final class AttemptProcesses {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptProcesses.class);
    private static final Path PROCESSES = Path.of("/proc");
    private static final int MOST_PASSES = 100;

    private AttemptProcesses() {}

    /**
     * Kills all processes, because an interrupt does not end a thread that waits for their output.
     * It repeats until it finds no new process, because a process may start another one meanwhile.
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
}
