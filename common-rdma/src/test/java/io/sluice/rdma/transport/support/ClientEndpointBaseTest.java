package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ClientEndpointBaseTest {
  /** One whose device cannot be closed. */
  private static final class Unclosable extends ClientEndpointBase {
    Unclosable() {
      super("unclosable");
    }

    @Override
    public RegisteredBuffer register(ByteBuffer direct) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Connection connect(InetSocketAddress remote, Ticket ticket, long timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void closeRest() {
      throw new IllegalStateException("expected by this test");
    }
  }

  /** Each open leaves a thread otherwise. */
  @Test
  void theTimerEndsAlthoughTheRestDoesNot() throws Exception {
    LeakCheck leaks = new LeakCheck();
    Unclosable endpoint = new Unclosable();
    assertThrows(IllegalStateException.class, endpoint::close);
    leaks.check();
  }
}
