package io.sluice.local.job;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapreduce.counters.Limits;

/**
 * The counters of many tasks together. Each task keeps to the number that Hadoop allows, and all
 * together may still have more: what does not fit is left out, instead of all.
 *
 * <p>Thread contract: one thread.
 */
final class CounterSum {
  private final Map<String, Map<String, Long>> byGroup = new LinkedHashMap<>();

  private CounterSum() {}

  /** Of those, the first of which are kept. */
  static Counters of(Stream<Counters> all) {
    CounterSum sum = new CounterSum();
    all.forEach(sum::add);
    return sum.fitting();
  }

  private void add(Counters counters) {
    for (Counters.Group group : counters) {
      Map<String, Long> ofGroup =
          byGroup.computeIfAbsent(group.getName(), name -> new LinkedHashMap<>());
      for (Counters.Counter counter : group) {
        ofGroup.merge(counter.getName(), counter.getValue(), Long::sum);
      }
    }
  }

  private Counters fitting() {
    Counters counters = new Counters();
    int left = Limits.getCountersMax();
    for (Map.Entry<String, Map<String, Long>> group : byGroup.entrySet()) {
      for (Map.Entry<String, Long> counter : group.getValue().entrySet()) {
        if (left-- > 0) {
          counters.findCounter(group.getKey(), counter.getKey()).setValue(counter.getValue());
        }
      }
    }
    return counters;
  }
}
