package io.sluice.node.client;

import io.sluice.node.wire.NodeAddress;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.Run;
import java.io.IOException;

/** What only this package makes, for tests of the engines: runs that were located, and lost. */
public final class TestFetches {
  private TestFetches() {}

  /** A run of this output that says where it was located, and cannot be read. */
  public static NodeRun located(NodeAddress address, String outputId) {
    Run run = new Run(0, 0, 1, 1, 1, BlockChecksums.of(7));
    return NodeRun.remote(address, outputId, outputId, run, null, null);
  }

  /** The bytes of this output could not be had, for this reason. */
  public static FetchFailedException failed(String outputId, IOException cause) {
    return new FetchFailedException(outputId, outputId + ": failed for a test", cause);
  }

  /** A node has refused for too long. */
  public static NodeBusyException busy() {
    return new NodeBusyException("busy for a test", null);
  }
}
