package io.sluice.it.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Rest;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A finished job's counters: totals over the successful attempts of all its tasks.
 *
 * @param groups counter values by group and name
 */
public record JobCounters(Map<String, SortedMap<String, Long>> groups) {
  public static final String TASK = "org.apache.hadoop.mapreduce.TaskCounter";
  public static final String FILE_SYSTEM = "org.apache.hadoop.mapreduce.FileSystemCounter";
  public static final String SLUICE = "Sluice";

  static JobCounters parse(JsonNode counterGroups) {
    Map<String, SortedMap<String, Long>> groups = new TreeMap<>();
    for (JsonNode group : Rest.list(counterGroups)) {
      SortedMap<String, Long> values = new TreeMap<>();
      for (JsonNode counter : Rest.list(group.path("counter"))) {
        JsonNode total = counter.path("totalCounterValue");
        values.put(
            counter.path("name").asText(),
            total.isMissingNode() ? counter.path("value").asLong() : total.asLong());
      }
      groups.put(group.path("counterGroupName").asText(), values);
    }
    return new JobCounters(groups);
  }

  /** Of two jobs together: what is a task's most is that of both. */
  JobCounters plus(JobCounters other) {
    Map<String, SortedMap<String, Long>> sums = new TreeMap<>();
    for (JobCounters each : List.of(this, other)) {
      each.groups.forEach(
          (group, values) -> {
            SortedMap<String, Long> sum = sums.computeIfAbsent(group, any -> new TreeMap<>());
            values.forEach(
                (name, value) ->
                    sum.merge(name, value, name.endsWith("_MAX") ? Math::max : Long::sum));
          });
    }
    return new JobCounters(sums);
  }

  /** The counters of a group; none if no task touched one. */
  public SortedMap<String, Long> group(String name) {
    return groups.getOrDefault(name, new TreeMap<>());
  }

  /** A counter's value; 0 if no task touched it. */
  public long value(String group, String name) {
    return group(group).getOrDefault(name, 0L);
  }

  /** A counter's value; fails if no task touched it. */
  public long require(String group, String name) {
    Long value = group(group).get(name);
    if (value == null) {
      throw new ClusterException(
          "the job has no counter %s in group %s; its groups are %s"
              .formatted(name, group, groups.keySet()));
    }
    return value;
  }

  public long task(String name) {
    return value(TASK, name);
  }

  public long sluice(String name) {
    return value(SLUICE, name);
  }

  /** The sum of Sluice's counters whose names begin so. */
  public long sluiceSum(String prefix) {
    return group(SLUICE).entrySet().stream()
        .filter(counter -> counter.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
