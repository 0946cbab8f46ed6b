package io.sluice.spill.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Over files without a device, whose byte at a place says where that is. */
class ReadAheadTest {
  private static final int UNIT_BYTES = 100;

  private long nowNs;
  private int room = 4;
  private int lent;
  private long aheadBytes;
  private boolean fails;
  private final ReadAhead ahead = new ReadAhead(UNIT_BYTES, () -> nowNs);

  private final class TestFile implements ReadAhead.Source {
    private final int number;

    TestFile(int number) {
      this.number = number;
    }

    byte at(long offsetBytes) {
      return (byte) (number * 57 + offsetBytes * 31);
    }

    ByteBuffer content(long offsetBytes, int lengthBytes) {
      ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
      for (int i = 0; i < lengthBytes; i++) {
        bytes.put(i, at(offsetBytes + i));
      }
      return bytes;
    }

    @Override
    public Optional<ReadAhead.Piece> readAhead(long offsetBytes, int lengthBytes) {
      assertTrue(lengthBytes > 0 && lengthBytes <= UNIT_BYTES, "a piece of " + lengthBytes);
      if (room == 0) {
        return Optional.empty();
      }
      room--;
      aheadBytes += lengthBytes;
      return Optional.of(new TestPiece(this, offsetBytes, lengthBytes));
    }
  }

  private final class TestPiece implements ReadAhead.Piece {
    private final TestFile file;
    private final long offsetBytes;
    private final int lengthBytes;

    TestPiece(TestFile file, long offsetBytes, int lengthBytes) {
      this.file = file;
      this.offsetBytes = offsetBytes;
      this.lengthBytes = lengthBytes;
    }

    @Override
    public long offsetBytes() {
      return offsetBytes;
    }

    @Override
    public long endBytes() {
      return offsetBytes + lengthBytes;
    }

    @Override
    public LentBytes part(long partOffsetBytes, int partBytes) {
      assertTrue(partOffsetBytes >= offsetBytes && partOffsetBytes + partBytes <= endBytes());
      lent++;
      return new LentBytes() {
        @Override
        public ByteBuffer bytes() {
          return file.content(partOffsetBytes, partBytes);
        }

        @Override
        public void close() {
          lent--;
        }
      };
    }

    @Override
    public void await() throws IOException {
      if (fails) {
        throw new IOException("expected by this test");
      }
    }

    @Override
    public void close() {
      room++;
    }
  }

  @AfterEach
  void nothingIsLeft() {
    ahead.close();
    assertEquals(4, room);
    assertEquals(0, lent);
    assertEquals(0, ahead.known());
  }

  /** Reads a stretch as a reader does, in windows; returns how much of it was there already. */
  private long readAll(TestFile file, long startBytes, long lengthBytes, int windowBytes) {
    long hitBytes = 0;
    for (long at = startBytes; at < startBytes + lengthBytes; ) {
      int wanted = (int) Math.min(windowBytes, startBytes + lengthBytes - at);
      Optional<LentBytes> found = ahead.take(file, at, wanted);
      if (found.isEmpty()) {
        at += Math.min(wanted, UNIT_BYTES); // the most that is read at a time
        continue;
      }
      try (LentBytes bytes = found.get()) {
        int n = bytes.bytes().remaining();
        assertTrue(n > 0 && n <= wanted, n + " bytes of " + wanted);
        assertEquals(file.content(at, n), bytes.bytes());
        hitBytes += n;
        at += n;
      }
    }
    return hitBytes;
  }

  private ReadAhead.Stretch stretch(TestFile file, long startBytes, long lengthBytes) {
    return new ReadAhead.Stretch(file, startBytes, lengthBytes);
  }

  @Test
  void nothingIsReadBeforeTheReaderComes() {
    TestFile file = new TestFile(1);
    ahead.plan(List.of(stretch(file, 50, 1000)));
    assertEquals(0, aheadBytes);
    assertEquals(0, readAll(file, 2000, 500, UNIT_BYTES), "elsewhere");
    assertEquals(0, aheadBytes);
  }

  @Test
  void allButTheFirstUnitIsThereAndNothingElseIsRead() {
    Random random = TestSeed.random();
    for (int i = 0; i < 200; i++) {
      aheadBytes = 0;
      List<ReadAhead.Stretch> plan = new ArrayList<>();
      List<long[]> places = new ArrayList<>();
      long totalBytes = 0;
      for (int n = 1 + random.nextInt(5); n > 0; n--) {
        TestFile file = new TestFile(n);
        long[] place = {random.nextInt(1000), 1 + random.nextInt(500)};
        plan.add(stretch(file, place[0], place[1]));
        places.add(place);
        totalBytes += place[1];
      }
      ahead.plan(plan);
      int windowBytes = 1 + random.nextInt(2 * UNIT_BYTES);
      long hitBytes = 0;
      for (int n = 0; n < plan.size(); n++) {
        TestFile file = (TestFile) plan.get(n).file();
        hitBytes += readAll(file, places.get(n)[0], places.get(n)[1], windowBytes);
      }
      assertEquals(aheadBytes, hitBytes, "what was read ahead and not used");
      long firstBytes = Math.min(places.get(0)[1], Math.min(windowBytes, UNIT_BYTES));
      assertEquals(totalBytes - firstBytes, hitBytes);
      assertEquals(0, ahead.known());
      assertEquals(4, room);
    }
  }

  @Test
  void whatNobodyFetchesGivesWayAfterAWhile() {
    for (int i = 0; i < 4; i++) {
      TestFile left = new TestFile(i);
      ahead.plan(List.of(stretch(left, 0, 1000)));
      ahead.take(left, 0, UNIT_BYTES);
    }
    assertEquals(0, room);
    TestFile next = new TestFile(9);
    ahead.plan(List.of(stretch(next, 0, 1000)));
    assertEquals(0, readAll(next, 0, 500, UNIT_BYTES), "others may still come for theirs");
    nowNs += ReadAhead.STALE_NS + 1;
    assertEquals(400, readAll(next, 500, 500, UNIT_BYTES));
  }

  /** Of whoever pauses, and not of whoever goes on reading. */
  @Test
  void allThatIsStaleGivesWayToWhoeverWantsMemory() {
    for (int i = 0; i < 3; i++) {
      TestFile left = new TestFile(i);
      ahead.plan(List.of(stretch(left, 0, 1000)));
      ahead.take(left, 0, UNIT_BYTES);
    }
    nowNs += ReadAhead.STALE_NS;
    TestFile last = new TestFile(3);
    ahead.plan(List.of(stretch(last, 0, 1000)));
    ahead.take(last, 0, UNIT_BYTES);
    assertEquals(1, ahead.giveUpStale(), "milliseconds until they are stale");
    assertEquals(0, room);
    nowNs += 1;
    assertEquals(TimeUnit.NANOSECONDS.toMillis(ReadAhead.STALE_NS - 1) + 1, ahead.giveUpStale());
    assertEquals(3, room);
  }

  @Test
  void whatCouldNotBeReadAheadIsReadWhenItIsAskedFor() {
    TestFile file = new TestFile(1);
    ahead.plan(List.of(stretch(file, 0, 1000)));
    fails = true;
    assertEquals(0, readAll(file, 0, 1000, UNIT_BYTES));
    assertEquals(4, room);
  }

  @Test
  void aFileThatIsClosedIsForgotten() {
    TestFile file = new TestFile(1);
    TestFile other = new TestFile(2);
    ahead.plan(List.of(stretch(file, 0, 100), stretch(other, 0, 1000), stretch(file, 500, 9)));
    ahead.take(file, 0, UNIT_BYTES);
    assertEquals(3, room, "the next run is read ahead");
    ahead.forget(file);
    assertEquals(1, ahead.known());
    assertEquals(1000, readAll(other, 0, 1000, UNIT_BYTES));
  }

  /** Kept, it would keep the deleted file open, and so its space taken. */
  @Test
  void ofAFileThatIsClosedNothingStaysThatWasReadForAFormerReader() {
    TestFile file = new TestFile(1);
    ahead.plan(List.of(stretch(file, 0, 1000)));
    ahead.take(file, 0, UNIT_BYTES);
    ahead.plan(List.of(stretch(file, 0, 1000)));
    assertEquals(3, room);
    ahead.forget(file);
    assertEquals(4, room);
  }

  @Test
  void ofAFileThatIsClosedNothingStaysThatItsReaderPassedBy() {
    TestFile file = new TestFile(1);
    ahead.plan(List.of(stretch(file, 0, 1000)));
    ahead.take(file, 0, UNIT_BYTES);
    ahead.take(file, 900, UNIT_BYTES);
    assertEquals(3, room);
    ahead.forget(file);
    assertEquals(4, room);
  }

  /** A reader that asks again is told the same, and one that never comes costs no memory. */
  @Test
  void whatItKnowsHasABound() {
    TestFile file = new TestFile(1);
    for (int i = 0; i < 3; i++) {
      ahead.plan(List.of(stretch(file, 0, 1000)));
      ahead.take(file, 0, UNIT_BYTES);
      assertEquals(1, ahead.known());
    }
    for (int i = 0; i < 2 * ReadAhead.MOST_STRETCHES; i++) {
      ahead.plan(List.of(stretch(file, 1000L * i, 1000)));
    }
    assertEquals(ReadAhead.MOST_STRETCHES, ahead.known());
  }
}
