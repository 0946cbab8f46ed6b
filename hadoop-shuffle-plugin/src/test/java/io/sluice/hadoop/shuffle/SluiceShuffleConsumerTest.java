package io.sluice.hadoop.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import io.sluice.hadoop.testing.ReduceSide;
import io.sluice.hadoop.testing.TestJob;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who shuffles for a reduce task, and what is said where nobody may. */
final class SluiceShuffleConsumerTest {
  @TempDir Path directory;
  private final JobConf job = TestJob.conf();

  private void init(String javaVersion) throws IOException {
    job.set(MRConfig.LOCAL_DIR, directory.toString());
    ReduceSide reduce = new ReduceSide(job, TestJob.reduce(0, 0));
    try {
      new SluiceShuffleConsumer<Object, Object>(javaVersion).init(reduce.context(null));
    } finally {
      assertEquals(0, SluiceCounter.FALLBACK_REDUCE_TO_STOCK.of(reduce.reporter()).getValue());
    }
  }

  @Test
  void aReduceThatStockMayNotShuffleFails() {
    job.set(FallbackPolicy.KEY, "never");
    job.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    assertEquals(
        "sluice.fallback.policy is never, and the task runs inside another process (local or uber"
            + " mode), where the stock shuffle moves files without a network",
        assertThrows(IllegalStateException.class, () -> init(JavaVersion.current())).getMessage());
  }

  @Test
  void soDoesOneWithASettingThatIsNone() {
    job.set(FallbackPolicy.KEY, "never");
    job.set("sluice.reduce.buffer-mb", "2048");
    String message =
        assertThrows(IllegalStateException.class, () -> init(JavaVersion.current())).getMessage();
    assertTrue(message.contains("never, and sluice.reduce.buffer-mb is '2048'"), message);
  }

  @Test
  void soDoesOneOnAnOlderJava() {
    job.set(FallbackPolicy.KEY, "never");
    assertEquals(
        "sluice.fallback.policy is never, and it needs Java 17 or later, and this JVM is Java 11",
        assertThrows(IllegalStateException.class, () -> init("11")).getMessage());
  }

  @Test
  void aJobThatSluiceShufflesIsNotRefused() throws IOException {
    job.set(FallbackPolicy.KEY, "never");
    init(JavaVersion.current());
  }

  @ParameterizedTest
  @CsvSource({"Never", "''", "false"})
  void aPolicyThatIsNoneIsRefused(String value) {
    job.set(FallbackPolicy.KEY, value);
    assertEquals(
        "sluice.fallback.policy is '" + value + "', expected one of auto, never",
        assertThrows(IllegalArgumentException.class, () -> init(JavaVersion.current()))
            .getMessage());
  }
}
