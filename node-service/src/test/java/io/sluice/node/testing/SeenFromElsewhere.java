package io.sluice.node.testing;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.spill.segment.Owner;
import java.io.IOException;

/**
 * How tests have a task of the service's own user handed what one of another would be: it takes the
 * service for another's, as a task does in a user namespace that shifts numbers.
 */
public final class SeenFromElsewhere {
  private static final Owner SHIFTED = new Owner(123_456_789);

  private SeenFromElsewhere() {}

  /** Whose the service must seem to be. */
  public static Owner owner(SegmentAccess wanted) throws IOException {
    return wanted == SegmentAccess.NAMES ? Owner.ofThisProcess() : SHIFTED;
  }
}
