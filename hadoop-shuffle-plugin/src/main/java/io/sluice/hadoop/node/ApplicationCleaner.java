package io.sluice.hadoop.node;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees what applications that have ended had on this node, on a thread of its own: disks take
 * their time for that, and the NodeManager's dispatcher starts no container while it waits.
 *
 * <p>The service forgets such an application before that, and at once: YARN says only once that it
 * has ended, and this process may be killed while it frees. What an application has that the
 * service does not know is freed by the next start.
 *
 * <p>Thread contract: safe from any thread; {@link #ended} waits for no disk. Ownership: {@link
 * ServingNode} closes it before the service. Failure: what cannot be freed is logged, and freed by
 * the next start.
 */
final class ApplicationCleaner implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationCleaner.class);
  private static final long IDLE_MS = 10_000;
  private static final long END_TIMEOUT_MS = 30_000;

  private final Freeing freeing;
  private final ThreadPoolExecutor thread = DaemonThreads.executor("sluice-ended", IDLE_MS);

  /** What the service does of an application that has ended. */
  interface Freeing {
    /** Says so to the next start, and touches nothing that the application has. */
    void forget(String applicationId) throws IOException;

    /** Frees all that it has. */
    void free(String applicationId) throws IOException;
  }

  /** Of which nothing has ended yet. */
  ApplicationCleaner(Freeing freeing) {
    this.freeing = freeing;
  }

  /** That one has ended: what it had is freed soon. */
  void ended(String applicationId) {
    try {
      freeing.forget(applicationId);
    } catch (IOException | RuntimeException e) {
      LOG.error("If this process ends now, the outputs of {} stay", applicationId, e);
    }
    try {
      thread.execute(() -> free(applicationId));
    } catch (RejectedExecutionException | OutOfMemoryError e) { // of threads, as the JVM calls it
      LOG.error("The outputs of {} stay until the next start", applicationId, e);
    }
  }

  private void free(String applicationId) {
    try {
      freeing.free(applicationId);
    } catch (IOException | RuntimeException e) {
      LOG.error("The outputs of {} could not be freed", applicationId, e);
    }
  }

  /** Returns when all that ended before is freed, or after {@value #END_TIMEOUT_MS} ms. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(END_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("Outputs of applications that have ended stay until the next start");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the service's end goes on
    }
  }
}
