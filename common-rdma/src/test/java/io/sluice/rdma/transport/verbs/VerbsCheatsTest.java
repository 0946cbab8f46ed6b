package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.RdmaAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Cheats over a real RDMA device, which must have received their requests; skipped where there is
 * none.
 *
 * <p>What the soft device rxe does otherwise than hardware, by the source of Linux 6.1:
 *
 * <ul>
 *   <li>It checks key, domain, access and the whole range before it sends the first byte. Hardware
 *       may send the part of a read that lies inside the region before it refuses the rest.
 *   <li>It reports no event to the server after a refusal (hardware: {@code
 *       IBV_EVENT_QP_ACCESS_ERR} or {@code IBV_EVENT_QP_REQ_ERR}). The server's queue pair is in
 *       error all the same, and the server learns of it when the client ends.
 *   <li>It refuses a write or an atomic as an invalid request, by the access of the queue pair;
 *       hardware may call it a remote access error.
 *   <li>It does not refuse more reads at a time than were agreed; hardware does. Nothing is read by
 *       that which the client may not read.
 *   <li>It takes a retry count of 7 for retries without end; hardware repeats 7 times.
 *   <li>It has no counter of refusals, only of packets.
 * </ul>
 *
 * <p>A read of no bytes is checked by neither, as the InfiniBand specification has it.
 */
class VerbsCheatsTest extends VerbsCheatsContractTest {
  /** The default, but for the retries: a request without an answer fails after some seconds. */
  private static final VerbsNetwork NETWORK =
      new VerbsNetwork(0, 0, VerbsNetwork.DEFAULT_PARTITION_KEY, 18, 6, 0, false);

  private final VerbsProvider provider = RealVerbs.orSkip(VerbsCheatsTest.class, NETWORK);
  private final Verbs verbs = new LibVerbs();
  private final DeviceCounters counters = new DeviceCounters();

  @AfterEach
  void requestsWereSeenByTheDevice(TestReporter reporter) {
    counters.assertReceived(1);
    reporter.publishEntry(
        "verbs",
        "the devices received packets for up to %,d bytes"
            .formatted(counters.receivedSinceBytes()));
  }

  @Override
  VerbsProvider provider() {
    return provider;
  }

  @Override
  Verbs verbs() {
    return verbs;
  }

  @Override
  Path sysClass() {
    return Path.of("/sys/class");
  }

  @Override
  InetSocketAddress bindAddress() {
    return new InetSocketAddress(RdmaAddress.find(), 0);
  }

  @Override
  String nativeObjects() throws IOException {
    return KernelObjects.resourcesNow();
  }

  /** Its client keeps it open, while the memory goes to the next owner. */
  @Test
  void aQueuePairThatIsKeptAfterItsOwnersEndReadsNothing() throws Exception {
    Owner ann = new Owner();
    RawVerbsClient kept = ann.admit();
    int annsKey = ann.key(kept);
    assertEquals(SUCCESS, read(kept, ann.address(), annsKey));
    kept.landing().put(0, new byte[ASKED_BYTES]);
    ann.server.close();
    Owner next = new Owner(ann.memory);
    assertEquals(ann.address(), next.address());
    assertEquals(
        VerbsLayout.STATUS_NO_ANSWER,
        read(kept, next.address(), next.key(kept)),
        "something answers");
    assertNothingRead(kept);
    RawVerbsClient admitted = next.admit();
    assertEquals(REFUSED, read(admitted, ann.address(), annsKey));
    assertNothingRead(admitted);
    next.assertServes();
  }
}
