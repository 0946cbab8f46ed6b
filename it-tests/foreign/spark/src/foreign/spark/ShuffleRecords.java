package foreign.spark;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Prints how many records an application's tasks have written to shuffles and read from them. */
public final class ShuffleRecords extends SparkListener {
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong failedTasks = new AtomicLong();

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    TaskMetrics metrics = end.taskMetrics();
    if (metrics != null) {
      written.addAndGet(metrics.shuffleWriteMetrics().recordsWritten());
      read.addAndGet(metrics.shuffleReadMetrics().recordsRead());
    }
    failedTasks.addAndGet(end.taskInfo().successful() ? 0 : 1);
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    System.out.println("Counters: 3");
    System.out.println("\tShuffles");
    System.out.println("\t\trecords written=" + written);
    System.out.println("\t\trecords read=" + read);
    System.out.println("\t\tfailed tasks=" + failedTasks);
  }
}
