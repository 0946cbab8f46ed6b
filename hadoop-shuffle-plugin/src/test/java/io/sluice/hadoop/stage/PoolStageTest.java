package io.sluice.hadoop.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.local.LocalClient;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.medium.PlainMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

final class PoolStageTest extends StageAreaContract {
  @TempDir Path directory;
  private long allocatedBytes;
  private TestNode node;
  private LocalClient client;
  private StageArea area;

  @BeforeEach
  void open() throws IOException {
    allocatedBytes = OffHeap.allocatedBytes();
    node = TestNode.start(directory, 16 << 20);
    client =
        NodeLink.connect(NodeLink.metadata(node.environment()), TestJob.ID, TestJob.SECRET, 10_000);
    area = new PoolStage(client, new PlainMedium());
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    node.close();
    assertEquals(allocatedBytes, OffHeap.allocatedBytes(), "off-heap memory");
  }

  @Override
  StageArea area() {
    return area;
  }

  @Override
  long heldBytes() {
    return node.stats().memory().leasedBytes();
  }

  @Override
  void damage() throws IOException {
    try (FileChannel file =
        FileChannel.open(
            node.pool().resolve("segment-0"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(one, 50_000);
      one.put(0, (byte) (one.get(0) ^ 1)).flip();
      file.write(one, 50_000);
    }
  }
}
