package io.sluice.local.job;

import io.sluice.memory.conf.MemorySettings;
import io.sluice.memory.store.ProcessStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.mapred.JobID;

/**
 * Logs one line if a job is large for one machine: before it by the size of its input, and after it
 * by its time and memory.
 *
 * <p>Thread contract: one thread.
 */
final class SizeAdvice {
  /** Bytes per core and second in a sort, with input and output; a little less than measured. */
  private static final long BYTES_PER_CORE_AND_S = 40_000_000;

  private static final long LONG_MIN = 10;
  private static final String CLUSTER =
      ". On a cluster the same command runs with -Dmapreduce.framework.name=yarn";

  private final JobID job;
  private final int threads;
  private final ProcessStore store;
  private final long overflowsBefore;
  private final LongSupplier clockNs;
  private final long startNs;

  /** Advice for a job that begins, with {@code threads} maps at a time. */
  SizeAdvice(JobID job, int threads, ProcessStore store, LongSupplier clockNs) {
    this.job = job;
    this.threads = threads;
    this.store = store;
    this.overflowsBefore = store.stats().overflows();
    this.clockNs = clockNs;
    this.startNs = clockNs.getAsLong();
  }

  /** Advice by the input. */
  Optional<String> before(long inputBytes) {
    long cores = Math.min(threads, Runtime.getRuntime().availableProcessors());
    long minutes = TimeUnit.SECONDS.toMinutes(inputBytes / (BYTES_PER_CORE_AND_S * cores));
    return minutes < LONG_MIN
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%s reads %,d MB, which may take %d min or more on %d cores%s",
                job,
                inputBytes / 1_000_000,
                minutes,
                cores,
                CLUSTER));
  }

  /** Advice by time and memory. */
  Optional<String> after() {
    List<String> why = new ArrayList<>();
    long minutes = TimeUnit.NANOSECONDS.toMinutes(clockNs.getAsLong() - startNs);
    if (minutes >= LONG_MIN) {
      why.add("took %s min".formatted(minutes));
    }
    if (store.stats().overflows() > overflowsBefore) {
      why.add(
          String.format(
              Locale.ROOT,
              "wrote to disk what did not fit into %,d MiB of memory (raise %s)",
              store.stats().memory().capacityBytes() >> 20,
              MemorySettings.MEMORY_MB.name()));
    }
    return why.isEmpty()
        ? Optional.empty()
        : Optional.of(job + " " + String.join(", and ", why) + CLUSTER);
  }
}
