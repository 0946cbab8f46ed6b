package io.sluice.it.lab.plugs;

import io.sluice.it.lab.plugs.SteppingMedium.StoreSteps;
import io.sluice.rdma.memory.LockFile;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreFullException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * A pool on this machine whose plug is pulled by copying its files at a step, in the thread that
 * takes the step, and going on with the copy.
 */
final class PulledPool {
  private static final int SEGMENTS = 16;
  private static final int MORE_SEGMENTS = 4;
  private static final int SEGMENT_BYTES = 2 << 20;
  private static final int BLOCK_BYTES = 64 << 10;

  /** A writer that has taken so many will not take the one it is to stop at. */
  private static final int MOST_STEPS = 5_000;

  /** Ends the writer that was working on the original. */
  private static final class Pulled extends Error {
    private static final long serialVersionUID = 1;
  }

  private final Path directory;
  private int pulls;
  private int segments;

  PulledPool(Path directory) {
    this.directory = directory;
  }

  PlugLedger openLedger() {
    return PlugLedger.open(directory.resolve("ledger"));
  }

  /** Recovers what the last pull left. */
  SpillStore open() throws IOException {
    return SpillStore.open(config(new PlainMedium()));
  }

  /** Writes with some more segments until a step is taken for the n-th time. */
  void writeUntil(Step step, int occurrence, long seed) throws IOException {
    Path copy = directory.resolve("pool-" + (pulls + 1));
    Plug plug = new Plug(step, occurrence, copy);
    segments = segments == 0 ? SEGMENTS : segments + MORE_SEGMENTS;
    StoreSteps storeSteps = new StoreSteps(plug);
    Medium medium = new SteppingMedium(new PlainMedium(), storeSteps);
    try (PlugLedger ledger = openLedger();
        SpillStore store = SpillStore.open(config(medium))) {
      SplittableRandom random = new SplittableRandom(seed);
      String name = "application_" + pulls;
      EndlessWriter writer =
          new EndlessWriter(store, ledger, name, new PlainMedium(), random, storeSteps, plug);
      try {
        writer.writeForEver();
      } finally {
        storeSteps.leaseOpened(); // else the filler would not let the store close
      }
    } catch (Pulled e) {
      pulls++;
    } catch (StoreFullException e) {
      if (!plug.isPulled()) {
        throw e;
      }
      pulls++; // the filler was at its step, and the writer waited for the segment
    }
  }

  private StoreConfig config(Medium medium) {
    return StoreConfig.builder(directory.resolve("pool-" + pulls), (long) segments * SEGMENT_BYTES)
        .geometry(SEGMENT_BYTES, BLOCK_BYTES)
        .recover(Set.of())
        .medium(medium)
        .build();
  }

  /**
   * What the filler is still making may get its name meanwhile; and who holds the lock is another
   * process after a boot, whereas here it would be this one.
   */
  private static boolean outlivesThePlug(Path file) {
    String name = file.getFileName().toString();
    return !name.endsWith(".tmp") && !LockFile.isBeside("pool.lock", name);
  }

  /** Copies at its step, while the other threads of the store wait at theirs. */
  private final class Plug implements Step.Listener {
    private final Step step;
    private final Path copy;
    private int left;
    private int taken;

    Plug(Step step, int occurrence, Path copy) {
      this.step = step;
      this.left = occurrence;
      this.copy = copy;
    }

    @Override
    public synchronized void reached(Step reached) {
      if (left == 0) {
        throw new Pulled();
      }
      if (taken++ > MOST_STEPS) {
        throw new AssertionError("the step \"%s\" is never taken".formatted(step.title()));
      }
      if (reached == step && --left == 0) {
        copy();
        throw new Pulled();
      }
    }

    synchronized boolean isPulled() {
      return left == 0;
    }

    private void copy() {
      try (Stream<Path> files = Files.list(directory.resolve("pool-" + pulls))) {
        Files.createDirectory(copy);
        for (Path file : files.filter(PulledPool::outlivesThePlug).toList()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot copy the pool to " + copy, e);
      }
    }
  }
}
