package io.sluice.it.spark.jobs;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import scala.Tuple2;

/** What the shuffle managers of executors say of themselves. */
final class ExecutorStates {
  /** So many tasks that every executor gets some. */
  private static final int TASKS = 16;

  private ExecutorStates() {}

  /** Asks them, by executor id. */
  static SortedMap<String, String> ask(JavaSparkContext context) {
    return ask(context, i -> SparkEnv.get().shuffleManager().toString());
  }

  /** The process ids, by executor id. */
  static SortedMap<String, String> processes(JavaSparkContext context) {
    return ask(context, i -> Long.toString(ProcessHandle.current().pid()));
  }

  /** Processor time of all executors' processes since they began, in ns. */
  static long processCpuNs(JavaSparkContext context) {
    return ask(
            context,
            i ->
                Long.toString(
                    ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                        .getProcessCpuTime()))
        .values()
        .stream()
        .mapToLong(Long::parseLong)
        .sum();
  }

  private static SortedMap<String, String> ask(
      JavaSparkContext context, Function<Integer, String> question) {
    List<Integer> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(i);
    }
    SortedMap<String, String> states = new TreeMap<>();
    context
        .parallelize(tasks, TASKS)
        .map(i -> new Tuple2<>(SparkEnv.get().executorId(), question.call(i)))
        .collect()
        .forEach(state -> states.put(state._1(), state._2()));
    return states;
  }
}
