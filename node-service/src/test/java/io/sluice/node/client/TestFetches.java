package io.sluice.node.client;

import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.format.RunPlace;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What only this package makes, for tests of the engines: runs that were located, and lost. */
public final class TestFetches {
  private TestFetches() {}

  /** A run of this output that says where it was located, and cannot be read. */
  public static NodeRun located(NodeAddress address, String outputId) {
    Run run = new Run(0, 0, 1, 1, 0, 1, BlockChecksums.of(7));
    RemoteNode node =
        new RemoteNode(
            address, "", null, null, null, new ReadStats(), Timeouts.all(1), asked -> {});
    NodeRun.Origin origin = new NodeRun.Origin(node, "", Map.of(), null, null);
    RunPlace place = new RunPlace(new UUID(0, 0), 1, List.of(new Range(0, 0, 1)));
    return new NodeRun(origin, outputId, new LocatedRun(run, place), null, true);
  }

  /** The bytes of this output could not be had, for this reason. */
  public static FetchFailedException failed(String outputId, IOException cause) {
    return new FetchFailedException(outputId, outputId + ": failed for a test", cause);
  }

  /** This process cannot read. */
  public static ReaderFailedException readerFailed() {
    return new ReaderFailedException("failed for a test", null);
  }

  /** A node has refused for too long. */
  public static NodeBusyException busy() {
    return new NodeBusyException("busy for a test", null);
  }
}
