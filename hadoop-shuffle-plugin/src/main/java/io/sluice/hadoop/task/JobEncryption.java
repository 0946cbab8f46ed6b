package io.sluice.hadoop.task;

import io.sluice.mapreduce.id.TaskNames;
import io.sluice.spill.cipher.ShuffleKey;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Says whether a job's map outputs are encrypted, and with which key. They are encrypted if stock
 * encrypts them, on disk or on the wire. The key is derived from a secret that stock gives to all
 * tasks of the job anyway.
 *
 * <pre>
 *   mapreduce.job.encrypted-intermediate-data   the spill key, which tasks and their master know
 *   mapreduce.shuffle.ssl.enabled alone         the shuffle secret, which NodeManagers know too
 * </pre>
 *
 * <p>Thread contract: stateless.
 */
public final class JobEncryption {
  /** Much shorter secrets could be found by trying all against a recorded handshake. */
  private static final int MIN_SECRET_BYTES = 16;

  private JobEncryption() {}

  private static boolean isOverTls(JobConf job) {
    return job.getBoolean(MRConfig.SHUFFLE_SSL_ENABLED_KEY, MRConfig.SHUFFLE_SSL_ENABLED_DEFAULT);
  }

  /** The reason why no key can be made for the job; empty if one can, or none is needed. */
  static Optional<String> declineReason(JobConf job, SecretKey secret) {
    if (CryptoUtils.isEncryptedSpillEnabled(job) || !isOverTls(job)) {
      return Optional.empty();
    }
    byte[] bytes = secret.getEncoded();
    int lengthBytes = bytes.length;
    Arrays.fill(bytes, (byte) 0);
    return lengthBytes >= MIN_SECRET_BYTES
        ? Optional.empty()
        : Optional.of(
            MRConfig.SHUFFLE_SSL_ENABLED_KEY
                + " is on, and the job's shuffle secret has "
                + 8 * lengthBytes
                + " bits, too few to encrypt map outputs with; set"
                + " mapreduce.shuffle-key-length=256 where jobs are submitted, or "
                + MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA);
  }

  /** Says for a log how the job's map outputs are encrypted, without the key. */
  public static String describe(JobConf job, ShuffleKey key) {
    return key == null
        ? "not encrypted"
        : key
            + ", by the job's "
            + (CryptoUtils.isEncryptedSpillEnabled(job) ? "spill key" : "shuffle secret");
  }

  /**
   * The key of the job's map outputs.
   *
   * @param task of the job, as the ApplicationMaster has sent it
   * @return null if they are not encrypted; the caller closes it
   * @throws IOException if the ApplicationMaster has sent no key though the job wants one
   */
  public static ShuffleKey keyOf(JobConf job, Task task) throws IOException {
    String applicationId = TaskNames.application(task.getJobID());
    if (CryptoUtils.isEncryptedSpillEnabled(job)) {
      byte[] spillKey = task.getEncryptedSpillKey(); // the task's own, not a copy
      if (spillKey == null || spillKey.length <= 1) {
        throw new IOException(
            MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
                + " is on, and "
                + task.getTaskID()
                + " has got no key for it from its ApplicationMaster");
      }
      return new ShuffleKey(spillKey, applicationId, keyBits(job));
    }
    if (!isOverTls(job)) {
      return null;
    }
    byte[] secret = task.getShuffleSecret().getEncoded();
    try {
      return new ShuffleKey(secret, applicationId, keyBits(job));
    } finally {
      Arrays.fill(secret, (byte) 0);
    }
  }

  private static int keyBits(JobConf job) {
    return job.getInt(
        MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS,
        MRJobConfig.DEFAULT_MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS);
  }
}
