package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterSiteXmlTest {
  @Test
  void whatIsWrittenIsRead(@TempDir Path directory) {
    Map<String, String> values = Map.of("a.b", "x < y & ${z}", "c", "");
    ClusterSiteXml.write(directory.resolve("site.xml"), values);
    assertEquals(values, ClusterSiteXml.read(directory.resolve("site.xml")));
  }

  @Test
  void theDocumentedFragmentsAreWhatTheClusterLoads() {
    Path conf = Workspace.find().fragments();
    assertTrue(
        ClusterSiteXml.read(conf.resolve("yarn-site.sluice.xml"))
            .get("yarn.nodemanager.aux-services")
            .contains("mapreduce_shuffle"),
        "the stock shuffle service must stay");
    assertTrue(
        ClusterSiteXml.read(conf.resolve("mapred-site.sluice.xml"))
            .get(SluiceFragments.COLLECTOR_KEY)
            .endsWith("," + SluiceFragments.STOCK_COLLECTOR),
        "the stock collector must be the last resort");
  }

  /** A job keeps the release that it began with, since its settings name that release's jar. */
  @Test
  void theDocumentedFragmentsNameTheJarOfThisRelease() throws IOException {
    Workspace workspace = Workspace.find();
    String pom = Files.readString(workspace.root().resolve("pom.xml"));
    Matcher version =
        Pattern.compile("<artifactId>sluice</artifactId>\\s*<version>([^<]+)</version>")
            .matcher(pom);
    assertTrue(version.find(), "the version of this release");
    String jar = "/opt/sluice/sluice-hadoop-" + version.group(1) + ".jar";
    assertEquals(
        jar,
        ClusterSiteXml.read(workspace.fragments().resolve("yarn-site.sluice.xml"))
            .get("yarn.nodemanager.aux-services.sluice_shuffle.classpath"));
    String ofJobs =
        ClusterSiteXml.read(workspace.fragments().resolve("mapred-site.sluice.xml"))
            .get("mapreduce.application.classpath");
    assertTrue(ofJobs.endsWith("," + jar), ofJobs);
  }
}
