package io.sluice.node.faults;

import io.sluice.node.client.NodeReader;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spill.testing.TestOutput;
import java.net.InetSocketAddress;

/**
 * A reader in a process of its own: reads all outputs over and over, as many times as it is told or
 * until a line comes, and says what it has read after each.
 */
final class ReaderMain {
  private ReaderMain() {}

  public static void main(String[] args) throws Exception {
    NodeAddress address =
        new NodeAddress("node1", new InetSocketAddress(args[0], Integer.parseInt(args[1])));
    int rounds = Integer.parseInt(args[2]);
    try (NodeReader reader = VerbsReadsBase.standardReader()) {
      for (int round = 0; round < rounds && System.in.available() == 0; round++) {
        for (TestOutput output : VerbsReadsBase.OUTPUTS) {
          VerbsReadsBase.readAndCheck(reader, address, output);
          System.out.println("read " + VerbsReadsBase.describe(reader.stats()));
        }
      }
    }
    System.out.println("closed");
  }
}
