package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many more tasks and readers at a device than it has memory for: tasks that write, commit or give
 * up, readers of both kinds, those that keep what they were lent, applications that end meanwhile.
 * All of them come to an end, and all memory comes back.
 */
@Timeout(300)
class DiskTrafficTest extends PoolTestBase {
  private static final int THREADS = 24;
  private static final int ROUNDS = 6;

  private SpillStore store;

  @Test
  void whoeverComesIsServedInTheEnd() throws Exception {
    Random random = seeded("whoeverComesIsServedInTheEnd");
    ExecutorService tasks = Executors.newFixedThreadPool(THREADS);
    try (SpillStore opened = SpillStore.open(configWithDisk(1).build())) {
      store = opened;
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random own = new Random(random.nextLong());
        String application = "application_" + i % 3;
        int task = i;
        all.add(tasks.submit(() -> run(application, task, own)));
      }
      for (Future<?> each : all) {
        each.get(100, TimeUnit.SECONDS);
      }
      for (int i = 0; i < 3; i++) {
        store.freeApplication("application_" + i);
      }
      assertAllFree(store);
    } finally {
      tasks.shutdownNow();
    }
  }

  private Void run(String application, int task, Random random) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      OutputId id = new OutputId(application, "task_" + task + "_" + round);
      byte[] run = new byte[1 + random.nextInt(3 << 20)];
      random.nextBytes(run);
      try (Lease lease = store.openLease(application);
          OutputWriter writer = writer(lease, 1)) {
        writer.beginRun(0);
        writer.write(run, 0, run.length);
        writer.endRun(run.length, 1);
        if (random.nextInt(4) == 0) {
          continue; // killed
        }
        writer.commit(id);
      }
      CommittedOutput output = store.find(id).orElseThrow();
      ByteBuffer read = ByteBuffer.allocate(run.length);
      new OutputReads(store::find).copy(output, 0, read);
      assertArrayEquals(run, read.array());
      lendAll(output, run, random);
      if (random.nextInt(3) == 0) {
        store.freeOutput(id);
      }
    }
    return null;
  }

  /** As a transport reads, told of it or not. */
  private void lendAll(CommittedOutput output, byte[] run, Random random) throws IOException {
    if (random.nextBoolean()) {
      store.expectReads(output.extents().stream().map(Extent::range).toList());
    }
    int doneBytes = 0;
    for (Extent extent : output.extents()) {
      int lengthBytes = (int) Math.min(extent.lengthBytes(), run.length - doneBytes);
      SegmentHandle segment = store.segment(extent.segment().segmentId()).orElseThrow();
      if (segment.reader().isPresent()) {
        lend(segment.reader().get(), extent.offsetBytes(), run, doneBytes, lengthBytes, random);
      }
      doneBytes += Math.max(0, lengthBytes);
    }
  }

  private static void lend(
      LendingReader reader, long offsetBytes, byte[] run, int from, int lengthBytes, Random random)
      throws IOException {
    for (int at = 0; at < lengthBytes; ) {
      int wanted = Math.min(1 + random.nextInt(1 << 20), lengthBytes - at);
      try (LentBytes piece = reader.read(offsetBytes + at, wanted)) {
        ByteBuffer bytes = piece.bytes();
        assertEquals(ByteBuffer.wrap(run, from + at, bytes.remaining()), bytes);
        at += bytes.remaining();
      }
      if (random.nextInt(10) == 0) {
        return; // has seen enough, and leaves behind what was read ahead
      }
    }
  }
}
