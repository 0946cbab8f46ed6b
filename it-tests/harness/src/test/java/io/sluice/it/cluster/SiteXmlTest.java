package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteXmlTest {
  @Test
  void whatIsWrittenIsRead(@TempDir Path directory) {
    Map<String, String> values = Map.of("a.b", "x < y & ${z}", "c", "");
    SiteXml.write(directory.resolve("site.xml"), values);
    assertEquals(values, SiteXml.read(directory.resolve("site.xml")));
  }

  @Test
  void theDocumentedFragmentsAreWhatTheClusterLoads() {
    Path conf = Workspace.find().fragments();
    assertTrue(
        SiteXml.read(conf.resolve("yarn-site.sluice.xml"))
            .get("yarn.nodemanager.aux-services")
            .contains("mapreduce_shuffle"),
        "the stock shuffle service must stay");
    assertTrue(
        SiteXml.read(conf.resolve("mapred-site.sluice.xml"))
            .get(SluiceFragments.COLLECTOR_KEY)
            .endsWith("," + SluiceFragments.STOCK_COLLECTOR),
        "the stock collector must be the last resort");
  }
}
