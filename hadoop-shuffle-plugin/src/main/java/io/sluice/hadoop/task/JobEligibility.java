package io.sluice.hadoop.task;

import io.sluice.hadoop.collect.SluiceMapOutputCollector;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.shuffle.SluiceShuffleConsumer;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Decides which jobs Sluice leaves to the stock engine. It looks only at facts that the map and the
 * reduce side both know, so the two always agree.
 */
public final class JobEligibility {
  private JobEligibility() {}

  /**
   * Gives the reason why the stock engine must do this job's shuffle.
   *
   * @param secret the job's shuffle secret; null for tasks in the ApplicationMaster's own process
   * @return empty if Sluice can do it
   */
  public static Optional<String> declineReason(JobConf job, SecretKey secret) {
    if (MRConfig.LOCAL_FRAMEWORK_NAME.equals(job.get(MRConfig.FRAMEWORK_NAME)) || secret == null) {
      return Optional.of(
          "the task runs inside another process (local or uber mode), where the stock shuffle"
              + " moves files without a network");
    }
    Optional<String> badSetting = JobSettings.firstError(job::getTrimmed);
    if (badSetting.isPresent()) {
      return badSetting; // every map and reduce finds it before it begins
    }
    Optional<String> keyless = JobEncryption.declineReason(job, secret);
    if (keyless.isPresent()) {
      return keyless;
    }
    if (!names(job, MRConfig.SHUFFLE_CONSUMER_PLUGIN, SluiceShuffleConsumer.class)) {
      return Optional.of(
          MRConfig.SHUFFLE_CONSUMER_PLUGIN
              + " is not "
              + SluiceShuffleConsumer.class.getName()
              + ", and nobody else can read Sluice's map outputs");
    }
    if (!names(job, MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, SluiceMapOutputCollector.class)) {
      return Optional.of(
          MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR
              + " does not name "
              + SluiceMapOutputCollector.class.getName()
              + ", so there are no map outputs in Sluice's pools");
    }
    return Optional.empty();
  }

  private static boolean names(JobConf job, String key, Class<?> type) {
    return Arrays.asList(job.getTrimmedStrings(key)).contains(type.getName());
  }
}
