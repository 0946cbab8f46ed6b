package io.sluice.spark.pool;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.FreedShuffles.Attempt;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.format.BlockChecksummer;
import io.sluice.spill.format.BlockChecksums;
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
 * The output of one map task on its way into the pool. A partition's bytes may come in several
 * pieces; readers get them one after the other. Each piece is a run, and before there are too many
 * of them they are joined: a task that Spark grants no memory puts out pieces of any size. Where
 * the application encrypts its traffic, each is encrypted before it is written anywhere.
 *
 * <p>Thread contract: one thread. Ownership: the writer closes it; without a commit nothing of it
 * exists.
 */
public final class MapOutput implements Closeable {
  /** How much is leased at least. */
  public static final long LEASE_BYTES = 4L << 20;

  /** What is known of each lies on the heap until the commit: some 20 MB of so many. */
  private static final int MAX_HELD_RUNS = 1 << 19;

  /**
   * Readers ask for one partition of one output at the least, and all its runs must fit into one
   * answer: with pieces of up to 256 KiB in extents of 64 KiB, one takes less than 180 bytes.
   */
  static final int MAX_RUNS_OF_PARTITION = 1 << 16;

  /** Joining writes all bytes again; this many runs of each partition make it worth it. */
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
   * Owns the lease, and each writer that it makes on it, from now on, also if this fails.
   *
   * @param maxRuns from {@link #maxRuns}
   * @param keys makes what each writer's runs are encrypted with, or null if they are not
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

  /** Whether the index has room for runs enough that joining them is worth it. */
  public static boolean canHold(int partitionCount) {
    return OutputIndex.maxRuns(partitionCount) >= 2L * partitionCount;
  }

  /** How many runs an output of so many partitions may have before they are joined. */
  public static int maxRuns(int partitionCount) {
    return (int)
        Math.min(
            Math.max(MAX_HELD_RUNS, JOINED_RUNS * partitionCount),
            OutputIndex.maxRuns(partitionCount));
  }

  /**
   * Appends bytes to a partition, as a piece of it.
   *
   * @param records how many of them it counts for
   * @return how long writing took, in ns; summing up and encrypting are no part of that, as with
   *     Spark's own writers
   */
  public long append(int partition, ByteBuffer bytes, long records) throws IOException {
    int lengthBytes = bytes.remaining();
    long startNs = System.nanoTime();
    makeRoom(partition, keys == null ? lengthBytes : RunEncryptor.storedBytes(lengthBytes));
    long roomMadeNs = System.nanoTime();
    PartitionChunk piece =
        piece(partition, bytes, records); // with the key of the writer that has room now
    long pieceMadeNs = System.nanoTime();
    append(partition, piece);
    return System.nanoTime() - pieceMadeNs + roomMadeNs - startNs;
  }

  private void makeRoom(int partition, long runLengthBytes) throws IOException {
    boolean isFull = runCount(partition) >= MAX_RUNS_OF_PARTITION;
    if (isFull || runCount() >= maxRuns || lacksRoom(runLengthBytes)) {
      pool.whileOpen(this::joinRuns);
    }
  }

  private PartitionChunk piece(int partition, ByteBuffer bytes, long records) throws IOException {
    if (keys == null) {
      return PartitionChunk.of(bytes, records);
    }
    if (encryptor == null) {
      encryptor = new ChunkEncryptor(keys.get());
    }
    return encryptor.encrypt(partition, bytes, records);
  }

  void append(int partition, PartitionChunk piece) throws IOException {
    writtenBytes += piece.bytes().remaining();
    pool.whileOpen(
        () -> writer.writeRun(partition, piece.bytes(), piece.checksums(), piece.records()));
    if (partition >= runsOfPartition.length) {
      int grownLength = Math.max(partition + 1, 2 * runsOfPartition.length);
      runsOfPartition = Arrays.copyOf(runsOfPartition, grownLength);
    }
    runsOfPartition[partition]++;
  }

  /**
   * Whether the index would be too long with one run more, and joining makes it shorter: half of
   * all runs are as many as there are partitions, see {@link #canHold}.
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

  /** What is known of its runs takes so much of the heap. */
  public long heldBytes() {
    return writer.heldBytes();
  }

  private int runCount(int partition) {
    return partition < runsOfPartition.length ? runsOfPartition[partition] : 0;
  }

  /** How many runs it has now. */
  int runCount() {
    return writer.runs().size();
  }

  /** Makes all of it visible at once; of a shuffle that was freed meanwhile, nothing stays. */
  public void commit() throws IOException {
    pool.whileOpen(() -> writer.commit(id));
    pool.committed(attempt, id, writtenBytes);
  }

  @Override
  public void close() throws IOException {
    Closer.all(writer, encryptor, lease);
  }

  /**
   * Makes of the pieces of one writer's output what the pool gets: each is a run of its own,
   * encrypted.
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

    /** The next run of a partition; its bytes are good until the next call. */
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
   * Some bytes of a partition on their way into a pool, as they will lie there, with the checksums
   * that readers verify.
   *
   * @param bytes from the position to the limit
   * @param records how many of them it counts for
   * @param checksums of the bytes
   */
  record PartitionChunk(ByteBuffer bytes, long records, BlockChecksums checksums) {

    /** Sums the bytes up. */
    static PartitionChunk of(ByteBuffer bytes, long records) {
      return new PartitionChunk(bytes, records, BlockChecksummer.sum(bytes));
    }
  }
}
