package io.sluice.it.spark.jobs;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import scala.Tuple2;

/** Waits for the executors of an application, and asks them about themselves. */
final class ExecutorStates {
  /** So many tasks that every executor gets some. */
  private static final int TASKS = 16;

  /** Process ids of servers, by commas. */
  static final String SERVER_PIDS = "spark.sluicebench.serverPids";

  private static final long PAUSE_MS = 20;
  private static final long DEADLINE_NS = TimeUnit.MINUTES.toNanos(5);

  private ExecutorStates() {}

  /**
   * Returns when each executor that the application asks for has its block manager; at once where
   * executors come and go by themselves. One that is registered is not launched yet, and a short
   * job would be over before it comes.
   */
  static void awaitAll(SparkContext context) throws InterruptedException {
    if (context.isLocal() || context.conf().getBoolean("spark.dynamicAllocation.enabled", false)) {
      return;
    }
    int coresMax = context.conf().getInt("spark.cores.max", 2); // each has one core
    int wanted = context.conf().getInt("spark.executor.instances", coresMax);
    long startNs = System.nanoTime();
    while (context.getExecutorMemoryStatus().size() < 1 + wanted) { // the driver's is one of them
      if (System.nanoTime() - startNs > DEADLINE_NS) {
        throw new IllegalStateException("not all of " + wanted + " executors have come");
      }
      Thread.sleep(PAUSE_MS);
    }
  }

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
    List<Integer> tasks = IntStream.range(0, TASKS).boxed().toList();
    SortedMap<String, T> states = new TreeMap<>();
    context
        .parallelize(tasks, TASKS)
        .map(i -> new Tuple2<>(SparkEnv.get().executorId(), question.call(SparkEnv.get())))
        .collect()
        .forEach(state -> states.put(state._1(), state._2()));
    return states;
  }

  /**
   * Processor time of this process by what its threads are called, the JVM's own included: the
   * compiler's, the collector's. The kernel keeps it; of threads that have ended it is gone.
   */
  static final class ThreadCpu {
    private static final Path TASKS = Path.of("/proc/self/task");

    private ThreadCpu() {}

    /** Since each began, in ns. */
    static SortedMap<String, Long> byName() {
      SortedMap<String, Long> byName = new TreeMap<>();
      try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
        for (Path task : tasks) {
          try {
            String name = Files.readString(task.resolve("comm")).strip();
            String runNs = Files.readString(task.resolve("schedstat")).split(" ")[0];
            byName.merge(kind(name), Long.parseLong(runNs), Long::sum);
          } catch (IOException e) {
            // A thread that ends while its file is open has ESRCH for an answer, not a missing
            // file.
            if (Files.exists(task)) {
              throw e;
            }
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + TASKS, e);
      }
      return byName;
    }

    /** Without the numbers that tell threads of one kind from each other, and what a task is at. */
    private static String kind(String name) {
      if (name.matches("C[12] Compiler.*")) {
        return "compiler";
      }
      if (name.startsWith("Executor task")) {
        return "tasks";
      }
      return name.replaceAll("[-#. ]+[0-9]+.*|[-#. ]+$", "");
    }

    /** How much more it is now, by name; what is less, because a thread has ended, counts as 0. */
    static SortedMap<String, Long> since(
        SortedMap<String, Long> before, SortedMap<String, Long> now) {
      SortedMap<String, Long> more = new TreeMap<>();
      now.forEach((name, ns) -> more.put(name, Math.max(0, ns - before.getOrDefault(name, 0L))));
      more.values().removeIf(ns -> ns == 0);
      return more;
    }
  }
}
