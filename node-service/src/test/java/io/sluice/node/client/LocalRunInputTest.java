package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentMapper;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

class LocalRunInputTest extends NodeRunInputContract {
  private final SegmentMapper mapper =
      new SegmentMapper(SegmentOpener.BY_NAME, id -> null); // the run knows where it is

  @Override
  RunInput open(RemoteNode node, LocatedRun located, Map<Integer, SegmentLocation> segments) {
    return new LocalRunInput(node, mapper, ID, ID, located, segments);
  }

  @AfterEach
  void closeFiles() throws IOException {
    mapper.close();
  }
}
