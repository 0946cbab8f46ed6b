package io.sluice.it.lab.plugs;

import io.sluice.it.lab.plugs.Step.StopPoint;
import io.sluice.it.lab.plugs.SteppingMedium.StoreSteps;
import io.sluice.it.lab.plugs.Verifier.Verdict;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.SyncMedium;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The program of the guest: one {@link Boot}. It says on its standard output when the host may pull
 * the plug, and writes ledger and verdict to the share, where they outlive the guest.
 *
 * <p>Failure: any is told to the host as a line, and ends the guest.
 */
record PlugsProgram(Path pool, Path share, Medium medium, Boot boot) {
  /** Starts each line that is for the host. */
  static final String EVENT = "PLUGS ";

  static final String VERIFIED = EVENT + "verified";
  static final String WRITING = EVENT + "writing";
  static final String STOPPED = EVENT + "stopped at ";
  static final String FAILED = EVENT + "failed: ";

  private static final int SEGMENT_BYTES = 2 << 20;
  private static final int BLOCK_BYTES = 64 << 10;

  /** Arguments: the pool's directory, the share, then those of {@link Boot#of}. */
  public static void main(String[] args) throws Exception {
    List<String> rest = Arrays.asList(args).subList(2, args.length);
    try {
      new PlugsProgram(Path.of(args[0]), Path.of(args[1]), new SyncMedium(), Boot.of(rest)).run();
    } catch (Throwable e) {
      tell(FAILED + e);
      throw e;
    }
  }

  private static void tell(String event) {
    System.out.println(event);
    System.out.flush();
  }

  /** Where the ledger lies in the share. */
  static Path ledger(Path share) {
    return share.resolve("ledger");
  }

  /** Where a boot's verdict lies in the share. */
  static Path verdict(Path share, int boot) {
    return share.resolve("verdict-" + boot + ".properties");
  }

  private void run() throws IOException {
    try (PlugLedger ledger = PlugLedger.open(ledger(share))) {
      if (boot.formerSegments() > 0) {
        verify(ledger).write(verdict(share, boot.number()));
        tell(VERIFIED);
      }
      if (boot.segments() > 0) {
        write(ledger);
      }
    }
  }

  private Verdict verify(PlugLedger ledger) throws IOException {
    StoreConfig config = config(boot.formerSegments()).medium(medium).recover(Set.of()).build();
    try (SpillStore store = SpillStore.open(config)) {
      Verdict verdict = Verifier.verify(store, ledger);
      return boot.fresh() ? verdict.and(verifyEmptied(store, ledger)) : verdict;
    }
  }

  private static Verdict verifyEmptied(SpillStore store, PlugLedger ledger) throws IOException {
    List<String> applications = new ArrayList<>(ledger.applicationsInFree());
    applications.addAll(ledger.liveApplications());
    for (String application : applications) {
      ledger.freeing(application);
      store.freeApplication(application);
      ledger.freed(application);
    }
    return Verifier.verify(store, ledger);
  }

  private void write(PlugLedger ledger) throws IOException {
    Step.Listener steps =
        boot.step().isPresent()
            ? new StopPoint(
                boot.step().get(), boot.occurrence(), step -> tell(STOPPED + step.title()))
            : step -> {};
    StoreSteps storeSteps = new StoreSteps(steps);
    StoreConfig.Builder config =
        config(boot.segments()).medium(new SteppingMedium(medium, storeSteps));
    if (!boot.fresh()) {
      config.recover(Set.of());
    }
    try (SpillStore store = SpillStore.open(config.build())) {
      tell(WRITING);
      SplittableRandom random = new SplittableRandom(boot.writerSeed());
      String name = "application_" + boot.number();
      new EndlessWriter(store, ledger, name, medium, random, storeSteps, steps).writeForEver();
    }
  }

  private StoreConfig.Builder config(int segments) {
    return StoreConfig.builder(pool, (long) segments * SEGMENT_BYTES)
        .geometry(SEGMENT_BYTES, BLOCK_BYTES);
  }
}
