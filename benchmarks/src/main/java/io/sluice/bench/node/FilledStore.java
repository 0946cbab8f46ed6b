package io.sluice.bench.node;

import io.sluice.bench.Figure.Spread;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A store with so many outputs of a block each, and open leases of a block each, all of one
 * application: measures what one call takes then.
 *
 * <p>Not thread-safe. Ownership: the bench closes it, which removes the pool.
 */
final class FilledStore implements Closeable {
  static final int BLOCK_BYTES = 4 << 10;

  /** As many blocks as a segment has by default. */
  static final int SEGMENT_BYTES = 1024 * BLOCK_BYTES;

  /** How often each operation is done to take the middle. */
  static final int CALLS = 101;

  private static final int PIECES = 64;
  private static final String APPLICATION = "application_1_0001";
  private static final byte[] RUN = new byte[100];

  private final Path directory;
  private final SpillStore store;
  private final List<Lease> leases = new ArrayList<>();
  private final int outputs;

  /** A call that the store serves under its lock, for one task while others wait. */
  enum StoreOperation {
    LEASE("lease a block"),
    LEASE_IN_PIECES("lease 64 blocks, where every other one is free"),
    COMMIT("commit"),
    FIND("find"),
    FREE("free an output"),
    MOVE_ORDER("say which output leaves memory next");

    private final String title;

    StoreOperation(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  private FilledStore(Path directory, SpillStore store, int outputs) {
    this.directory = directory;
    this.store = store;
    this.outputs = outputs;
  }

  /** Opens and fills a store in a new directory below {@code parent}. */
  static FilledStore open(Path parent, int outputs, int leases) throws IOException {
    Path directory = Files.createTempDirectory(parent, "sluice-bench-");
    long blocks = (long) outputs + leases + 2 * CALLS + 2 * PIECES;
    long segments = (blocks * BLOCK_BYTES + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
    try {
      SpillStore store =
          SpillStore.open(
              StoreConfig.builder(directory.resolve("pool"), segments * SEGMENT_BYTES)
                  .geometry(SEGMENT_BYTES, BLOCK_BYTES)
                  .wholeAtStart(true)
                  .build());
      FilledStore filled = new FilledStore(directory, store, outputs);
      try {
        filled.fill(leases);
        return filled;
      } catch (IOException | RuntimeException | Error e) {
        filled.close();
        throw e;
      }
    } catch (IOException | RuntimeException | Error e) {
      PrivateDirectory.delete(directory); // unless that is done
      throw e;
    }
  }

  private void fill(int count) throws IOException {
    for (int i = 0; i < outputs; i++) {
      try (Lease lease = store.openLease(APPLICATION);
          OutputWriter writer = written(lease)) {
        writer.commit(id(i));
      }
    }
    for (int i = 0; i < count; i++) {
      Lease lease = store.openLease(APPLICATION);
      leases.add(lease);
      lease.lease(BLOCK_BYTES);
    }
  }

  private static OutputId id(int number) {
    return new OutputId(APPLICATION, "output_" + number);
  }

  private static OutputWriter written(Lease lease) throws IOException {
    OutputWriter writer = new OutputWriter(lease, new PlainMedium(), 1, BLOCK_BYTES);
    writer.beginRun(0);
    writer.write(RUN, 0, RUN.length);
    writer.endRun(RUN.length, 1);
    return writer;
  }

  /** The middle of what each operation took, in microseconds; once, since outputs are freed. */
  Map<StoreOperation, Double> measure() throws IOException {
    Map<StoreOperation, Double> tookUs = new EnumMap<>(StoreOperation.class);
    tookUs.put(StoreOperation.FIND, middleUs(this::findOne));
    tookUs.put(StoreOperation.MOVE_ORDER, middleUs(this::orderOne));
    tookUs.put(StoreOperation.LEASE, middleUs(number -> leaseOnce(BLOCK_BYTES)));
    tookUs.put(StoreOperation.COMMIT, middleUs(this::commitOne));
    tookUs.put(StoreOperation.FREE, middleUs(this::freeOne));
    for (int i = 0; i < outputs; i += 2) {
      store.freeOutput(id(i));
    }
    tookUs.put(
        StoreOperation.LEASE_IN_PIECES, middleUs(number -> leaseOnce((long) PIECES * BLOCK_BYTES)));
    return tookUs;
  }

  /** Does it once, and says how many nanoseconds of that count. */
  private interface Call {
    long runNs(int number) throws IOException;
  }

  private static double middleUs(Call call) throws IOException {
    List<Double> tookUs = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      tookUs.add((double) call.runNs(i) / TimeUnit.MICROSECONDS.toNanos(1));
    }
    return Spread.of(tookUs).median();
  }

  private long findOne(int number) {
    OutputId id = id(number * 7919 % outputs);
    long startNs = System.nanoTime();
    store.find(id).orElseThrow();
    return System.nanoTime() - startNs;
  }

  private long orderOne(int number) {
    long startNs = System.nanoTime();
    store.outputsInMemory(APPLICATION).next();
    return System.nanoTime() - startNs;
  }

  private long leaseOnce(long lengthBytes) throws IOException {
    try (Lease lease = store.openLease(APPLICATION)) {
      long startNs = System.nanoTime();
      List<Extent> leased = lease.lease(lengthBytes);
      long tookNs = System.nanoTime() - startNs;
      lease.release(leased);
      return tookNs;
    }
  }

  private long commitOne(int number) throws IOException {
    try (Lease lease = store.openLease(APPLICATION);
        OutputWriter writer = written(lease)) {
      long startNs = System.nanoTime();
      writer.commit(id(outputs + number));
      return System.nanoTime() - startNs;
    }
  }

  private long freeOne(int number) throws IOException {
    long startNs = System.nanoTime();
    store.freeOutput(id(outputs + number));
    return System.nanoTime() - startNs;
  }

  @Override
  public void close() throws IOException {
    try (store) {
      for (Lease lease : leases) {
        lease.close();
      }
    } finally {
      PrivateDirectory.delete(directory);
    }
  }
}
