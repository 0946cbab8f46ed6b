package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Looks that hang or fail, and services that do not answer. */
@Timeout(300)
class HealthCheckTest {
  @Test
  void aLookThatHangsHoldsUpOneThreadAndNobodyElse() {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger looks = new AtomicInteger();
    HealthCheck check =
        new HealthCheck(
            () -> {
              looks.incrementAndGet();
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return Optional.empty();
            },
            1);
    for (int i = 0; i < 10; i++) {
      String trouble = check.trouble().orElseThrow();
      assertTrue(trouble.startsWith("it hangs: "), trouble);
    }
    assertTrue(looks.get() <= 1, looks + " threads look");
    end.countDown();
    Await.until("it serves again", () -> check.trouble().isEmpty());
  }

  @Test
  void aLookThatFailsIsATrouble() {
    HealthCheck check =
        new HealthCheck(
            () -> {
              throw new OutOfMemoryError("of the test");
            },
            60_000);
    for (int i = 0; i < 2; i++) {
      assertEquals(Optional.of("to look at its state failed: of the test"), check.trouble());
    }
  }

  private static Optional<String> unanswered(SocketAddress address) {
    return HealthCheck.unanswered(address, "the port", 1);
  }

  @Test
  void whoTakesNoConnectionDoesNotAnswer() throws IOException {
    SocketAddress address;
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = silent.getLocalSocketAddress();
      String why = unanswered(address).orElseThrow();
      assertTrue(why.startsWith("the port does not answer: "), why);
    }
    String why = unanswered(address).orElseThrow();
    assertTrue(why.startsWith("the port does not answer: "), why);
    assertTrue(why.contains(Integer.toString(((InetSocketAddress) address).getPort())), why);
  }
}
