package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An output that is laid elsewhere, as nothing in the store does yet, under its readers. */
class OutputReadsTest extends PoolTestBase {
  private static final int DATA_BYTES = SEGMENT_BYTES / 4 + 77;

  private final byte[] data = new byte[DATA_BYTES];
  private final List<Lease> leases = new ArrayList<>();
  private Random random;
  private SpillStore store;
  private CommittedOutput now; // what is found
  private OutputReads reads;

  @BeforeEach
  void commit() throws IOException {
    random = seeded("OutputReadsTest");
    random.nextBytes(data);
    store = SpillStore.open(configWithDisk(2).build());
    try (Lease lease = store.openLease(APP);
        OutputWriter writer = new OutputWriter(lease, medium(), 1, 2 * BLOCK_BYTES)) {
      writer.beginRun(0);
      writer.write(data, 0, data.length);
      writer.endRun(data.length, 1);
      writer.commit(id(1));
    }
    now = store.find(id(1)).orElseThrow();
    reads = new OutputReads(id -> Optional.ofNullable(now));
  }

  @AfterEach
  void close() throws IOException {
    for (Lease lease : leases) {
      lease.close();
    }
    store.close();
  }

  /** The same bytes in other extents; the former place goes back, and others write there. */
  private void move() {
    OutputLocation former = now.location();
    try {
      byte[] all = new byte[(int) former.lengthBytes()];
      former.read(0, all);
      Lease lease = store.openLease(APP);
      leases.add(lease);
      List<Extent> extents = new ArrayList<>();
      for (long left = all.length; left > 0; left -= BLOCK_BYTES) {
        extents.addAll(lease.lease(BLOCK_BYTES));
      }
      int done = 0;
      for (Extent extent : extents) {
        write(extent, all, done);
        done += (int) extent.lengthBytes();
      }
      OutputLocation place =
          new OutputLocation(
              former.poolId(),
              former.generation() + 1,
              0,
              new ExtentTable(extents),
              extents.stream()
                  .map(each -> store.segment(each.segment().segmentId()).orElseThrow())
                  .toList());
      CommittedOutput moved = CommittedOutput.load(now.identity(), place);
      former.release();
      random.nextBytes(all);
      done = 0;
      for (Extent extent : former.extents()) {
        write(extent, all, done);
        done += (int) extent.lengthBytes();
      }
      now = moved;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void write(Extent extent, byte[] bytes, int from) throws IOException {
    try (FileChannel file = FileChannel.open(extent.segment().path(), StandardOpenOption.WRITE)) {
      file.write(
          ByteBuffer.wrap(bytes, from, (int) extent.lengthBytes()),
          extent.segment().fileOffsetBytes() + extent.offsetBytes());
    }
  }

  private CommittedOutput assertCopies(CommittedOutput output) throws IOException {
    int from = random.nextInt(DATA_BYTES);
    byte[] part = new byte[random.nextInt(DATA_BYTES - from)];
    CommittedOutput after = reads.copy(output, from, ByteBuffer.wrap(part));
    assertArrayEquals(Arrays.copyOfRange(data, from, from + part.length), part);
    return after;
  }

  @Test
  void bytesAreCopiedFromWhereTheyLieAtTheMoment() throws Exception {
    CommittedOutput first = now;
    assertSame(first, assertCopies(first));
    for (int i = 0; i < 10; i++) {
      CommittedOutput before = now;
      move();
      assertNotEquals(before.extents(), now.extents());
      assertSame(now, assertCopies(before));
      assertSame(now, assertCopies(first), "whoever has not read since");
      assertSame(now, assertCopies(now));
    }
  }

  /** What is found has moved again before it is read. */
  @Test
  void bytesThatMoveOnAreFollowed() throws Exception {
    CommittedOutput first = now;
    move();
    int[] left = {3};
    OutputReads follows =
        new OutputReads(
            id -> {
              CommittedOutput found = now;
              if (left[0]-- > 0) {
                move();
              }
              return Optional.of(found);
            });
    byte[] all = new byte[DATA_BYTES];
    CommittedOutput after = follows.copy(first, 0, ByteBuffer.wrap(all));
    assertSame(now, after);
    assertArrayEquals(data, all);
    assertTrue(left[0] < 0);
  }

  @Test
  void whatIsFreedOrReplacedFails() throws Exception {
    CommittedOutput first = now;
    store.freeOutput(id(1));
    now = null;
    IOException e =
        assertThrows(IOException.class, () -> reads.copy(first, 0, ByteBuffer.allocate(1)));
    assertTrue(e.getMessage().contains("was freed or replaced"), e.getMessage());
    try (Lease lease = store.openLease(APP)) {
      commit(lease, id(1), random, 10_000);
    }
    now = store.find(id(1)).orElseThrow();
    e = assertThrows(IOException.class, () -> reads.copy(first, 0, ByteBuffer.allocate(1)));
    assertTrue(e.getMessage().contains("was freed or replaced"), e.getMessage());
  }
}
