package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.service.ServiceCounters.BounceCounters;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.RefusesSegments;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A service that has four bounce slots of a window each for a transport called "rdma". */
abstract class BounceTestBase extends NodeTestBase {
  static final TransportProvider RDMA = new RefusesSegments(false);
  static final int SLOTS = BOUNCE_SLOTS;

  /** Starts it with a small memory tier and a disk tier behind. */
  void startRefusing(TransportProvider... transports) throws IOException {
    service = NodeService.start(withDisk(4, transports));
  }

  /** Commits outputs of one run each. */
  List<TestOutput> commitSingles(int count, int lengthBytes) throws IOException {
    Random random = new Random(1);
    List<TestOutput> outputs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      outputs.add(TestOutput.single(random, "attempt_" + i, lengthBytes));
      commit(outputs.get(i));
    }
    return outputs;
  }

  NodeReader rdmaReader(int windows) {
    return reader(windows, null, TIMEOUT_MS, RDMA, new TcpProvider());
  }

  RemoteClient control() throws IOException {
    return RemoteClient.connect(address().control(), APP, SECRET, TIMEOUT_MS);
  }

  static BounceRequest firstBytes(String outputId, int lengthBytes) {
    return new BounceRequest("rdma", outputId, 0, 0, 0, lengthBytes, 1000);
  }

  BounceCounters counters() {
    return service.counters().bounce().get("rdma");
  }

  /** What readers give back has no answer, so it takes a moment. */
  void awaitAllSlotsFree() {
    Await.until("all slots are given back", () -> counters().slotsInUse() == 0);
    assertEquals(0, counters().slotsInUse());
  }
}
