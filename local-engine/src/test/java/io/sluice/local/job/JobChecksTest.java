package io.sluice.local.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which settings end a job at its submission, and which must not. */
class JobChecksTest {
  private static final Map<String, String> ENVIRONMENT = Map.of("TZ", "UTC");

  private static void require(String name, String value) throws IOException {
    Configuration conf = new JobConf();
    conf.set(name, value);
    JobChecks.require(conf, ENVIRONMENT::get);
  }

  @ParameterizedTest
  @CsvSource({
    "mapreduce.job.reduces, 509103844",
    "mapreduce.job.reduces, -3",
    "mapreduce.job.reduces, many",
    "mapreduce.task.io.sort.mb, 0",
    "mapreduce.task.io.sort.mb, 4096",
    "mapreduce.task.io.sort.factor, 1",
    "mapreduce.map.sort.spill.percent, 80",
    "mapreduce.job.reduce.slowstart.completedmaps, 1.5",
    "mapreduce.job.reduce.slowstart.completedmaps, NaN",
    "mapreduce.map.maxattempts, -1",
    "mapreduce.reduce.maxattempts, four",
    "mapreduce.map.failures.maxpercent, 101",
    "mapreduce.task.timeout, 10min",
    "mapreduce.task.progress-report.interval, 0",
    "mapreduce.job.end-notification.timeout, -1",
    "sluice.local.map-threads, 0",
    "sluice.local.exchange, magic"
  })
  void aNumberThatCannotBeIsRefusedInOneSentence(String name, String value) {
    String message = assertThrows(IOException.class, () -> require(name, value)).getMessage();
    assertTrue(message.contains(name) && message.contains(value), message);
    assertFalse(message.contains("\n"), message);
  }

  @ParameterizedTest
  @CsvSource({
    "mapreduce.map.env, 'TZ=Asia/Tokyo'",
    "mapreduce.reduce.env, 'JAVA_HOME=/jdk,LC_ALL=C'",
    "mapreduce.map.env.LANG, de_DE",
    "mapred.child.env, 'YARN_CONTAINER_RUNTIME_TYPE=docker'",
    "mapreduce.admin.user.env, 'PATH=/opt/bin'",
    "mapreduce.job.map.output.collector.class, com.example.Collector",
    "mapreduce.job.reduce.shuffle.consumer.plugin.class, com.example.Shuffle",
    "mapreduce.job.local-fs.single-disk-limit.bytes, 1000"
  })
  void whatChangesWhatTasksDoIsRefused(String name, String value) {
    String message = assertThrows(IOException.class, () -> require(name, value)).getMessage();
    assertTrue(message.contains(name), message);
  }

  @Test
  void aNotifierOfItsOwnIsRefusedWhereItWouldBeCalled() throws IOException {
    Configuration conf = new JobConf();
    conf.set("mapreduce.job.end-notification.custom-notifier-class", "com.example.Notifier");
    JobChecks.require(conf, ENVIRONMENT::get);
    conf.set("mapreduce.job.end-notification.url", "http://localhost/");
    assertThrows(IOException.class, () -> JobChecks.require(conf, ENVIRONMENT::get));
  }

  /** What installations of Hadoop set for all jobs. */
  @ParameterizedTest
  @CsvSource({
    "mapreduce.map.env, 'HADOOP_MAPRED_HOME=/opt/hadoop'",
    "mapreduce.map.env, 'TZ=UTC'",
    "mapreduce.map.env, ''",
    "mapred.child.env, 'JAVA_HOME=/jdk,HADOOP_MAPRED_HOME=${HADOOP_COMMON_HOME}'",
    "mapreduce.reduce.env.HADOOP_MAPRED_HOME, /opt/hadoop",
    "mapreduce.admin.user.env, 'LD_LIBRARY_PATH=/usr/hdp/lib/native:/usr/hdp/lib/native/Linux'",
    "mapreduce.job.reduce.shuffle.consumer.plugin.class, io.sluice.hadoop.Any",
    "mapreduce.job.reduces, 0",
    "mapreduce.job.reduces, 0x10",
    "mapreduce.map.maxattempts, 0",
    "mapreduce.task.timeout, 0",
    "mapreduce.task.timeout, -1",
    "mapreduce.job.running.map.limit, -1",
    "mapreduce.job.local-fs.single-disk-limit.bytes, -1"
  })
  void whatSitesSetIsNotRefused(String name, String value) throws IOException {
    require(name, value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mapreduce.map.env", "mapreduce.job.local-fs.single-disk-limit.bytes"})
  void namesOfWhatIsRefusedAreKnown(String name) {
    assertEquals(1, JobChecks.refused().filter(name::equals).count());
  }

  @Test
  void hadoopsDefaultsAreNotRefused() throws IOException {
    JobChecks.require(new JobConf(), ENVIRONMENT::get);
  }
}
