package io.sluice.spill.writer;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.Run.RawLengths;
import io.sluice.spill.format.WrittenRun;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The runs of an output that is being written, in the order in which they came. There may be
 * hundreds of thousands of them until they are merged or committed. So a run is an object only
 * while it is used; otherwise it takes {@value #RUN_BYTES} bytes of a chunk, and further checksums
 * if it is longer than a block.
 *
 * <pre>
 *   0                                8                16       24            32        40
 *  +-----------+--------------------+----------------+--------+-------------+---------+
 *  | partition | CRC of first block | logical offset | length | raw lengths | records |
 *  +-----------+--------------------+----------------+--------+-------------+---------+
 *  raw lengths: as in {@link RawLengths}
 * </pre>
 *
 * <p>Thread contract: one thread.
 */
final class WrittenRuns extends AbstractList<WrittenRun> implements RandomAccess {
  /** Bytes of a run: five numbers and a reference. */
  static final int RUN_BYTES = 44;

  private static final int CHUNK_RUNS = 1 << 7;
  private static final int FIELDS = 5;

  private final List<Chunk> chunks = new ArrayList<>();
  private int size;

  /** Some runs, the last chunk in part. */
  private static final class Chunk {
    private final long[] fields = new long[CHUNK_RUNS * FIELDS];
    private final BlockChecksums[] longer = new BlockChecksums[CHUNK_RUNS]; // null: one block
  }

  @Override
  public boolean add(WrittenRun run) {
    if (size == chunks.size() * CHUNK_RUNS) {
      chunks.add(new Chunk());
    }
    Chunk chunk = chunks.get(size / CHUNK_RUNS);
    int inChunk = size % CHUNK_RUNS;
    int at = inChunk * FIELDS;
    BlockChecksums checksums = run.checksums();
    chunk.fields[at] =
        (long) run.partition() << Integer.SIZE | Integer.toUnsignedLong(checksums.crc32c(0));
    chunk.fields[at + 1] = run.logicalOffsetBytes();
    chunk.fields[at + 2] = run.lengthBytes();
    chunk.fields[at + 3] = RawLengths.pack(run.rawLengthBytes(), run.chunkBytes());
    chunk.fields[at + 4] = run.records();
    chunk.longer[inChunk] = checksums.furtherCount() == 0 ? null : checksums;
    size++;
    return true;
  }

  @Override
  public WrittenRun get(int i) {
    Objects.checkIndex(i, size);
    Chunk chunk = chunks.get(i / CHUNK_RUNS);
    int at = i % CHUNK_RUNS * FIELDS;
    BlockChecksums longer = chunk.longer[i % CHUNK_RUNS];
    return new WrittenRun(
        (int) (chunk.fields[at] >>> Integer.SIZE),
        chunk.fields[at + 1],
        chunk.fields[at + 2],
        RawLengths.runBytes(chunk.fields[at + 3]),
        RawLengths.chunkBytes(chunk.fields[at + 3]),
        chunk.fields[at + 4],
        longer == null ? BlockChecksums.of((int) chunk.fields[at]) : longer);
  }

  @Override
  public int size() {
    return size;
  }

  /** A view by partition; the runs of one keep their order. Later runs are not in it. */
  List<WrittenRun> byPartition() {
    long[] order = new long[size];
    for (int i = 0; i < size; i++) {
      order[i] = (long) partition(i) << Integer.SIZE | i;
    }
    Arrays.sort(order);
    return new Sorted(order);
  }

  private int partition(int i) {
    return (int) (chunks.get(i / CHUNK_RUNS).fields[i % CHUNK_RUNS * FIELDS] >>> Integer.SIZE);
  }

  /** Another order of them. */
  private final class Sorted extends AbstractList<WrittenRun> implements RandomAccess {
    private final long[] order;

    Sorted(long[] order) {
      this.order = order;
    }

    @Override
    public WrittenRun get(int i) {
      return WrittenRuns.this.get((int) order[i]);
    }

    @Override
    public int size() {
      return order.length;
    }
  }

  /** Bytes of heap, without further checksums. */
  long heldBytes() {
    return (long) chunks.size() * CHUNK_RUNS * RUN_BYTES;
  }
}
