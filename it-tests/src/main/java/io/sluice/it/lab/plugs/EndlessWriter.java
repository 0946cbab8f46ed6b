package io.sluice.it.lab.plugs;

import io.sluice.it.lab.plugs.SteppingMedium.StoreSteps;
import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreStats.TierStats;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Commits outputs and frees applications until the plug is pulled, so that the pool is nearly
 * always full, and tells the ledger of each intent before and of each success after it.
 *
 * <p>Thread contract: one thread. Ownership: of neither store nor ledger. Failure: whatever the
 * store throws; nothing is expected to.
 */
final class EndlessWriter {
  private static final int OUTPUTS_PER_APPLICATION = 4;
  private static final long LEASE_BYTES = 1 << 20;

  /** One in so many ends of an application also frees one, though there is room. */
  private static final int FREE_ONE_IN = 3;

  private final SpillStore store;
  private final PlugLedger ledger;
  private final String name;
  private final SplittableRandom random;
  private final Step.Listener steps;
  private final StoreSteps storeSteps;
  private final WriterSteps writerSteps;
  private final Medium medium;

  /**
   * Creates a writer.
   *
   * @param name starts the names of its applications, and is no other writer's
   * @param medium below that of the store
   * @param storeSteps observes the medium of the store
   */
  EndlessWriter(
      SpillStore store,
      PlugLedger ledger,
      String name,
      Medium medium,
      SplittableRandom random,
      StoreSteps storeSteps,
      Step.Listener steps) {
    this.store = store;
    this.ledger = ledger;
    this.name = name;
    this.random = random;
    this.storeSteps = storeSteps;
    this.steps = steps;
    this.writerSteps = new WriterSteps(steps);
    this.medium = new SteppingMedium(medium, writerSteps);
  }

  /** Never returns. */
  void writeForEver() throws IOException {
    for (String application : ledger.applicationsInFree()) {
      free(application);
    }
    for (int application = 0; ; application++) {
      writeApplication(name + "_" + application);
    }
  }

  private void writeApplication(String application) throws IOException {
    for (int i = 0; i < OUTPUTS_PER_APPLICATION; i++) {
      SeededOutput output = SeededOutput.random(ledger.nextNumber(), application, random);
      makeRoom(output, application);
      write(output);
    }
    if (random.nextInt(FREE_ONE_IN) == 0) {
      free(ledger.liveApplications().get(0));
    }
  }

  private void makeRoom(SeededOutput output, String current) throws IOException {
    // Leased in whole steps, the last one for the tail; a piece may be twice its mean length.
    while (freeBytes() < 2L * output.sizeBytes() + 2 * LEASE_BYTES) {
      List<String> live = ledger.liveApplications();
      if (live.get(0).equals(current)) {
        throw new IllegalStateException("the pool is too small for " + current);
      }
      free(live.get(0));
    }
  }

  private long freeBytes() {
    TierStats memory = store.stats().memory();
    return memory.capacityBytes() - memory.usedBytes();
  }

  private void write(SeededOutput output) throws IOException {
    ledger.begin(output);
    try (Lease lease = store.openLease(output.application());
        OutputWriter writer = new OutputWriter(lease, medium, output.partitions(), LEASE_BYTES)) {
      storeSteps.leaseOpened();
      for (SeededOutput.Piece piece : output.pieces()) {
        byte[] bytes = piece.bytes();
        writer.beginRun(piece.partition());
        writer.write(bytes, 0, bytes.length);
        writer.endRun(bytes.length, 1);
      }
      writerSteps.commitBegins();
      writer.commit(output.id());
      steps.reached(Step.COMMITTED);
    }
    ledger.acknowledge(output);
    steps.reached(Step.ACKNOWLEDGED);
  }

  private void free(String application) throws IOException {
    ledger.freeing(application);
    steps.reached(Step.FREE_BEGUN);
    store.freeApplication(application);
    steps.reached(Step.FREED);
    ledger.freed(application);
    steps.reached(Step.FREE_ACKNOWLEDGED);
  }

  /**
   * Knows the steps of an {@link io.sluice.spill.writer.OutputWriter#commit} from the order of its
   * persists: the rest of the runs, the index, the footer.
   *
   * <p>Thread contract: that of the writer.
   */
  static final class WriterSteps implements SteppingMedium.Observer {
    private static final List<Step> ORDER =
        List.of(Step.RUNS_PERSISTED, Step.INDEX_PERSISTED, Step.FOOTER_PERSISTED);

    private final Step.Listener listener;
    private int done = ORDER.size();

    WriterSteps(Step.Listener listener) {
      this.listener = listener;
    }

    /** The writer, which has written something, is about to commit. */
    void commitBegins() {
      done = 0;
    }

    @Override
    public void persisted(Mapping mapping, int offsetBytes, int lengthBytes) {
      if (done < ORDER.size()) {
        listener.reached(ORDER.get(done++));
      }
    }
  }
}
