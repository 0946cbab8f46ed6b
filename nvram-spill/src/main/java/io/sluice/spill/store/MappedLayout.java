package io.sluice.spill.store;

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
}
