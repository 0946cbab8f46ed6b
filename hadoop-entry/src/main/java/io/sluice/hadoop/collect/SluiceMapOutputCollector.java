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
 * The map side's entry: {@code mapreduce.job.map.output.collector.class}. It passes the map's
 * records to the collector that writes to the node's pool. If that one declines, it passes them to
 * the next collector of the job's list.
 *
 * <p>The map task would try the next collector itself, but with a warning and a stack trace. A job
 * that Sluice declines and a node without a service are no errors: here they are one log line and a
 * counter.
 *
 * <p>It is Java 8 bytecode; see {@link JavaVersion}. Thread contract: that of the chosen collector.
 * Ownership: the map task closes it, after a failure too. Failure: {@link #init} throws the
 * exception of the last collector in the list, or {@link FallbackRefused} if the job's {@link
 * FallbackPolicy} allows no other collector. Other failures are those of the chosen collector.
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

  /** Called by the map task. */
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

  /** Reads the policy. A mistyped value must not lead to the stock collector. */
  private static FallbackPolicy policy(Configuration job) {
    try {
      return FallbackPolicy.of(job);
    } catch (IllegalArgumentException e) {
      throw new FallbackRefused(e.getMessage());
    }
  }

  /** Starts Sluice's collector. Returns why it did not start, or null. */
  @SuppressWarnings("unchecked")
  private String declineReason(Context context) {
    MapOutputCollector<K, V> collector = null;
    try {
      collector = Implementation.make(MapOutputCollector.class, implementation, environment);
      collector.init(context);
      chosen = collector;
      return null;
    } catch (IOException | ClassNotFoundException | RuntimeException | LinkageError e) {
      LOG.debug("Sluice's collector did not start", e);
      return reason(e) + closeFailure(collector);
    }
  }

  /**
   * Closes a collector that did not start. Returns text for the log if that fails, else an empty
   * text. It throws nothing: an exception would make the task try its next collector, against the
   * job's policy.
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
   * Finds the collector that takes over a map from Sluice's: the next of the job's list that works,
   * or the stock collector if Sluice's is the last of the list.
   */
  static final class NextCollector {
    private static final Logger LOG = LoggerFactory.getLogger(NextCollector.class);

    private NextCollector() {}

    /**
     * Starts the next collector.
     *
     * @param ours Sluice's collector, as the job's list names it
     * @param declined why Sluice's collector declined
     * @throws IOException or another exception of the last collector
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
