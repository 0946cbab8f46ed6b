package io.sluice.local.job;

import io.sluice.local.task.PolledWait;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Calls a job's committer on a thread of its own. As in stock's ApplicationMaster a call has no
 * timeout. If the job is killed, the call is interrupted and has {@code
 * yarn.app.mapreduce.am.job.committer.cancel-timeout} to end.
 *
 * <p>Thread contract: the job's thread. Ownership: the thread of a call ends with the call; a call
 * that ignores interrupts is abandoned. Failure: the exception of the call, or {@link IOException}
 * with the stack of a call that did not end.
 */
final class CommitterCall {
  private final ThreadFactory threads;
  private final long cancelTimeoutMs;

  CommitterCall(ThreadFactory threads, long cancelTimeoutMs) {
    this.threads = threads;
    this.cancelTimeoutMs = cancelTimeoutMs;
  }

  /**
   * Makes a call and waits for its end.
   *
   * @param what name of the call, for messages
   * @param isCancelled whether the call should end
   */
  <T> T run(String what, Callable<T> call, BooleanSupplier isCancelled) throws Throwable {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = threads.newThread(task);
    thread.start();
    PolledWait wait = new PolledWait(cancelTimeoutMs);
    while (!hasEnded(thread)) {
      if (isCancelled.getAsBoolean()) {
        thread.interrupt();
        if (wait.isOver()) {
          throw givenUp(what, thread);
        }
      }
    }
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  private static boolean hasEnded(Thread thread) {
    try {
      return PolledWait.hasEnded(thread);
    } catch (InterruptedException e) {
      return !thread.isAlive(); // the job was killed or the process ends; isCancelled tells
    }
  }

  private IOException givenUp(String what, Thread thread) {
    IOException givenUp =
        new IOException(
            what
                + " has not ended "
                + cancelTimeoutMs
                + " ms after its job was killed ("
                + MRJobConfig.MR_AM_COMMITTER_CANCEL_TIMEOUT_MS
                + "). Its thread still runs; its stack:");
    givenUp.setStackTrace(thread.getStackTrace());
    return givenUp;
  }
}
