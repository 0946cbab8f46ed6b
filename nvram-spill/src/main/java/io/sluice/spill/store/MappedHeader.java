package io.sluice.spill.store;

import static io.sluice.spill.store.MappedLayout.*;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Reads and writes the header of a {@link MappedLayout}.
 *
 * @param pool what pool it is
 * @param layout how it is divided
 */
record MappedHeader(PoolHeader pool, MappedLayout layout) {

  /**
   * The header in the first page of {@code meta}; empty if there is no pool.
   *
   * @param place for messages
   * @throws IOException if it is damaged, of another version, or if somebody else's bytes lie there
   */
  static Optional<MappedHeader> read(Mapping meta, int unitBytes, String place) throws IOException {
    if (!isPool(meta, place)) {
      return Optional.empty();
    }
    ByteBuffer header = meta.buffer().duplicate();
    int version = header.getInt(VERSION_OFFSET);
    if (version != VERSION) {
      throw new OtherFormatException(
          unusable(
              place,
              "is of another release of Sluice: it has format "
                  + version
                  + ", this release "
                  + VERSION));
    }
    if (header.getInt(CRC_OFFSET) != crc(header)) {
      throw new IOException(unusable(place, "is damaged: its CRC-32C does not match"));
    }
    PoolHeader pool =
        new PoolHeader(
            new UUID(header.getLong(POOL_ID_OFFSET), header.getLong(POOL_ID_OFFSET + 8)),
            header.getInt(SEGMENT_BYTES_OFFSET),
            header.getInt(BLOCK_BYTES_OFFSET));
    MappedLayout layout =
        new MappedLayout(
            unitBytes, pool.segmentBytes(), pool.blockBytes(), header.getInt(SLOTS_OFFSET));
    return Optional.of(new MappedHeader(pool, layout));
  }

  /** Whether a pool was formatted there; refuses what is neither ours nor nobody's. */
  static boolean isPool(Mapping meta, String place) throws IOException {
    long magic = meta.buffer().getLong(MAGIC_OFFSET);
    boolean unused = magic == 0 && isZero(meta.buffer());
    if (magic != MAGIC && magic != FORMATTING && !unused) {
      throw new IOException(
          place
              + " holds something that is no pool of Sluice: its first page is neither a pool's"
              + " header nor zero. If nobody needs it, wipe it: 'daxio --zero --len="
              + FIRST_PAGE_BYTES
              + " --output="
              + place
              + "'");
    }
    return magic == MAGIC;
  }

  /** Writes everything before the segments, so that it is a pool in the end. */
  void write(Mapping meta, Medium medium) {
    begin(meta, medium);
    ByteBuffer zeros = ByteBuffer.allocate((int) layout.metaBytes() - Long.BYTES);
    medium.write(meta, Long.BYTES, zeros);
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putInt(VERSION_OFFSET, VERSION);
    header.putLong(POOL_ID_OFFSET, pool.poolId().getMostSignificantBits());
    header.putLong(POOL_ID_OFFSET + 8, pool.poolId().getLeastSignificantBits());
    header.putInt(SEGMENT_BYTES_OFFSET, pool.segmentBytes());
    header.putInt(BLOCK_BYTES_OFFSET, pool.blockBytes());
    header.putInt(SLOTS_OFFSET, layout.slots());
    header.putInt(CRC_OFFSET, crc(header));
    medium.write(meta, VERSION_OFFSET, header.position(VERSION_OFFSET));
    new MappedArea(meta, medium, 0).writeLong(MAGIC_OFFSET, MAGIC);
  }

  /** Makes it no pool from now on. */
  static void begin(Mapping meta, Medium medium) {
    new MappedArea(meta, medium, 0).writeLong(MAGIC_OFFSET, FORMATTING);
  }

  private static int crc(ByteBuffer header) {
    byte[] bytes = new byte[HEADER_BYTES - POOL_ID_OFFSET];
    header.get(POOL_ID_OFFSET, bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private static boolean isZero(ByteBuffer meta) {
    return meta.slice(0, FIRST_PAGE_BYTES).mismatch(ByteBuffer.allocate(FIRST_PAGE_BYTES)) < 0;
  }

  private static String unusable(String place, String what) {
    return "the pool at " + place + " " + what + "; open it without recovery, which empties it";
  }
}
