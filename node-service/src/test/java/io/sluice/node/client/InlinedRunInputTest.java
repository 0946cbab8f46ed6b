package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.merge.RunInput;
import java.util.Map;

/** Of a run whose bytes came with the answer. */
class InlinedRunInputTest extends NodeRunInputContract {
  @Override
  RunInput open(RemoteNode node, LocatedRun located, Map<Integer, SegmentLocation> segments) {
    return new RemoteRunInput(node, ID, ID, located, segments, bytes);
  }
}
