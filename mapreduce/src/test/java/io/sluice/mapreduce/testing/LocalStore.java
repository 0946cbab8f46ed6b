package io.sluice.mapreduce.testing;

import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.spill.cipher.DecryptedRunInput;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * A store in this very process, with no service before it.
 *
 * <p>Ownership: the test closes it, after the leases and the runs that it has from it.
 */
public final class LocalStore implements Closeable {
  public static final String APPLICATION = "application_1700000000000_0007";

  private static final int SEGMENT_BYTES = 4 << 20;
  private static final int BLOCK_BYTES = 64 << 10;
  private static final int WINDOW_BYTES = 64 << 10;

  private final Medium medium = new PlainMedium();
  private final SpillStore store;
  private final SegmentMapper mapper =
      new SegmentMapper(SegmentOpener.BY_NAME, id -> segments().segment(id).orElseThrow().info());

  private LocalStore(StoreConfig.Builder config) throws IOException {
    store =
        SpillStore.open(
            config.geometry(SEGMENT_BYTES, BLOCK_BYTES).medium(medium).wholeAtStart(true).build());
    awaitFilled();
  }

  /** The store creates its segments on a thread of its own. */
  private void awaitFilled() {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (stats().memory().createdBytes() < stats().memory().capacityBytes()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("the pool is not filled: " + stats());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /** A store of so much memory and no disk. */
  public static LocalStore inMemory(Path directory, long capacityBytes) throws IOException {
    return new LocalStore(StoreConfig.builder(directory.resolve("pool"), capacityBytes));
  }

  /** A store that has nothing but its disk tier. */
  public static LocalStore onDisk(Path directory, Path disk) throws IOException {
    Files.createDirectories(disk);
    LocalStore made =
        new LocalStore(StoreConfig.builder(directory.resolve("pool"), 0).disk(List.of(disk), 0, 0));
    try (Lease lease = made.openLease()) {
      lease.lease(1); // the device has memory of its own from the first file on
    }
    return made;
  }

  /** A store of so much memory, and a disk. */
  public static LocalStore withDisk(Path directory, long capacityBytes, Path disk)
      throws IOException {
    Files.createDirectories(disk);
    return new LocalStore(
        StoreConfig.builder(directory.resolve("pool"), capacityBytes).disk(List.of(disk), 0, 0));
  }

  private SpillStore segments() {
    return store;
  }

  public SpillStore store() {
    return store;
  }

  public StoreStats stats() {
    return store.stats();
  }

  public Lease openLease() throws IOException {
    return store.openLease(APPLICATION);
  }

  public Medium medium() {
    return medium;
  }

  /** A target that writes through the mapping which the store has already. */
  public WriteTarget target(ExtentSource source) {
    return new WriteTarget(
        source,
        medium,
        extent -> store.segment(extent.segment().segmentId()).orElseThrow().part(extent.range()));
  }

  public static OutputId output(String attempt) {
    return new OutputId(APPLICATION, attempt);
  }

  /** The runs of a partition of an output that was written with {@code codec}, or null. */
  public List<MergeRun> runs(OutputId id, int partition, CompressionCodec codec)
      throws IOException {
    return runs(id, partition, codec, null);
  }

  /** The same of an output that is encrypted, unless {@code key} is null. */
  public List<MergeRun> runs(OutputId id, int partition, CompressionCodec codec, ShuffleKey key)
      throws IOException {
    List<MergeRun> runs = new ArrayList<>();
    for (LocatedRun located : store.find(id).orElseThrow().runs(partition)) {
      Run run = located.run();
      String name = id.outputId() + " partition " + partition;
      RunInput bytes =
          new MappedRunInput(
              mapper::map, located.location().ranges(), run.lengthBytes(), WINDOW_BYTES);
      RunInput verified = new VerifiedRunInput(name, bytes, run.lengthBytes(), run.checksums());
      RunInput plain =
          key == null
              ? verified
              : new DecryptedRunInput(
                  name, verified, run.lengthBytes(), key.reading(id), partition, run.ordinal());
      runs.add(new LocalRun(name, run, RunForm.of(codec, run.chunkBytes()), plain));
    }
    return runs;
  }

  private record LocalRun(String name, Run run, RunForm form, RunInput input) implements MergeRun {
    @Override
    public long lengthBytes() {
      return run.lengthBytes();
    }

    @Override
    public int chunkBytes() {
      return run.chunkBytes();
    }

    @Override
    public long meanRecordBytes() {
      return run.rawLengthBytes() / Math.max(1, run.records());
    }
  }

  @Override
  public void close() throws IOException {
    try (store) {
      mapper.close();
    }
  }
}
