package io.sluice.hadoop.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.hadoop.testing.TestJob;
import io.sluice.spill.cipher.ShuffleKey;
import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

/** Which settings of a job are looked at. */
final class JobEncryptionTest {
  private final JobConf job = TestJob.conf();

  private ShuffleKey key() throws IOException {
    MapTask task = new MapTask("", TestJob.map(0, 0), 0, null, 1);
    task.setEncryptedSpillKey(new byte[16]);
    return JobEncryption.keyOf(job, task);
  }

  /** Whoever has it wrong in a file of his cluster can still run jobs that need none. */
  @Test
  void theLengthOfAKeyIsNoMatterOfAJobThatHasNone() throws IOException {
    job.set(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS, "many");
    assertNull(key());
    job.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    assertThrows(NumberFormatException.class, this::key);
    job.setInt(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS, 256);
    try (ShuffleKey key = key()) {
      assertEquals("AES-256-GCM", key.toString());
    }
  }
}
