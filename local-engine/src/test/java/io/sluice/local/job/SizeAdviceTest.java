package io.sluice.local.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.store.Lease;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SizeAdviceTest {
  private static final JobID JOB = new JobID("1", 1);

  @TempDir private Path directory;
  private long nowNs;

  private Configuration conf() {
    Configuration conf = new Configuration(false);
    conf.set("hadoop.tmp.dir", directory.toString());
    conf.set("sluice.local.dir", directory.toString());
    conf.set("sluice.local.memory-mb", "16");
    return conf;
  }

  @Test
  void aLargeInputIsSaidBefore() throws Exception {
    try (ProcessStore store = ProcessStore.open(conf())) {
      SizeAdvice advice = new SizeAdvice(JOB, 1, store, () -> nowNs);
      assertEquals(Optional.empty(), advice.before(1_000_000_000));
      String said = advice.before(60_000_000_000L).orElseThrow();
      assertTrue(said.contains("reads 60,000 MB, which may take 25 min or more on 1 cores"), said);
      assertTrue(said.contains("mapreduce.framework.name=yarn"), said);
    }
  }

  @Test
  void whatTookLongIsSaidAfterwards() throws Exception {
    try (ProcessStore store = ProcessStore.open(conf())) {
      SizeAdvice advice = new SizeAdvice(JOB, 1, store, () -> nowNs);
      nowNs = TimeUnit.MINUTES.toNanos(9);
      assertEquals(Optional.empty(), advice.after());
      nowNs = TimeUnit.MINUTES.toNanos(12);
      String said = advice.after().orElseThrow();
      assertTrue(said.startsWith(JOB + " took 12 min. On a cluster the same command"), said);
    }
  }

  @Test
  void whatHadNoRoomInMemoryIsSaidAfterwards() throws Exception {
    try (ProcessStore store = ProcessStore.open(conf())) {
      SizeAdvice advice = new SizeAdvice(JOB, 1, store, () -> nowNs);
      assertEquals(Optional.empty(), advice.after());
      try (Lease lease = store.openLease("application_1_1")) {
        lease.lease(20 << 20);
      }
      String said = advice.after().orElseThrow();
      assertTrue(
          said.contains("did not fit into 16 MiB of memory (raise sluice.local.memory-mb)"), said);
    }
  }
}
