package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.merge.RunInput;
import java.util.Map;

class RemoteRunInputTest extends NodeRunInputContract {
  @Override
  RunInput open(RemoteNode node, LocatedRun located, Map<Integer, SegmentLocation> segments) {
    RemoteRunInput input = new RemoteRunInput(node, ID, ID, located, segments, null);
    input.setWindows(3);
    return input;
  }
}
