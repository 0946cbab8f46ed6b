package io.sluice.hadoop.collect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The collector that takes a map over from Sluice's: the next of the job's list that works, or
 * stock's where the list ends with ours.
 */
final class NextCollector {
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
    return collector == MapTask.MapOutputBuffer.class ? "the stock collector" : collector.getName();
  }
}
