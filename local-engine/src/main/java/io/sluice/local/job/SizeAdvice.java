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
 * Says in one line when one machine is too small for a job: before it begins by what it reads, and
 * afterwards by what it took.
 *
 * <p>Thread contract: one thread.
 */
final class SizeAdvice {
  /** What a core gets through in a sort, input and output included; a little less than measured. */
  private static final long BYTES_PER_CORE_AND_S = 40_000_000;

  private static final long LONG_MIN = 10;
  private static final String CLUSTER =
      "; on a cluster the same command runs with -Dmapreduce.framework.name=yarn";

  private final JobID job;
  private final int threads;
  private final ProcessStore store;
  private final long overflowsBefore;
  private final LongSupplier clockNs;
  private final long startNs;

  /** Of a job that begins, with so many maps at a time. */
  SizeAdvice(JobID job, int threads, ProcessStore store, LongSupplier clockNs) {
    this.job = job;
    this.threads = threads;
    this.store = store;
    this.overflowsBefore = store.stats().overflows();
    this.clockNs = clockNs;
    this.startNs = clockNs.getAsLong();
  }

  /** By its input. */
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

  /** By what it took. */
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
              "went to disk with what had no room in %,d MiB of memory (%s)",
              store.stats().memory().capacityBytes() >> 20,
              MemorySettings.MEMORY_MB.name()));
    }
    return why.isEmpty()
        ? Optional.empty()
        : Optional.of(job + " " + String.join(", and ", why) + CLUSTER);
  }
}
