package io.sluice.it.spark.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Groups that lose executors or attempts at one moment, which the job itself brings about: no clock
 * decides. In local mode, where there is only the driver, nothing is lost and the groups are the
 * same.
 */
final class LossWorkloads {
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long DEADLINE_NS = TimeUnit.MINUTES.toNanos(3);

  private final SparkSession session;
  private final RddWorkloads input;
  private final ShuffleArguments arguments;

  LossWorkloads(SparkSession session, RddWorkloads input, ShuffleArguments arguments) {
    this.session = session;
    this.input = input;
    this.arguments = arguments;
  }

  /** The last map task: others have committed their output by then. */
  JavaRDD<ResultRow> whileMapping() {
    int last = arguments.partitions() - 1;
    return groups(
        input
            .rows(0, 0)
            .mapPartitionsToPair(rows -> isFirstAttempt(last) ? killedAtEnd(rows) : rows));
  }

  JavaRDD<ResultRow> betweenStages() {
    JavaRDD<ResultRow> groups = groups(input.rows(0, 0));
    groups.count();
    input
        .indices(1)
        .foreach(
            index -> {
              if (isFirstAttempt(index)) {
                kill();
              }
            });
    return groups;
  }

  JavaRDD<ResultRow> whileReducing() {
    return groups(input.rows(0, 0))
        .mapPartitions(rows -> isFirstAttempt(1) ? killedAtEnd(rows) : rows);
  }

  /** With speculation on and executors on two hosts: attempts avoid the hosts of others. */
  JavaRDD<ResultRow> overtaken() throws IOException {
    boolean speculates = session.sparkContext().conf().getBoolean("spark.speculation", false);
    String overtaken = Files.createTempDirectory("overtaken").resolve("done").toString();
    return groups(
        input
            .rows(0, 0)
            .mapPartitionsToPair(
                rows -> {
                  if (!speculates || TaskContext.getPartitionId() != 0) {
                    return rows;
                  }
                  Path done = Path.of(overtaken);
                  if (TaskContext.get().attemptNumber() > 0) {
                    return new AtEnd<>(rows, () -> Files.createFile(done));
                  }
                  await("another attempt to write everything", () -> Files.exists(done));
                  return rows;
                }));
  }

  /** With dynamic allocation on. */
  JavaRDD<ResultRow> released() {
    JavaRDD<ResultRow> groups = groups(input.rows(0, 0));
    groups.count();
    if (session.sparkContext().conf().getBoolean("spark.dynamicAllocation.enabled", false)) {
      JavaSparkContext context = new JavaSparkContext(session.sparkContext());
      await(
          "all executors to be released",
          () -> context.sc().statusTracker().getExecutorInfos().length == 1); // the driver
    }
    return groups;
  }

  private JavaRDD<ResultRow> groups(JavaPairRDD<Long, String> rows) {
    return rows.groupByKey(arguments.partitions())
        .map(group -> ResultRow.of(group._1(), ResultRow.hash(group._2())));
  }

  /** Whether this task is the first attempt ever at a partition, on an executor. */
  private static boolean isFirstAttempt(int partition) {
    TaskContext context = TaskContext.get();
    return context.partitionId() == partition
        && context.attemptNumber() == 0
        && context.stageAttemptNumber() == 0
        && !SparkEnv.get().executorId().equals("driver");
  }

  private static <T> Iterator<T> killedAtEnd(Iterator<T> rows) {
    return new AtEnd<>(rows, LossWorkloads::kill);
  }

  /** As an operator or the kernel would: nothing of this process runs any more. */
  private static void kill() throws IOException {
    new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start();
    await("being killed", () -> false);
  }

  private static void await(String what, BooleanSupplier condition) {
    long startNs = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (Thread.currentThread().isInterrupted() || System.nanoTime() - startNs > DEADLINE_NS) {
        throw new IllegalStateException("gave up waiting for " + what);
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  /** Does something when the rows come to their end. */
  private static final class AtEnd<T> implements Iterator<T> {
    private final Iterator<T> rows;
    private Action action;

    AtEnd(Iterator<T> rows, Action action) {
      this.rows = rows;
      this.action = action;
    }

    @Override
    public boolean hasNext() {
      boolean more = rows.hasNext();
      if (!more && action != null) {
        Action once = action;
        action = null;
        try {
          once.run();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return more;
    }

    @Override
    public T next() {
      return rows.next();
    }
  }
}
