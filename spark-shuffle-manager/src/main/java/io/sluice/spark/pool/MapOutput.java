package io.sluice.spark.pool;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.OutputTarget.Attempt;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * The output of one map task on its way into the pool. A writer appends chunks of partitions. Each
 * chunk becomes a run, and readers get the runs of a partition in order. If the application
 * encrypts its traffic, each chunk is encrypted before it is written anywhere. Before the runs are
 * too many, {@link RunJoiner} joins them: a task without memory writes short chunks.
 *
 * <p>Thread contract: one thread. Ownership: the writer closes it; without a commit nothing of it
 * exists.
 */
public final class MapOutput implements Closeable {
  /** Bytes of one lease request. */
  public static final long LEASE_BYTES = 4L << 20;

  /**
   * Most runs of an output. Their index lies on the heap until the commit, which takes some 20 MB.
   */
  private static final int MAX_HELD_RUNS = 1 << 19;

  /**
   * Most runs of one partition. They must fit into one answer, because readers ask for at least one
   * partition of one output. A chunk has up to 256 KiB in extents of 64 KiB, and takes less than
   * 180 bytes of the answer.
   */
  static final int MAX_RUNS_OF_PARTITION = 1 << 16;

  /** Joining writes all bytes once more, so it waits for so many runs of each partition. */
  private static final long JOINED_RUNS = 8;

  private final OutputTarget pool;
  private final Attempt attempt;
  private final Closeable lease;
  private final Supplier<OutputWriter> writers;
  private final OutputId id;
  private final int maxRuns;
  private final Supplier<OutputKey> keys;
  private int[] runsOfPartition = {};
  private OutputWriter writer;
  private ChunkEncryptor encryptor;
  private long writtenBytes;

  /**
   * Owns the lease, and each writer that it makes on it, even if this fails.
   *
   * @param maxRuns from {@link #maxRuns}
   * @param keys makes the key of each writer's runs; null if they are not encrypted
   */
  public MapOutput(
      OutputTarget pool,
      Attempt attempt,
      Closeable lease,
      Supplier<OutputWriter> writers,
      OutputId id,
      int maxRuns,
      Supplier<OutputKey> keys) {
    this.pool = pool;
    this.attempt = attempt;
    this.lease = lease;
    this.writers = writers;
    this.id = id;
    this.maxRuns = maxRuns;
    this.keys = keys;
    try {
      this.writer = writers.get();
    } catch (RuntimeException | Error e) {
      Closer.after(e, lease);
      throw e;
    }
  }

  /** Whether the index holds so many runs that joining them is worth it. */
  public static boolean canHold(int partitionCount) {
    return OutputIndex.maxRuns(partitionCount) >= 2L * partitionCount;
  }

  /** Most runs of an output of so many partitions, before they are joined. */
  public static int maxRuns(int partitionCount) {
    return (int)
        Math.min(
            Math.max(MAX_HELD_RUNS, JOINED_RUNS * partitionCount),
            OutputIndex.maxRuns(partitionCount));
  }

  /**
   * Appends a chunk to a partition.
   *
   * @param records number of records that the chunk counts for
   * @return time of writing, in ns. As with Spark's own writers, checksums and encryption do not
   *     count
   */
  public long append(int partition, ByteBuffer bytes, long records) throws IOException {
    int lengthBytes = bytes.remaining();
    long startNs = System.nanoTime();
    makeRoom(partition, keys == null ? lengthBytes : RunEncryptor.storedBytes(lengthBytes));
    long roomMadeNs = System.nanoTime();
    // After making room, because each writer has a key of its own.
    PartitionChunk chunk = chunk(partition, bytes, records);
    long chunkMadeNs = System.nanoTime();
    append(partition, chunk);
    return System.nanoTime() - chunkMadeNs + roomMadeNs - startNs;
  }

  private void makeRoom(int partition, long runLengthBytes) throws IOException {
    boolean isFull = runCount(partition) >= MAX_RUNS_OF_PARTITION;
    if (isFull || runCount() >= maxRuns || lacksRoom(runLengthBytes)) {
      pool.whileOpen(this::joinRuns);
    }
  }

  private PartitionChunk chunk(int partition, ByteBuffer bytes, long records) throws IOException {
    if (keys == null) {
      return PartitionChunk.of(bytes, records);
    }
    if (encryptor == null) {
      encryptor = new ChunkEncryptor(keys.get());
    }
    return encryptor.encrypt(partition, bytes, records);
  }

  void append(int partition, PartitionChunk chunk) throws IOException {
    writtenBytes += chunk.bytes().remaining();
    pool.whileOpen(
        () -> writer.writeRun(partition, chunk.bytes(), chunk.checksums(), chunk.records()));
    if (partition >= runsOfPartition.length) {
      int grownLength = Math.max(partition + 1, 2 * runsOfPartition.length);
      runsOfPartition = Arrays.copyOf(runsOfPartition, grownLength);
    }
    runsOfPartition[partition]++;
  }

  /**
   * Whether the index would be too long with one more run, and joining makes it shorter. Half of
   * the runs are at least as many as the partitions, see {@link #canHold}.
   */
  private boolean lacksRoom(long runLengthBytes) {
    return writer.indexBytesWith(runLengthBytes) > FooterLayout.MAX_BYTES
        && runCount() > maxRuns / 2;
  }

  private void joinRuns() throws IOException {
    OutputWriter parts = writer;
    ChunkEncryptor partsEncryptor = encryptor;
    OutputWriter joined = writers.get();
    ChunkEncryptor joinedEncryptor = null;
    try {
      joinedEncryptor = keys == null ? null : new ChunkEncryptor(keys.get());
      new RunJoiner(id.toString(), parts, key(partsEncryptor), joined, key(joinedEncryptor)).join();
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, joined);
      Closer.after(e, joinedEncryptor);
      throw e;
    }
    writer = joined;
    encryptor = joinedEncryptor;
    Arrays.setAll(runsOfPartition, partition -> Math.min(1, runsOfPartition[partition]));
    Closer.all(parts, partsEncryptor);
  }

  private static OutputKey key(ChunkEncryptor encryptor) {
    return encryptor == null ? null : encryptor.key();
  }

  /** Bytes of the heap that the index of the runs takes. */
  public long heldBytes() {
    return writer.heldBytes();
  }

  private int runCount(int partition) {
    return partition < runsOfPartition.length ? runsOfPartition[partition] : 0;
  }

  /** Number of runs now. */
  int runCount() {
    return writer.runs().size();
  }

  /**
   * Makes the whole output visible at once. If its shuffle was freed meanwhile, the output is
   * freed.
   */
  public void commit() throws IOException {
    pool.whileOpen(() -> writer.commit(id));
    pool.committed(attempt, id, writtenBytes);
  }

  @Override
  public void close() throws IOException {
    Closer.all(writer, encryptor, lease);
  }

  /**
   * Encrypts the chunks of one writer's output, each as a run of its own.
   *
   * <p>Thread contract: one thread. Ownership: the output closes it; it owns the key.
   */
  static final class ChunkEncryptor implements Closeable {
    private final OutputKey key;
    private final RunEncryptor encryptor;
    private byte[] encrypted = {};
    private int lengthBytes;

    ChunkEncryptor(OutputKey key) {
      this.key = key;
      this.encryptor = new RunEncryptor(key, this::append);
    }

    OutputKey key() {
      return key;
    }

    /** Encrypts the next run of a partition; the result is valid until the next call. */
    PartitionChunk encrypt(int partition, ByteBuffer plain, long records) throws IOException {
      int storedBytes = Math.toIntExact(RunEncryptor.storedBytes(plain.remaining()));
      if (encrypted.length < storedBytes) {
        encrypted = new byte[storedBytes];
      }
      lengthBytes = 0;
      encryptor.beginRun(partition);
      encryptor.write(plain.array(), plain.arrayOffset() + plain.position(), plain.remaining());
      encryptor.endRun();
      return PartitionChunk.of(ByteBuffer.wrap(encrypted, 0, lengthBytes), records);
    }

    private void append(byte[] frame, int offset, int frameBytes) {
      System.arraycopy(frame, offset, encrypted, lengthBytes, frameBytes);
      lengthBytes += frameBytes;
    }

    @Override
    public void close() {
      key.close();
    }
  }

  /**
   * A chunk of a partition on its way into a pool, as readers will find it, with the checksums that
   * they verify.
   *
   * @param bytes from the position to the limit
   * @param records number of records that the chunk counts for
   * @param checksums of the bytes
   */
  record PartitionChunk(ByteBuffer bytes, long records, BlockChecksums checksums) {

    /** Computes the checksums of the bytes. */
    static PartitionChunk of(ByteBuffer bytes, long records) {
      return new PartitionChunk(bytes, records, BlockChecksummer.sum(bytes));
    }
  }
}
