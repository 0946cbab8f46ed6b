package io.sluice.bench.memory;

import io.sluice.bench.memory.BoundedNode.MemoryCell;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.report.Console;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A small job, alone and then beside a large one that has begun to fill the node's memory. Each has
 * one task at a time, so that two cores are enough for both, and what slows the small one down is
 * memory and devices.
 *
 * <p>Not thread-safe. Failure: {@link ClusterException}, also if the large job ends before the
 * small one.
 */
final class SecondJob {
  /** Another ApplicationMaster than the one in the base: heap and JVM. */
  static final long MASTER_BYTES = 300 * NodeMemory.MIB;

  private static final int BEGUN_PERCENT = 25;
  private static final long DEADLINE_MIN = 60;

  /** The node has room for all that runs at a time, so that nobody waits for a container. */
  private static final Map<String, String> CONTAINERS =
      Map.of("yarn.nodemanager.resource.memory-mb", "8192");

  private static final Map<String, String> ONE_TASK =
      Map.of(
          "mapreduce.job.running.map.limit", "1",
          "mapreduce.job.running.reduce.limit", "1",
          "mapreduce.job.reduce.slowstart.completedmaps", "1.0"); // no reduce beside a map

  /**
   * The costs of the small job.
   *
   * @param alone with the node for itself
   * @param beside while the large one ran
   */
  record Costs(MemoryCell alone, MemoryCell beside) {
    /** Nothing of it counts if the kernel had to kill a process. */
    boolean valid() {
      return alone.valid() && beside.valid();
    }

    double slowdown() {
      return beside.wallS() / alone.wallS();
    }

    /** How many of the machine's cores both jobs kept busy while the small one ran. */
    double busyCores() {
      return beside.cpuS() / beside.samples().size(); // one a second
    }
  }

  private final Console console;
  private final Map<String, String> settings;

  /**
   * On a node.
   *
   * @param settings of both jobs
   */
  SecondJob(Console console, Map<String, String> settings) {
    this.console = console;
    this.settings = settings;
  }

  /** The settings that the NodeManager needs for it. */
  static Map<String, String> nodeSettings() {
    return CONTAINERS;
  }

  /** Runs the small one twice, and the large one to its end; outputs are the caller's to check. */
  Costs measure(
      BoundedNode.Session session, String name, JobSpec alone, JobSpec beside, JobSpec large) {
    MemoryCell first = small(session, name + ", alone", alone);
    PseudoCluster cluster = session.cluster();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    try (RunningJob running =
        RunningJob.start(
            cluster,
            large.with(settings).with(ONE_TASK),
            (maps, reduces) -> {
              if (maps >= BEGUN_PERCENT) {
                begun.complete(null);
              }
            })) {
      CompletableFuture<JobResult> ended = CompletableFuture.supplyAsync(running::awaitSuccess);
      await(CompletableFuture.anyOf(begun, ended), name);
      MemoryCell second = small(session, name + ", beside a large job", beside);
      boolean inTime = !ended.isDone();
      await(ended, name);
      if (!inTime) {
        throw new ClusterException(name + ": the large job ended before the small one");
      }
      return new Costs(first, second);
    }
  }

  private MemoryCell small(BoundedNode.Session session, String step, JobSpec spec) {
    return console.job(step, progress -> session.measure(spec.with(ONE_TASK), settings, progress));
  }

  private static void await(CompletableFuture<?> future, String name) {
    try {
      future.get(DEADLINE_MIN, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      throw new ClusterException(
          name + ": the large job failed: " + e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new ClusterException(name + ": the large job does not get on", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException(name + ": interrupted", e);
    }
  }
}
