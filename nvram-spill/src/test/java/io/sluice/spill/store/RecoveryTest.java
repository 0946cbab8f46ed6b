package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs of which a part lies where nothing can be read. */
class RecoveryTest {
  private static final int BLOCK_BYTES = 16 << 10;
  private static final UUID POOL = new UUID(1, 2);
  private static final int MEMORY = 0;
  private static final int DISK = SegmentInfo.DISK_ID_BASE;

  @TempDir Path directory;
  private final List<SegmentHandle> unreadable = new ArrayList<>();
  private SegmentHandle memory;
  private SegmentHandle other;

  @BeforeEach
  void open() throws IOException {
    memory = segment(MEMORY, Tier.MEMORY, 5 * BLOCK_BYTES);
    write(id(1), new Range(MEMORY, 0, BLOCK_BYTES));
  }

  @AfterEach
  void close() throws IOException {
    memory.close();
  }

  private static OutputId id(int number) {
    return new OutputId("application_1", "output_" + number);
  }

  private SegmentHandle segment(int id, Tier tier, int lengthBytes) throws IOException {
    Path path = directory.resolve("segment " + id);
    Files.write(path, new byte[lengthBytes]);
    SegmentInfo info = new SegmentInfo(id, tier, path, lengthBytes);
    return new MemorySegment(
        info, new Owner(1), true, SharedFile.open(path), null, new PlainMedium());
  }

  /** An output without runs, all of it but its footer in the first of these extents. */
  private void write(OutputId id, Range... extents) throws IOException {
    write(id, 0, extents);
  }

  /** The same with the identity so far behind the index. */
  private void write(OutputId id, long gapBytes, Range... extents) throws IOException {
    write(id, 3, gapBytes, extents);
  }

  /** The same at a place of that generation. */
  private void write(OutputId id, long generation, long gapBytes, Range... extents)
      throws IOException {
    ByteBuffer index = OutputIndex.encode(1, List.of());
    long identityOffsetBytes = index.capacity() + gapBytes;
    OutputIdentity identity =
        new OutputIdentity(
            id,
            0,
            1,
            0,
            0,
            0,
            index.capacity(),
            BlockChecksums.crc32c(index.array(), 0, index.capacity()));
    Range last = extents[extents.length - 1];
    LocationRecord place =
        new LocationRecord(
            POOL,
            new FooterLocation(last.segmentId(), last.endBytes() - FooterLayout.TRAILER_BYTES),
            generation,
            List.of(extents),
            identityOffsetBytes,
            FooterLayout.identityBytes(id),
            identity.crc32c());
    write(extents[0], index, extents[0].offsetBytes());
    Range ends = identityOffsetBytes < BLOCK_BYTES ? extents[0] : last;
    write(ends, identity.encode(), ends.offsetBytes() + identityOffsetBytes % BLOCK_BYTES);
    ByteBuffer footer = place.encode();
    footer.putLong(footer.capacity() - Long.BYTES, place.commitMark());
    write(last, footer, last.endBytes() - footer.capacity());
  }

  private void write(Range where, ByteBuffer bytes, long offsetBytes) throws IOException {
    try (SharedFile file = SharedFile.open(directory.resolve("segment " + where.segmentId()))) {
      file.write(offsetBytes, bytes.rewind());
    }
  }

  private List<OutputId> recovered() throws IOException {
    return recovery().scan(List.of(memory)).stream().map(CommittedOutput::id).toList();
  }

  private Recovery recovery() {
    OutputLoader loader =
        new OutputLoader(
            new FooterReader(POOL, BLOCK_BYTES),
            BLOCK_BYTES,
            id -> id == MEMORY ? memory : other.info().segmentId() == id ? other : null);
    return new Recovery(
        loader,
        BLOCK_BYTES,
        4,
        id -> Optional.empty(),
        (segment, cause) -> unreadable.add(segment),
        false);
  }

  @Test
  void anOutputMayBeginInAnotherSegment() throws IOException {
    other = segment(DISK, Tier.DISK, BLOCK_BYTES);
    write(id(2), new Range(DISK, 0, BLOCK_BYTES), new Range(MEMORY, BLOCK_BYTES, BLOCK_BYTES));
    assertEquals(List.of(id(1), id(2)), recovered());
    assertEquals(List.of(), unreadable);
    other.close();
  }

  @Test
  void aFileThatCannotBeReadKeepsNoOtherOutput() throws IOException {
    other = segment(DISK, Tier.DISK, BLOCK_BYTES);
    write(id(2), new Range(DISK, 0, BLOCK_BYTES), new Range(MEMORY, BLOCK_BYTES, BLOCK_BYTES));
    write(id(3), new Range(MEMORY, 2 * BLOCK_BYTES, BLOCK_BYTES));
    other.close();
    assertEquals(List.of(id(1), id(3)), recovered());
    assertEquals(List.of(other), unreadable);
  }

  /** Else a start takes as long as whoever has written to the pool likes. */
  @Test
  void anIndexThatManyClaimIsReadOnce() throws IOException {
    other = segment(DISK, Tier.DISK, BLOCK_BYTES);
    claimTheIndexOfOther();
    other.close();
    assertEquals(List.of(id(1)), recovered());
    assertEquals(List.of(other), unreadable, "whenever it was read");
  }

  @Test
  void noneOfThoseThatClaimAnIndexIsBelieved() throws IOException {
    other = segment(DISK, Tier.DISK, BLOCK_BYTES);
    claimTheIndexOfOther();
    assertEquals(List.of(id(1)), recovered());
    assertEquals(List.of(), unreadable);
    other.close();
  }

  /** However long the one reaches that shares it, and wherever the others end. */
  @Test
  void whoeverSharesABlockIsLeftOut() throws IOException {
    other = segment(DISK, Tier.DISK, 4 * BLOCK_BYTES);
    write(id(2), onDisk(0, 3), inMemory(1));
    write(id(3), onDisk(1, 1), inMemory(2));
    write(id(4), onDisk(2, 1), inMemory(3));
    write(id(5), onDisk(3, 1), inMemory(4));
    assertEquals(List.of(id(1), id(5)), recovered());
    other.close();
  }

  /** Each takes room on the heap for all that it claims, twice as much as it is long. */
  @Test
  void noMorePlacesAreKeptThanAnOutputHas() throws IOException {
    other = segment(DISK, Tier.DISK, BLOCK_BYTES);
    for (int block = 1; block <= 4; block++) {
      write(id(2), block - 1, 0, onDisk(0, 1), inMemory(block));
    }
    Recovery recovery = recovery();
    assertEquals(2, recovery.scan(List.of(memory)).size());
    assertEquals(1, recovery.left().size());
    other.close();
  }

  private static Range onDisk(long block, long blocks) {
    return new Range(DISK, block * BLOCK_BYTES, blocks * BLOCK_BYTES);
  }

  private static Range inMemory(long block) {
    return new Range(MEMORY, block * BLOCK_BYTES, BLOCK_BYTES);
  }

  private void claimTheIndexOfOther() throws IOException {
    for (int block = 1; block <= 4; block++) {
      write(id(1 + block), BLOCK_BYTES, onDisk(0, 1), inMemory(block));
    }
  }

  @Test
  void memoryThatCannotBeReadIsAFailure() throws IOException {
    other = segment(1, Tier.MEMORY, BLOCK_BYTES);
    write(id(2), new Range(1, 0, BLOCK_BYTES), new Range(MEMORY, BLOCK_BYTES, BLOCK_BYTES));
    other.close();
    assertThrows(IOException.class, this::recovered);
    assertEquals(List.of(), unreadable);
  }
}
