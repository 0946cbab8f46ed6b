package io.sluice.rdma.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionFixture;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/**
 * As {@link TcpContractTest}, for what is read piece by piece, in pieces shorter than asked for.
 */
class TcpReaderContractTest extends TcpContractTest {
  private static final int PIECE_BYTES = 10_000;

  private final AtomicInteger lent = new AtomicInteger();

  @Override
  protected MemoryRegion region(RegionFixture fixture) {
    return MemoryRegion.ofReader(
        (offsetBytes, lengthBytes) ->
            lend(fixture.mapping().slice((int) offsetBytes, Math.min(PIECE_BYTES, lengthBytes))),
        fixture.mapping().capacity());
  }

  private LentBytes lend(ByteBuffer bytes) {
    lent.incrementAndGet();
    return new LentBytes() {
      @Override
      public ByteBuffer bytes() {
        return bytes.duplicate();
      }

      @Override
      public void close() {
        lent.decrementAndGet();
      }
    };
  }

  @AfterEach
  void everythingIsGivenBack() {
    while (lent.get() > 0) { // by a server that has not yet seen its reader go
      Thread.onSpinWait();
    }
    assertEquals(0, lent.get());
  }
}
