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
 * <p>Thread contract: safe from any thread; {@link #ended} returns at once. Ownership: {@link
 * ServingNode} closes it before the service. Failure: what cannot be freed is logged, and freed by
 * the next start.
 */
final class EndedApplications implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(EndedApplications.class);
  private static final long IDLE_MS = 10_000;
  private static final long END_TIMEOUT_MS = 30_000;

  private final Freeing freeing;
  private final ThreadPoolExecutor thread = DaemonThreads.executor("sluice-ended", IDLE_MS);

  /** Frees all that an application has. */
  interface Freeing {
    void free(String applicationId) throws IOException;
  }

  /** Of which nothing has ended yet. */
  EndedApplications(Freeing freeing) {
    this.freeing = freeing;
  }

  /** That one has ended: what it had is freed soon. */
  void ended(String applicationId) {
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
