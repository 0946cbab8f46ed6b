package io.sluice.rdma.transport.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
import io.sluice.rdma.transport.support.ClientEndpointBase.ClientResources;
import io.sluice.rdma.transport.support.ClientEndpointBase.EndpointBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A read that cannot be started fails at once, and holds its destination no longer. */
class ReadFactoryTest {
  private static final int LENGTH_BYTES = 8;
  private static final long NEVER_MS = 1_000_000;

  private final ClientResources resources = new ClientResources("test");
  private final Error shortage = new Error("expected by this test"); // of memory, JUnit would end
  private final List<PendingRead> submitted = new ArrayList<>();
  private final EndpointBuffer destination =
      new EndpointBuffer(resources, ByteBuffer.allocateDirect(LENGTH_BYTES)) {
        @Override
        protected void release() {}
      };

  @AfterEach
  void endTimer() {
    resources.deadlines().close();
  }

  private CompletableFuture<Void> start(
      Supplier<CompletableFuture<Void>> futures, Consumer<PendingRead> submit, int lengthBytes) {
    return new ReadFactory(resources, "a test", futures, submit, late -> {})
        .start(
            new RegionDescriptor(1, 1, LENGTH_BYTES / 2, new byte[0]),
            0,
            destination,
            0,
            lengthBytes,
            NEVER_MS);
  }

  private CompletableFuture<Void> start(Consumer<PendingRead> submit) {
    return start(CompletableFuture::new, submit, 1);
  }

  private void assertNotStarted(CompletableFuture<Void> read) {
    assertTrue(read.isDone());
    Throwable failure = assertThrows(CompletionException.class, read::join).getCause();
    assertSame(TransportException.class, failure.getClass());
    assertSame(shortage, failure.getCause());
    assertTrue(failure.getMessage().contains("at a test was not started"), failure.getMessage());
    assertEquals(1, resources.meter().snapshot().failedReads());
    destination.close(); // which fails while a read holds it
  }

  @Test
  void aReadThatIsNotSubmittedFailsAndLetsGoOfItsDestination() {
    assertNotStarted(
        start(
            read -> {
              throw shortage;
            }));
  }

  @Test
  void aReadWhoseDeadlineCannotBeStartedIsNotSubmitted() throws Exception {
    assertNotStarted(FailingDeadlines.during(destination, shortage, () -> start(submitted::add)));
    assertEquals(List.of(), submitted);
  }

  @Test
  void aReadWithoutAFutureHoldsNothing() {
    Supplier<CompletableFuture<Void>> none =
        () -> {
          throw shortage;
        };
    assertSame(shortage, assertThrows(Error.class, () -> start(none, submitted::add, 1)));
    assertEquals(List.of(), submitted);
    destination.close();
  }

  @Test
  void aReadThatIsSubmittedHoldsItsDestinationUntilItIsCompleted() {
    CompletableFuture<Void> future = start(submitted::add);
    assertFalse(future.isDone());
    assertThrows(IllegalStateException.class, destination::close);
    submitted.get(0).succeed();
    future.join();
    destination.close();
  }

  @Test
  void aReadOutsideTheRegionIsNotSubmitted() {
    CompletableFuture<Void> read = start(CompletableFuture::new, submitted::add, LENGTH_BYTES);
    assertInstanceOf(
        RemoteAccessException.class,
        assertThrows(CompletionException.class, read::join).getCause());
    assertEquals(List.of(), submitted);
    destination.close();
  }
}
