package io.sluice.tools;

import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Looks whether a service can serve, and says so within a deadline, even if the look itself hangs.
 *
 * <p>Whoever asks while a look is under way waits for that one. So a service that hangs holds up
 * one thread, however many ask, and strangers cannot make it look more often than it can.
 *
 * <p>Thread contract: safe from any thread; one thread of its own looks, and ends when nobody asks
 * any more. Failure: what a look throws is a trouble.
 */
final class HealthCheck {
  private static final long IDLE_MS = 60_000;

  private final Supplier<Optional<String>> look;
  private final long deadlineMs;
  private final Executor thread = DaemonThreads.executor("sluice-health", IDLE_MS);
  private FutureTask<Optional<String>> last; // null: none yet

  /**
   * A check that has not looked yet.
   *
   * @param look says why the service cannot serve; empty if it can
   */
  HealthCheck(Supplier<Optional<String>> look, long deadlineMs) {
    this.look = look;
    this.deadlineMs = deadlineMs;
  }

  /** Why the service cannot serve now, in plain words; empty if it can. */
  Optional<String> trouble() {
    try {
      return lookUnderWay().get(deadlineMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return Optional.of(
          "it hangs: to look at its state takes longer than "
              + deadlineMs
              + " ms. Its threads show where (jstack)");
    } catch (ExecutionException e) {
      return failed(e.getCause());
    } catch (RuntimeException | Error e) { // of memory or threads, mostly
      return failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("the service is stopping");
    }
  }

  private static Optional<String> failed(Throwable cause) {
    return Optional.of("to look at its state failed: " + ErrorText.of(cause));
  }

  private synchronized FutureTask<Optional<String>> lookUnderWay() {
    if (last == null || last.isDone()) {
      FutureTask<Optional<String>> next = new FutureTask<>(look::get);
      thread.execute(next);
      last = next;
    }
    return last;
  }

  /**
   * Whether a service takes a connection and hears that it ends, as it does for a task or a reader
   * that goes away. Nothing is asked of it, and it counts nothing.
   *
   * @param what listens there, for the message
   * @return why not; empty if it does
   */
  static Optional<String> unanswered(SocketAddress address, String what, long timeoutMs) {
    try (DeadlineChannel channel = DeadlineChannel.connect(address, timeoutMs)) {
      channel.endWriting();
      channel.readFully(ByteBuffer.allocate(Frames.MAX_SHORT_BYTES), timeoutMs);
      return Optional.of("something else listens at " + address + " in place of " + what);
    } catch (EOFException e) {
      return Optional.empty(); // the service has ended the conversation too
    } catch (IOException e) {
      return Optional.of(what + " does not answer: " + ErrorText.of(e));
    }
  }
}
