package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What only this package makes, for tests of the engines: runs that were located, and lost. */
public final class TestFetches {
  private TestFetches() {}

  /** Outputs of one run each that say where they were located, and cannot be read. */
  public static NodeReader.Located located(NodeAddress address, List<String> outputIds) {
    return located(address, outputIds, 1);
  }

  /** The same; those of 0 bytes are read to their ends. */
  public static NodeReader.Located located(
      NodeAddress address, List<String> outputIds, int lengthBytes) {
    int crc = lengthBytes == 0 ? 0 : 7;
    Run run = new Run(0, 0, lengthBytes, 1, 0, 1, BlockChecksums.of(crc));
    RunLocation place = new RunLocation(new UUID(0, 0), 1, List.of(new Range(0, 0, 1)));
    Map<String, List<LocatedRun>> runs = new HashMap<>();
    outputIds.forEach(id -> runs.put(id, List.of(new LocatedRun(run, place))));
    RemoteNode node =
        new RemoteNode(
            address,
            "",
            null,
            new Transports(List.of(), 1, 1),
            null,
            new ReadStats(),
            Timeouts.all(1),
            asked -> {});
    Map<String, Integer> outputs = new HashMap<>();
    LocatedRuns located =
        new LocatedRuns(
            node,
            new LocatedRuns.Task("", null, null),
            new OutputLocations(Map.of(), runs),
            outputs,
            each -> true);
    return new NodeReader.Located(located, outputs, Map.of());
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
