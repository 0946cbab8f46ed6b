package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientResourcesTest {
  private final ClientResources resources = new ClientResources("test");

  @AfterEach
  void endTimer() {
    resources.deadlines().close();
  }

  private RegisteredBuffer register(Runnable release) {
    return new RegisteredBuffer(ByteBuffer.allocateDirect(8)) {
      @Override
      protected void release() {
        release.run();
      }
    };
  }

  /** What is not given back is missed until the process ends. */
  @Test
  void memoryThatIsNotGivenBackKeepsNoOther() {
    AtomicInteger released = new AtomicInteger();
    RuntimeException broken = new IllegalStateException("it cannot be deregistered");
    int others = 100;
    for (int i = 0; i < others; i++) {
      if (i == others / 2) {
        resources.registered(
            register(
                () -> {
                  throw broken;
                }));
      }
      resources.registered(register(released::incrementAndGet));
    }
    assertSame(broken, assertThrows(IllegalStateException.class, resources::release));
    assertEquals(others, released.get());
  }
}
