package io.sluice.bench.memory;

import io.sluice.it.job.JobCosts;
import io.sluice.it.limit.DeviceUse;
import io.sluice.it.limit.GroupMemory;
import io.sluice.it.limit.GroupUse;
import java.util.List;
import java.util.Map;

/**
 * What one job in a bounded node cost.
 *
 * @param settings what it was given besides its own
 * @param limitBytes the memory of the node
 * @param costs as the job's history has them
 * @param group what the processes of the node used and waited for
 * @param shuffle what the shuffle's device did until the job ended
 * @param shuffleSynced the same, with what was still dirty then
 * @param files what the device of the distributed file system did, synced
 * @param samples the node's memory, once a second
 */
public record MemoryCell(
    Map<String, String> settings,
    long limitBytes,
    JobCosts costs,
    GroupUse group,
    DeviceUse shuffle,
    DeviceUse shuffleSynced,
    DeviceUse files,
    List<GroupMemory> samples) {

  /** False if the kernel had to kill a process: then it is no figure of a healthy job. */
  public boolean valid() {
    return group.oomKills() == 0;
  }

  double wallS() {
    return costs.wallMs() / 1e3;
  }

  double cpuS() {
    return group.cpuUs() / 1e6;
  }

  double deviceBytes() {
    return shuffleSynced.bytes();
  }

  double waitedS() {
    return group.ioSomeUs() / 1e6;
  }

  double reclaimedS() {
    return group.memorySomeUs() / 1e6;
  }
}
