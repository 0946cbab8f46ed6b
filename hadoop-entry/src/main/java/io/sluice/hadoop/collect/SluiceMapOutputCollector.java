package io.sluice.hadoop.collect;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.entry.FallbackPolicy.FallbackRefused;
import io.sluice.hadoop.entry.Implementation;
import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map side's entry: {@code mapreduce.job.map.output.collector.class}. Hands the map to the
 * collector that writes to the node's pool, or where that declines to the next of the job's list.
 *
 * <p>The task would go to the next one by itself, but with a warning and a stack trace for what is
 * in order: a job that Sluice leaves alone, a node without its service. Here that is one line and a
 * counter.
 *
 * <p>It is Java 8 bytecode, as {@link JavaVersion} says. Thread contract: that of the collector it
 * chose. Ownership: the map task closes it, in failure too. Failure: {@link #init} throws what the
 * last collector of the list did, or {@link FallbackRefused} where the job's {@link FallbackPolicy}
 * leaves it alone in the list; the others are those of the collector it chose.
 *
 * @param <K> map output key
 * @param <V> map output value
 */
public final class SluiceMapOutputCollector<K, V> implements MapOutputCollector<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceMapOutputCollector.class);

  private static final String IMPLEMENTATION = "io.sluice.hadoop.map.NodeCollector";

  private final Map<String, String> environment;
  private final String javaVersion;
  private final String implementation;
  private MapOutputCollector<K, V> chosen;

  /** Made by the map task. */
  public SluiceMapOutputCollector() {
    this(System.getenv());
  }

  SluiceMapOutputCollector(Map<String, String> environment) {
    this(environment, JavaVersion.current());
  }

  SluiceMapOutputCollector(Map<String, String> environment, String javaVersion) {
    this(environment, javaVersion, IMPLEMENTATION);
  }

  SluiceMapOutputCollector(
      Map<String, String> environment, String javaVersion, String implementation) {
    this.environment = environment;
    this.javaVersion = javaVersion;
    this.implementation = implementation;
  }

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    FallbackPolicy policy = policy(context.getJobConf());
    String declined = JavaVersion.declineReason(javaVersion);
    if (declined == null) {
      declined = declineReason(context);
    }
    if (declined != null) {
      String refusal = policy.refusal(declined);
      if (refusal != null) {
        throw new FallbackRefused(refusal);
      }
      SluiceCounter.FALLBACK_MAP_TO_STOCK.add(context.getReporter(), 1);
      chosen = NextCollector.init(context, SluiceMapOutputCollector.class, declined);
    }
  }

  /** Who has mistyped it must not be given stock's collector. */
  private static FallbackPolicy policy(Configuration job) {
    try {
      return FallbackPolicy.of(job);
    } catch (IllegalArgumentException e) {
      throw new FallbackRefused(e.getMessage());
    }
  }

  /** Lets Sluice's collector begin; why it did not, or null. */
  @SuppressWarnings("unchecked")
  private String declineReason(Context context) {
    MapOutputCollector<K, V> collector = null;
    try {
      collector = Implementation.make(MapOutputCollector.class, implementation, environment);
      collector.init(context);
      chosen = collector;
      return null;
    } catch (IOException | ClassNotFoundException | RuntimeException | LinkageError e) {
      LOG.debug("Sluice's collector has not begun", e);
      return reason(e) + closeFailure(collector);
    }
  }

  /**
   * What to say of a collector that has not begun and cannot be closed either; empty if it can. An
   * exception would have the task take its next collector, whatever the job's policy is.
   */
  private static String closeFailure(MapOutputCollector<?, ?> collector) {
    try {
      if (collector != null) {
        collector.close();
      }
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "; then it was interrupted";
    } catch (IOException | RuntimeException e) {
      LOG.debug("Sluice's collector cannot be closed", e);
      return "; then it could not be closed: " + reason(e);
    }
  }

  private static String reason(Throwable cause) {
    if (cause instanceof LinkageError) {
      return Implementation.declined(cause).getMessage();
    }
    boolean isPlain = cause instanceof IOException || cause instanceof Declined;
    return isPlain && cause.getMessage() != null ? cause.getMessage() : cause.toString();
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    chosen.collect(key, value, partition);
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    chosen.flush();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (chosen != null) {
      chosen.close();
    }
  }

  /**
   * The collector that takes a map over from Sluice's: the next of the job's list that works, or
   * stock's where the list ends with ours.
   */
  static final class NextCollector {
    private static final Logger LOG = LoggerFactory.getLogger(NextCollector.class);

    private NextCollector() {}

    /**
     * A collector that has begun.
     *
     * @param ours Sluice's collector, as the job's list names it
     * @param declined why it is not Sluice's
     * @throws IOException or whatever else the last one fails with
     */
    @SuppressWarnings("unchecked")
    static <K, V> MapOutputCollector<K, V> init(
        MapOutputCollector.Context context, Class<?> ours, String declined)
        throws IOException, ClassNotFoundException {
      JobConf job = context.getJobConf();
      List<Class<?>> candidates = candidates(job, ours);
      String reason = declined;
      for (int i = 0; ; i++) {
        Class<?> candidate = candidates.get(i);
        LOG.info("Sluice leaves this map to {}: {}", name(candidate), reason);
        try {
          MapOutputCollector<K, V> collector =
              (MapOutputCollector<K, V>)
                  ReflectionUtils.newInstance(candidate.asSubclass(MapOutputCollector.class), job);
          collector.init(context);
          return collector;
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
          if (i == candidates.size() - 1) {
            throw e;
          }
          reason = e.toString();
        }
      }
    }

    private static List<Class<?>> candidates(JobConf job, Class<?> ours) {
      List<Class<?>> named =
          Arrays.asList(
              job.getClasses(
                  MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, MapTask.MapOutputBuffer.class));
      List<Class<?>> candidates =
          new ArrayList<>(named.subList(named.indexOf(ours) + 1, named.size()));
      candidates.removeIf(ours::equals);
      if (candidates.isEmpty()) {
        candidates.add(MapTask.MapOutputBuffer.class);
      }
      return candidates;
    }

    private static String name(Class<?> collector) {
      return collector == MapTask.MapOutputBuffer.class
          ? "the stock collector"
          : collector.getName();
    }
  }
}
