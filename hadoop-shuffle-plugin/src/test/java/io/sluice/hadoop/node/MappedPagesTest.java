package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each way in which YARN watches containers. */
class MappedPagesTest {
  private static final String NM = "yarn.nodemanager.";

  @ParameterizedTest
  @CsvSource({
    "true,", // stock's defaults
    "true, vmem-check-enabled=false",
    "true, pmem-check-enabled=false",
    "false, pmem-check-enabled=false vmem-check-enabled=false",
    "true, container-monitor.procfs-tree.smaps-based-rss.enabled=true",
    "false, container-monitor.procfs-tree.smaps-based-rss.enabled=true vmem-check-enabled=false",
    "true, container-monitor.procfs-tree.smaps-based-rss.enabled=true vmem-check-enabled=false"
        + " container-monitor.process-tree.class=org.example.Tree",
    "false, resource.memory.enabled=true",
    "true, resource.memory.enabled=true resource.memory.enforced=false",
    "false, resource.memory.enabled=true resource.memory.enforced=false"
        + " elastic-memory-control.enabled=true"
  })
  void areCountedPages(boolean expected, String settings) {
    Configuration conf = new Configuration(false);
    for (String setting : settings == null ? new String[0] : settings.split(" ")) {
      conf.set(NM + setting.split("=")[0], setting.split("=")[1]);
    }
    assertEquals(expected, MappedPages.areCounted(conf));
  }
}
