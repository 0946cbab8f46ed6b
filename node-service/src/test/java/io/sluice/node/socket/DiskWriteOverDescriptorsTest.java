package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

/** The same, where segments are passed over the socket: those of the disk tier for reading only. */
class DiskWriteOverDescriptorsTest extends DiskWriteTest {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }

  @Test
  void aFileOfTheDiskTierIsNotHandedOverForWriting() throws IOException {
    try (SocketClient client = connect(APP)) {
      SegmentInfo segment = client.leaseContiguous(1).segment();
      client.opener().open(segment, false).close();
      assertThrows(NoSuchFileException.class, () -> client.opener().open(segment, true));
    }
  }
}
