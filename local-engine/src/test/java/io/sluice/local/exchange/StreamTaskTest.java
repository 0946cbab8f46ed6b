package io.sluice.local.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.Test;

class StreamTaskTest {
  private static final TaskAttemptID ID = new TaskAttemptID("here", 1, TaskType.MAP, 7, 0);

  private final JobConf conf = new JobConf(false);

  @Test
  void itsSettingsAreThoseOfATask() throws Exception {
    new StreamTask(conf, ID);
    assertEquals(ID.toString(), conf.get("mapreduce.task.attempt.id"));
    assertEquals(ID.getTaskID().toString(), conf.get("mapreduce.task.id"));
    assertEquals(ID.getJobID().toString(), conf.get("mapreduce.job.id"));
    assertEquals("7", conf.get("mapreduce.task.partition"));
    assertEquals("true", conf.get("mapreduce.task.ismap"));
  }

  @Test
  void whatItReportsIsProgressOfTheMapsThatFillIt() throws Exception {
    StreamTask task = new StreamTask(conf, ID);
    AtomicInteger heard = new AtomicInteger();
    Progressable map = heard::incrementAndGet;
    Task.TaskReporter reporter = task.reporter();
    reporter.progress(); // of nobody
    task.enter(map);
    reporter.progress();
    reporter.setStatus("combines");
    reporter.incrCounter("group", "counter", 1);
    reporter.incrCounter(TaskType.MAP, 1);
    assertEquals(4, heard.get());
    task.leave(map);
    reporter.progress();
    assertEquals(4, heard.get());
    assertEquals(1, task.counters().findCounter("group", "counter").getValue());
  }
}
