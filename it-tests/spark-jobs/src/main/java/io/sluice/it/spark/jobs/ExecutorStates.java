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

/** What executors say of themselves. */
final class ExecutorStates {
  /** So many tasks that every executor gets some. */
  private static final int TASKS = 16;

  /** Process ids of servers, by commas. */
  static final String SERVER_PIDS = "spark.sluicebench.serverPids";

  private ExecutorStates() {}

  /** Asks their shuffle managers, by executor id. */
  static SortedMap<String, String> ask(JavaSparkContext context) {
    return ask(context, env -> env.shuffleManager().toString());
  }

  /** The process ids, by executor id. */
  static SortedMap<String, Long> processes(JavaSparkContext context) {
    return ask(context, env -> ProcessHandle.current().pid());
  }

  /** Processor time of all executors' processes since they began, in ns. */
  static long processCpuNs(JavaSparkContext context) {
    return ask(
            context,
            env ->
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                    .getProcessCpuTime())
        .values()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  /** Processor time of all executors' threads by their names, in ns. */
  static SortedMap<String, Long> threadCpuNs(JavaSparkContext context) {
    SortedMap<String, Long> all = new TreeMap<>();
    ask(context, env -> ThreadCpu.byName())
        .values()
        .forEach(one -> one.forEach((name, ns) -> all.merge(name, ns, Long::sum)));
    return all;
  }

  /** Processor time of processes on this host that serve the executors, in ns. */
  static long serverCpuNs(JavaSparkContext context) {
    long cpuNs = 0;
    for (String pid : context.getConf().get(SERVER_PIDS, "").split(",")) {
      if (!pid.isEmpty()) {
        cpuNs +=
            ProcessHandle.of(Long.parseLong(pid))
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new IllegalStateException("no server " + pid))
                .toNanos();
      }
    }
    return cpuNs;
  }

  /** Asks each of them something, by executor id. */
  static <T> SortedMap<String, T> ask(JavaSparkContext context, Function<SparkEnv, T> question) {
    List<Integer> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(i);
    }
    SortedMap<String, T> states = new TreeMap<>();
    context
        .parallelize(tasks, TASKS)
        .map(i -> new Tuple2<>(SparkEnv.get().executorId(), question.call(SparkEnv.get())))
        .collect()
        .forEach(state -> states.put(state._1(), state._2()));
    return states;
  }
}
