package io.sluice.hadoop.node;

import io.sluice.node.service.NodeService;
import io.sluice.node.wire.FilesId;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees a user's files once no task and no reader has asked this node for any of them for a long
 * time. YARN says when applications end; but a node that was down may miss that files were deleted.
 *
 * <p>Thread contract: safe from any thread; looks on a thread of its own. Ownership: its starter
 * closes it, before the service. Failure: files that cannot be freed are logged, and tried again.
 */
final class FileExpiry implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FileExpiry.class);
  private static final int LOOKS_IN_THAT_TIME = 10;
  private static final long END_TIMEOUT_MS = 10_000;

  private final NodeService service;
  private final long keptMs;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(
          body -> DaemonThreads.create("sluice-forgotten-files", body));

  private FileExpiry(NodeService service, long keptMs) {
    this.service = service;
    this.keptMs = keptMs;
  }

  /** Looks from now on, until it is closed. */
  static FileExpiry start(NodeService service, long keptMs) {
    FileExpiry files = new FileExpiry(service, keptMs);
    long periodMs = Math.max(1, keptMs / LOOKS_IN_THAT_TIME);
    files.looking.scheduleWithFixedDelay(files::look, periodMs, periodMs, TimeUnit.MILLISECONDS);
    return files;
  }

  private void look() {
    for (String id : service.applications().notHeardOf(keptMs)) {
      if (FilesId.ownerOf(id).isPresent()) {
        free(id);
      }
    }
  }

  private void free(String id) {
    try {
      service.applicationStopped(id);
      LOG.info("Freed the files of {}: no task or reader has asked for them for {} ms", id, keptMs);
    } catch (IOException | RuntimeException e) {
      LOG.error("The files of {} could not be freed; trying again later", id, e);
    }
  }

  @Override
  public void close() throws IOException {
    looking.shutdownNow();
    try {
      if (!looking.awaitTermination(END_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
        throw new IOException("files are still being freed after " + END_TIMEOUT_MS + " ms");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the service's end goes on
    }
  }
}
