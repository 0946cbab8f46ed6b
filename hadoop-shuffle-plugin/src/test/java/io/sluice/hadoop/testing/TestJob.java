package io.sluice.hadoop.testing;

import io.sluice.hadoop.collect.SluiceMapOutputCollector;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.shuffle.SluiceShuffleConsumer;
import java.nio.charset.StandardCharsets;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;

/** The job that tests run tasks of. */
public final class TestJob {
  public static final JobID ID = new JobID("1700000000000", 7);
  public static final String APPLICATION = "application_1700000000000_0007";
  public static final SecretKey SECRET =
      new SecretKeySpec("a shuffle secret".getBytes(StandardCharsets.UTF_8), "HmacSHA1");

  private TestJob() {}

  /** As configured on a cluster with Sluice. */
  public static JobConf conf() {
    JobConf job = new JobConf();
    job.set(MRConfig.FRAMEWORK_NAME, MRConfig.YARN_FRAMEWORK_NAME);
    job.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, SluiceShuffleConsumer.class.getName());
    job.set(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, SluiceMapOutputCollector.class.getName());
    job.setInt(MRJobConfig.IO_SORT_MB, 16);
    job.setInt(JobSettings.PORT_OFFSET.name(), 1); // nodes of tests have low ports
    return job;
  }

  public static TaskAttemptID map(int map, int attempt) {
    return new TaskAttemptID(new TaskID(ID, TaskType.MAP, map), attempt);
  }

  public static TaskAttemptID reduce(int reduce, int attempt) {
    return new TaskAttemptID(new TaskID(ID, TaskType.REDUCE, reduce), attempt);
  }
}
