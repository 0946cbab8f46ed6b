package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.BounceSlots.BounceRequest;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class BounceReadsTest {
  private static final long TIMEOUT_MS = 600_000;

  /** It leaves the thread to the next one, and nobody waits for what has failed. */
  @Test
  void anErrorFailsTheReadThatItStruck() {
    BounceReads.Connector none =
        withinMs -> {
          throw new AssertionError("nothing is connected");
        };
    BounceReads.Offers failing =
        transport -> {
          throw new OutOfMemoryError("on purpose");
        };
    try (BounceReads reads = new BounceReads("node", TIMEOUT_MS, none, failing, null)) {
      for (int i = 0; i < 2; i++) {
        BounceRead read =
            new BounceRead(new BounceRequest("rdma", "attempt_0", 1, 2, 3, 4, 0), null, TIMEOUT_MS);
        reads.start(read);
        ExecutionException e = assertThrows(ExecutionException.class, () -> read.done().get());
        assertInstanceOf(OutOfMemoryError.class, e.getCause().getCause());
      }
    }
  }
}
