package io.sluice.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a node's Sluice service says of itself over JMX.
 *
 * @param running whether it works
 * @param outputs map outputs it holds
 * @param copiedOutputs those of them in memory that have a copy on disk
 * @param memoryUsedBytes leased or committed in the memory tier
 * @param diskUsedBytes leased or committed in the disk tier
 * @param diskUses times since its start that a task's lease lay there, or an output was moved there
 * @param taskRefusals how often tasks and readers were refused, by why
 * @param failedReads how often reads were refused, by transport
 */
public record NodeState(
    boolean running,
    int outputs,
    int copiedOutputs,
    long memoryUsedBytes,
    long diskUsedBytes,
    long diskUses,
    Map<String, Long> taskRefusals,
    Map<String, Long> failedReads) {

  static NodeState parse(JsonNode bean) {
    if (bean.isMissingNode()) {
      throw new ClusterException("the NodeManager has no JMX bean of Sluice's service");
    }
    return new NodeState(
        bean.path("Running").asBoolean(),
        bean.path("Outputs").asInt(),
        bean.path("CopiedOutputs").asInt(),
        bean.path("MemoryUsedBytes").asLong(),
        bean.path("DiskUsedBytes").asLong(),
        bean.path("Overflows").asLong() + bean.path("MovedOutputs").asLong(),
        counts(bean.path("TaskRefusals")),
        counts(bean.path("FailedReads")));
  }

  /** As the JMX servlet writes a map: a list of keys and values. */
  private static Map<String, Long> counts(JsonNode entries) {
    Map<String, Long> counts = new TreeMap<>();
    entries.forEach(entry -> counts.put(entry.path("key").asText(), entry.path("value").asLong()));
    return counts;
  }

  /** Whether nothing is left in it. */
  public boolean isEmpty() {
    return outputs == 0 && memoryUsedBytes == 0 && diskUsedBytes == 0;
  }
}
