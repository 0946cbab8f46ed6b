package io.sluice.hadoop.reduce;

import io.sluice.hadoop.reduce.FetchSchedule.Batch;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * All hosts that have had map outputs, and which of them may be visited next.
 *
 * <p>Thread contract: guarded by the schedule's lock. Failure: none.
 */
final class FetchHosts {
  private final Map<String, FetchHost> hosts = new LinkedHashMap<>();

  /**
   * The hosts that may be visited now.
   *
   * @param nextNs when to look again, if there is none
   */
  record Ready(List<FetchHost> hosts, long nextNs) {}

  /** The host whose ShuffleHandler has this URL. */
  FetchHost at(String url) {
    // Not by its host: URI has none for names with an underscore, and all of them would be one.
    String name = URI.create(url).getRawAuthority();
    return hosts.computeIfAbsent(name, n -> new FetchHost(n, url));
  }

  FetchHost of(Batch batch) {
    return hosts.get(batch.hostName());
  }

  /** Finds the hosts that have needed outputs and are neither visited now nor left alone. */
  Ready ready(NeededOutputs needed, long nowNs, long deadlineNs) {
    long nextNs = deadlineNs;
    List<FetchHost> ready = new ArrayList<>();
    for (FetchHost host : hosts.values()) {
      nextNs = host.moveDue(nowNs, nextNs);
      if (!host.isUseful(needed)) {
        continue;
      }
      long aloneUntilNs = host.aloneUntilNs(nowNs);
      if (aloneUntilNs - nowNs > 0) {
        nextNs = Math.min(nextNs, aloneUntilNs);
      } else {
        ready.add(host);
      }
    }
    return new Ready(ready, nextNs);
  }

  /** The attempt stands no more. */
  void forget(TaskAttemptID attempt) {
    hosts.values().forEach(host -> host.forget(attempt));
  }

  /** An output of this map is needed again: what kept the outputs away before is over. */
  void needAgain(TaskAttemptID attempt) {
    int index = attempt.getTaskID().getId();
    hosts.values().forEach(host -> host.clocks().overForMap(index));
  }
}
