package io.sluice.rdma.transport.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The future of a read. A thread that waits for it, by {@link #get} or {@link #join}, calls the
 * connection first, which may complete it on that thread. A future that depends on this one does
 * not.
 *
 * <p>Thread contract: that of {@link CompletableFuture}.
 */
public final class WaitingFuture extends CompletableFuture<Void> {
  private final Consumer<WaitingFuture> beforeWaiting;

  /**
   * Is not done.
   *
   * @param beforeWaiting called with it, at most once for each thread that waits; must not throw
   */
  public WaitingFuture(Consumer<WaitingFuture> beforeWaiting) {
    this.beforeWaiting = beforeWaiting;
  }

  @Override
  public Void get() throws InterruptedException, ExecutionException {
    beforeWaiting();
    return super.get();
  }

  @Override
  public Void get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    beforeWaiting();
    return super.get(timeout, unit);
  }

  @Override
  public Void join() {
    beforeWaiting();
    return super.join();
  }

  private void beforeWaiting() {
    if (!isDone()) {
      beforeWaiting.accept(this);
    }
  }
}
