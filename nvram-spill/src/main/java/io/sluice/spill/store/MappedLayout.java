package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.store.MetaArea.MappedArea;
import io.sluice.spill.store.PoolHeader.OtherFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * How a {@link MappedPool} divides its memory. All integers are big-endian.
 *
 * <pre>
 *  0      8         12      16        32              36           40      44
 *  +------+---------+-------+---------+---------------+------------+-------+
 *  | magic| version | CRC   | pool id | segment bytes | block bytes| slots |      CRC-32C of all
 *  +------+---------+-------+---------+---------------+------------+-------+      after itself
 *  64: generation bound, int64; disk epoch, int64: {@link GenerationCounter}
 *  4096: one byte per slot: 1 if its segment exists, else 0
 *  4096 + slots: one byte per block of each slot: {@link LeaseMarks}
 *  meta bytes, the next multiple of the unit: on a device, the segment of slot 0, of slot 1 ...
 * </pre>
 *
 * The magic is stored last and at once: it says {@link #FORMATTING} while the rest is written. The
 * first page of a device that nobody uses is zero.
 *
 * @param unitBytes what mappings have to be multiples of
 * @param segmentBytes length of a segment, a multiple of the unit
 * @param blockBytes length of a block
 * @param slots how many segments there can be
 */
record MappedLayout(int unitBytes, int segmentBytes, int blockBytes, int slots) {
  /** A pool: "SLCEPOOL". */
  static final long MAGIC = 0x534c4345504f4f4cL;

  /** Ours, but no pool: "SLCEFORM". */
  static final long FORMATTING = 0x534c4345464f524dL;

  static final int VERSION = 6;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = 8;
  static final int CRC_OFFSET = 12;
  static final int POOL_ID_OFFSET = 16;
  static final int SEGMENT_BYTES_OFFSET = 32;
  static final int BLOCK_BYTES_OFFSET = 36;
  static final int SLOTS_OFFSET = 40;
  static final int HEADER_BYTES = 44;
  static final int GENERATION_OFFSET = 64;
  static final int SLOT_STATES_OFFSET = 4096;
  static final int FIRST_PAGE_BYTES = 4096;

  /** The layout with as many slots as {@code metaBytes} have room for. */
  static MappedLayout filling(int unitBytes, int segmentBytes, int blockBytes, int metaBytes) {
    int slots = (metaBytes - SLOT_STATES_OFFSET) / (1 + segmentBytes / blockBytes);
    return new MappedLayout(unitBytes, segmentBytes, blockBytes, slots);
  }

  int leaseMarksOffset() {
    return SLOT_STATES_OFFSET + slots;
  }

  /** Length of everything before the first segment. */
  long metaBytes() {
    long bytes = leaseMarksOffset() + (long) slots * (segmentBytes / blockBytes);
    return (bytes + unitBytes - 1) / unitBytes * unitBytes;
  }

  /** Length of everything. */
  long totalBytes() {
    return metaBytes() + (long) slots * segmentBytes;
  }

  /**
   * The header: it names the pool and its layout.
   *
   * @param pool what pool it is
   * @param layout how it is divided
   */
  record Header(PoolHeader pool, MappedLayout layout) {

    /**
     * The header in the first page of {@code meta}; empty if there is no pool.
     *
     * @param path for messages
     * @throws IOException if it is damaged, of another version, or if somebody else's bytes lie
     *     there
     */
    static Optional<Header> read(Mapping meta, int unitBytes, String path) throws IOException {
      if (!isPool(meta, path)) {
        return Optional.empty();
      }
      ByteBuffer header = meta.buffer().duplicate();
      int version = header.getInt(VERSION_OFFSET);
      if (version != VERSION) {
        throw new OtherFormatException(
            unusable(path, PoolHeader.ofAnotherRelease(version, VERSION)));
      }
      if (header.getInt(CRC_OFFSET) != crc(header)) {
        throw new IOException(unusable(path, "is damaged: its CRC-32C does not match"));
      }
      PoolHeader pool =
          new PoolHeader(
              new UUID(header.getLong(POOL_ID_OFFSET), header.getLong(POOL_ID_OFFSET + 8)),
              header.getInt(SEGMENT_BYTES_OFFSET),
              header.getInt(BLOCK_BYTES_OFFSET));
      MappedLayout layout =
          new MappedLayout(
              unitBytes, pool.segmentBytes(), pool.blockBytes(), header.getInt(SLOTS_OFFSET));
      return Optional.of(new Header(pool, layout));
    }

    /** Whether a pool was formatted there; refuses bytes that are neither zero nor of Sluice. */
    static boolean isPool(Mapping meta, String path) throws IOException {
      long magic = meta.buffer().getLong(MAGIC_OFFSET);
      boolean unused = magic == 0 && isZero(meta.buffer());
      if (magic != MAGIC && magic != FORMATTING && !unused) {
        throw new IOException(
            ("%s holds something that is no pool of Sluice: its first page is neither a pool's"
                    + " header nor zero. If nobody needs it, wipe it: 'daxio --zero --len=%s"
                    + " --output=%s'")
                .formatted(path, FIRST_PAGE_BYTES, path));
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

    private static String unusable(String path, String what) {
      return "the pool at " + path + " " + what + "; open it without recovery, which empties it";
    }
  }
}
