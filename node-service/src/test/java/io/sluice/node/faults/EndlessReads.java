package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.node.client.NodeReader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A thread that reads all outputs over and over, so that reads are in flight whenever a fault
 * comes.
 *
 * <p>Ownership: the reader stays its owner's, who ends the reads before closing it.
 */
final class EndlessReads {
  /** Beyond every deadline that a read may meet in a row: two attempts, and asking in between. */
  private static final long LIMIT_S = 90;

  private final NodeReader reader;
  private final CompletableFuture<Void> outcome = new CompletableFuture<>();
  private volatile boolean stopping;

  EndlessReads(VerbsFaultBase test, NodeReader reader) {
    this.reader = reader;
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!stopping) {
                  test.readAndCheckAll(reader);
                }
                outcome.complete(null);
              } catch (Throwable e) {
                outcome.completeExceptionally(e);
              }
            },
            "endless-reads");
    thread.setDaemon(true);
    thread.start();
  }

  /** Waits until so many more bytes have come over a transport, or reading has failed. */
  EndlessReads awaitMore(String way, long moreBytes) {
    long fromBytes = reader.stats().bytes(way);
    until(
        moreBytes + " bytes over " + way + " after " + VerbsReadsBase.describe(reader.stats()),
        () -> outcome.isDone() || reader.stats().bytes(way) >= fromBytes + moreBytes);
    return this;
  }

  /** Waits until something was tried again. */
  void awaitRetry() {
    until("a retry", () -> outcome.isDone() || reader.stats().retries() > 0);
  }

  /** As long as deadlines in a row may take, which is longer than other tests wait. */
  private static void until(String what, BooleanSupplier condition) {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNs > 0) {
        fail("not within " + LIMIT_S + " s: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /** Ends after the current round, which must not fail. */
  void end() throws Exception {
    stopping = true;
    Throwable failure = failure();
    if (failure != null) {
      throw new AssertionError("reading failed", failure);
    }
  }

  /** Waits for the failure that must come. */
  <T extends Throwable> T awaitFailure(Class<T> type) throws Exception {
    Throwable failure = failure();
    assertNotNull(failure, "reading went on");
    return assertInstanceOf(type, failure, () -> "wrong failure: " + failure);
  }

  private Throwable failure() throws InterruptedException {
    try {
      outcome.get(LIMIT_S, TimeUnit.SECONDS);
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    } catch (TimeoutException e) {
      throw new AssertionError("a read hangs, after " + VerbsReadsBase.describe(reader.stats()), e);
    }
  }
}
