package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A read is completed whatever goes wrong while it is: who waits for it would wait for ever. */
final class PendingReadTest {
  private static final int LENGTH_BYTES = 8;

  private final TransportMeter meter = new TransportMeter();
  private final List<RegisteredBuffer> destinations = new ArrayList<>();

  /** With no meter, counting it fails. */
  private PendingRead read(TransportMeter meter) {
    RegisteredBuffer destination =
        new RegisteredBuffer(ByteBuffer.allocateDirect(LENGTH_BYTES)) {
          @Override
          protected void release() {}
        };
    destinations.add(destination);
    return new PendingRead(
        new RegionDescriptor(1, 1, LENGTH_BYTES, new byte[0]),
        0,
        destination,
        0,
        LENGTH_BYTES,
        1_000,
        "a test",
        meter,
        new CompletableFuture<>());
  }

  private static ConnectionLostException lost() {
    return new ConnectionLostException("for a test");
  }

  private void assertLetGo() {
    destinations.forEach(RegisteredBuffer::close); // which fails while a read holds it
  }

  private static Throwable failure(PendingRead read) {
    assertTrue(read.future().isDone());
    return assertThrows(CompletionException.class, () -> read.future().join()).getCause();
  }

  @Test
  void oneThatSucceedsIsDoneThoughItCannotBeCounted() {
    PendingRead read = read(null);
    assertThrows(NullPointerException.class, read::succeed);
    assertTrue(read.future().isDone());
    assertFalse(read.future().isCompletedExceptionally());
    assertLetGo();
  }

  @Test
  void oneThatFailsIsDoneThoughItCannotBeCounted() {
    PendingRead read = read(null);
    ConnectionLostException cause = lost();
    assertThrows(NullPointerException.class, () -> read.fail(cause));
    assertSame(cause, failure(read));
    assertLetGo();
  }

  @Test
  void oneThatIsLateIsDoneThoughThatCannotBeSaid() {
    PendingRead read = read(null);
    Throwable thrown = assertThrows(NullPointerException.class, read::failLate);
    assertSame(thrown, failure(read));
    assertLetGo();
  }

  @Test
  void allThatAreLeftBehindEndThoughOneCannotBeEndedAsItShould() {
    List<PendingRead> reads = Stream.of(meter, null, meter, meter).map(this::read).toList();
    Error shortage = new OutOfMemoryError("for a test");
    ConnectionLostException cause = lost();
    PendingRead.endAll(
        reads,
        read -> {
          if (read == reads.get(2)) {
            throw shortage;
          }
          read.fail(cause);
        });
    assertEquals(
        List.of(cause, cause, shortage, cause),
        reads.stream().map(PendingReadTest::failure).toList());
    assertLetGo();
  }
}
