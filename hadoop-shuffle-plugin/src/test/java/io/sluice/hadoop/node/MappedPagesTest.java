package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.hadoop.node.NodeManagerPlan.MappedPages;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each way in which YARN watches containers. */
class MappedPagesTest {
  private static final String NM = "yarn.nodemanager.";

  @ParameterizedTest
  @CsvSource({
    "vmem pmem,", // stock's defaults
    "pmem, vmem-check-enabled=false",
    "vmem, pmem-check-enabled=false",
    "'', pmem-check-enabled=false vmem-check-enabled=false",
    "vmem, container-monitor.procfs-tree.smaps-based-rss.enabled=true",
    "'', container-monitor.procfs-tree.smaps-based-rss.enabled=true vmem-check-enabled=false",
    "pmem, container-monitor.procfs-tree.smaps-based-rss.enabled=true vmem-check-enabled=false"
        + " container-monitor.process-tree.class=org.example.Tree",
    "'', resource.memory.enabled=true",
    "vmem pmem, resource.memory.enabled=true resource.memory.enforced=false",
    "vmem pmem, resource.memory.enabled=true elastic-memory-control.enabled=true",
    "vmem pmem, resource.memory.enabled=true resource.memory.enforced=false"
        + " elastic-memory-control.enabled=true",
    "'', resource.memory.enabled=true elastic-memory-control.enabled=true"
        + " pmem-check-enabled=false vmem-check-enabled=false"
  })
  void saysWhichChecksCountThem(String expected, String settings) {
    Configuration conf = new Configuration(false);
    for (String setting : settings == null ? new String[0] : settings.split(" ")) {
      conf.set(NM + setting.split("=")[0], setting.split("=")[1]);
    }
    assertEquals(
        expected,
        MappedPages.countedBy(conf).stream()
            .map(reason -> reason.substring(NM.length(), reason.indexOf("-check")))
            .collect(Collectors.joining(" ")));
  }
}
