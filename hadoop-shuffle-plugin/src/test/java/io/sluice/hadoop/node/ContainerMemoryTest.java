package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

/** What is said of containers and shuffling that have more than there is. */
final class ContainerMemoryTest {
  private static final long MIB = 1 << 20;

  private static Optional<String> shortage(int containersMb) {
    Configuration conf = new Configuration(false);
    conf.setInt(YarnConfiguration.NM_PMEM_MB, containersMb);
    return NodeManagerPlan.memoryShortage(conf, 1024 * MIB, 8192 * MIB);
  }

  @Test
  void bothMustFit() {
    assertEquals(Optional.empty(), shortage(7168));
    assertEquals(
        Optional.of(
            "yarn.nodemanager.resource.memory-mb is 7169 MiB, shuffling takes up to 1024 MiB, and"
                + " this machine has 8192 MiB: take sluice.node.memory-mb off the first"),
        shortage(7169));
  }

  @Test
  void nothingIsSaidWhereYarnFindsOutByItself() {
    assertEquals(Optional.empty(), shortage(-1));
  }
}
