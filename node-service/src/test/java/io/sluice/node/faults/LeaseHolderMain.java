package io.sluice.node.faults;

import io.sluice.node.socket.SocketClient;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.JobSecret;
import io.sluice.spill.segment.Owner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A task in a process of its own: leases so many bytes and says so, and ends with its input. */
final class LeaseHolderMain {
  private static final long TIMEOUT_MS = 120_000;

  private LeaseHolderMain() {}

  public static void main(String[] args) throws Exception {
    JobSecret secret = new JobSecret(args[2].getBytes(StandardCharsets.US_ASCII));
    Owner service = SeenFromElsewhere.owner(SegmentAccess.valueOf(args[4]));
    try (SocketClient client =
        SocketClient.connect(Path.of(args[0]), service, args[1], secret, TIMEOUT_MS)) {
      client.lease(Long.parseLong(args[3]));
      System.out.println("leased");
      while (System.in.read() >= 0) {
        // until nobody wants it any more
      }
    }
  }
}
