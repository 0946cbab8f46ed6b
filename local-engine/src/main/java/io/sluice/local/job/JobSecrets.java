package io.sluice.local.job;

import io.sluice.local.exchange.JobExchange;
import io.sluice.spill.cipher.ShuffleKey;
import java.security.SecureRandom;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;

/** What a job's tasks know and nobody else. Stateless. */
final class JobSecrets {
  private static final String ALGORITHM = "HmacSHA1"; // of stock's shuffle
  private static final int KEY_BYTES = 32;

  private JobSecrets() {}

  /** What tasks of a cluster authenticate their shuffle with; here they only have it. */
  static SecretKey shuffle(JobConf conf) {
    byte[] bytes = TokenCache.getShuffleSecretKey(conf.getCredentials());
    return new SecretKeySpec(bytes == null ? random() : bytes, ALGORITHM);
  }

  /**
   * What map outputs are encrypted with, or null if they are not. It is drawn anew: nobody but this
   * process reads what it writes.
   */
  static ShuffleKey outputs(JobConf conf, JobID id) {
    if (!CryptoUtils.isEncryptedSpillEnabled(conf)) {
      return null;
    }
    return new ShuffleKey(
        random(),
        JobExchange.applicationId(id),
        conf.getInt(
            MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS,
            MRJobConfig.DEFAULT_MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS));
  }

  private static byte[] random() {
    byte[] bytes = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }
}
