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
 * Frees the outputs of applications that have ended, on a thread of its own: disks are slow, and
 * the NodeManager's dispatcher starts no container while it waits.
 *
 * <p>Before that, the service forgets the application. YARN says only once that it has ended, and
 * this process may be killed while it frees. The next start frees the outputs of applications that
 * the service does not know.
 *
 * <p>Thread contract: safe from any thread; {@link #ended} waits for no disk. Ownership: {@link
 * ServingNode} closes it before the service. Failure: outputs that cannot be freed are logged, and
 * the next start frees them.
 */
final class ApplicationCleaner implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationCleaner.class);
  private static final long IDLE_MS = 10_000;
  private static final long END_TIMEOUT_MS = 30_000;

  private final Freeing freeing;
  private final ThreadPoolExecutor thread = DaemonThreads.executor("sluice-ended", IDLE_MS);

  /** The two steps in which the service ends an application. */
  interface Freeing {
    /** Records the end for the next start, and frees nothing. */
    void forget(String applicationId) throws IOException;

    /** Frees all outputs of the application. */
    void free(String applicationId) throws IOException;
  }

  /** No application has ended yet. */
  ApplicationCleaner(Freeing freeing) {
    this.freeing = freeing;
  }

  /** An application has ended: its outputs are freed soon. */
  void ended(String applicationId) {
    try {
      freeing.forget(applicationId);
    } catch (IOException | RuntimeException e) {
      LOG.error(
          "The end of {} is not recorded; its outputs stay if this process is killed now",
          applicationId,
          e);
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

  /** Waits until all is freed, or {@value #END_TIMEOUT_MS} ms. */
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
