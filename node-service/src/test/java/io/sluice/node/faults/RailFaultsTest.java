package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.conf.DataAddress;
import io.sluice.node.service.NodeService;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.DummyInterface;
import io.sluice.rdma.testing.SoftDevice;
import io.sluice.rdma.transport.DeviceCounters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * A service on two rails, each a soft RDMA device in a network of its own, and a reader on each.
 * Rails are lost under their reads.
 */
class RailFaultsTest extends VerbsFaultBase {
  private static final long ROUND_BYTES = (long) OUTPUTS.size() * OUTPUT_BYTES;
  private static final long LIMIT_S = 60;

  private final List<NodeReader> readers = new ArrayList<>();
  private DummyInterface network; // null before it is made
  private SoftDevice second; // null before it is made
  private Process deletion; // null before it has begun

  @BeforeEach
  void addRail() throws Exception {
    network = DummyInterface.add("dummy1", "10.78.0.1");
    second = SoftDevice.add("rxe1", network);
    startOnBoth();
    commitOutputs();
  }

  @AfterEach
  void removeRail() throws Exception {
    closeAll();
    if (deletion != null) {
      deletion.waitFor(LIMIT_S, TimeUnit.SECONDS);
    }
    if (second != null) {
      second.remove();
    }
    if (network != null) {
      network.remove();
    }
  }

  /** What has the devices open. */
  private void closeAll() throws IOException {
    while (!readers.isEmpty()) {
      readers.remove(0).close();
    }
    if (service != null) {
      service.close();
    }
  }

  private void startOnBoth() throws Exception {
    DataAddress both = new DataAddress("test.data", text(device) + "," + text(second));
    service =
        NodeService.start(
            ServiceMain.context(home())
                .transports(transports())
                .listen(device.address(), port)
                .dataAddress(both));
  }

  private static String text(SoftDevice rail) {
    return rail.address().getHostAddress();
  }

  private NodeReader newReader() throws Exception {
    NodeReader reader = standardReader();
    readers.add(reader);
    readAndCheckAll(reader);
    return reader;
  }

  /** A reader that has taken this rail, as each does by chance; the time limit ends the search. */
  private NodeReader readerOver(SoftDevice rail) throws Exception {
    while (true) {
      DeviceCounters counters = DeviceCounters.of(rail.name());
      NodeReader reader = newReader();
      if (counters.receivedSinceBytes() >= ROUND_BYTES) {
        return reader;
      }
    }
  }

  private List<EndlessReads> endlessReads(NodeReader... those) {
    return Stream.of(those).map(reader -> new EndlessReads(this, reader)).toList();
  }

  private static void awaitRound(List<EndlessReads> all) {
    all.forEach(reads -> reads.awaitMore(RDMA, ROUND_BYTES));
  }

  /** Waits until they read over the other rail alone; what was lost is read again there. */
  private static String awaitAllOver(SoftDevice other, SoftDevice lost, List<EndlessReads> all) {
    DeviceCounters silent;
    DeviceCounters used;
    do {
      silent = DeviceCounters.of(lost.name());
      used = DeviceCounters.of(other.name());
      awaitRound(all);
    } while (silent.receivedSinceBytes() > 0); // the time limit ends this
    used.assertReceived(ROUND_BYTES); // of two rounds, because a part of them was here before
    return "%s is lost, %s received packets for up to %,d bytes in its place"
        .formatted(lost.name(), other.name(), used.receivedSinceBytes());
  }

  /** All that came has come over verbs, whichever rail it was. */
  private void endWithoutFallback(List<EndlessReads> all, TestReporter reporter) throws Exception {
    for (EndlessReads reads : all) {
      reads.end();
    }
    for (NodeReader reader : readers) {
      assertEquals(0, reader.stats().bytes(TCP), () -> describe(reader.stats()));
      assertEquals(0, reader.stats().transportFallbacks());
      report(reporter, "a rail is lost", reader.stats());
    }
  }

  @Test
  void bothAreUsedSideBySideAndWhereOneIsDownTheOther(TestReporter reporter) throws Exception {
    List<SoftDevice> rails = List.of(device, second);
    NodeReader ofFirst = readerOver(device);
    NodeReader ofSecond = readerOver(second);
    List<DeviceCounters> counters =
        rails.stream().map(rail -> DeviceCounters.of(rail.name())).toList();
    List<EndlessReads> all = endlessReads(ofFirst, ofSecond);
    awaitRound(all);
    for (int i = 0; i < rails.size(); i++) {
      counters.get(i).assertReceived(ROUND_BYTES);
      reporter.publishEntry(
          "rails", rails.get(i).name() + " beside another: " + counters.get(i).since(ROUND_BYTES));
    }

    second.linkDown();
    reporter.publishEntry("rails", awaitAllOver(device, second, all));
    second.linkUp();
    endWithoutFallback(all, reporter);

    NodeReader ofSecondAgain = readerOver(second); // from now on readers are told of both
    all = endlessReads(readerOver(device), ofSecondAgain);
    awaitRound(all);
    device.linkDown();
    reporter.publishEntry("rails", awaitAllOver(second, device, all));
    device.linkUp();
    endWithoutFallback(all, reporter);
  }

  @Tag("campaign") // it takes long; what it shows of readers, the other shows too
  @Test
  void whereOneIsRemovedTheOtherServes(TestReporter reporter) throws Exception {
    List<EndlessReads> all = endlessReads(readerOver(device), readerOver(second));
    assertTrue(second.canBeOpened());
    deletion = second.startDelete();
    Await.until("nobody can open the device", () -> !second.canBeOpened());
    newReader(); // is told of both, and has one
    second.linkDown();
    reporter.publishEntry("rails", awaitAllOver(device, second, all));
    newReader(); // is told of one
    endWithoutFallback(all, reporter);
    closeAll();
    assertTrue(deletion.waitFor(LIMIT_S, TimeUnit.SECONDS), "somebody has the device open");
    assertEquals(0, deletion.exitValue());

    startOnBoth();
    String listening = service.endpoints().listening();
    assertTrue(listening.contains(RDMA + " at " + text(device) + " port "), listening);
    assertFalse(listening.contains(text(second)), listening);
    assertReadsOverVerbs(reporter);
  }
}
