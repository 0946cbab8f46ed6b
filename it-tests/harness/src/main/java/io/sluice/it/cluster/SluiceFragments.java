package io.sluice.it.cluster;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sluice's settings as {@code docs/conf} shows them to an administrator, with the path of the jar
 * under test in place of the documented one, which has the same name.
 *
 * @param jar the shaded plugin jar
 * @param yarnSite what a NodeManager gets
 * @param mapredSite what a job client gets
 */
public record SluiceFragments(
    Path jar, Map<String, String> yarnSite, Map<String, String> mapredSite) {
  public static final String COLLECTOR_KEY = "mapreduce.job.map.output.collector.class";
  public static final String CONSUMER_KEY = "mapreduce.job.reduce.shuffle.consumer.plugin.class";
  public static final String STOCK_COLLECTOR = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer";
  public static final String STOCK_CONSUMER = "org.apache.hadoop.mapreduce.task.reduce.Shuffle";
  private static final String DOCUMENTED_PLACE = "/opt/sluice/";

  /** The settings, or nothing if the plugin jar has not been built. */
  public static Optional<SluiceFragments> load(Workspace workspace) {
    Path target = workspace.root().resolve("jars/hadoop/target");
    List<Path> jars =
        Workspace.matching(target, "sluice-hadoop-", ".jar").stream()
            .filter(jar -> !jar.toString().matches(".*-(sources|javadoc|tests)\\.jar"))
            .toList();
    if (jars.isEmpty()) {
      return Optional.empty();
    }
    if (jars.size() > 1) {
      throw new ClusterException("expected one plugin jar, found " + jars + "; run mvn clean");
    }
    return Optional.of(
        new SluiceFragments(
            jars.get(0),
            withJar(workspace.fragments().resolve("yarn-site.sluice.xml"), jars.get(0)),
            withJar(workspace.fragments().resolve("mapred-site.sluice.xml"), jars.get(0))));
  }

  /** The same with the jar somewhere else. */
  SluiceFragments movedTo(Path other) {
    return new SluiceFragments(other, moved(yarnSite, other), moved(mapredSite, other));
  }

  private Map<String, String> moved(Map<String, String> site, Path other) {
    Map<String, String> values = new LinkedHashMap<>(site);
    values.replaceAll((name, value) -> value.replace(jar.toString(), other.toString()));
    return values;
  }

  private static Map<String, String> withJar(Path fragment, Path jar) {
    Map<String, String> values = new LinkedHashMap<>(ClusterSiteXml.read(fragment));
    String documented = DOCUMENTED_PLACE + jar.getFileName();
    if (values.values().stream().noneMatch(value -> value.contains(documented))) {
      throw new ClusterException(
          "%s names no %s: the jar under test cannot be put in its place"
              .formatted(fragment, documented));
    }
    values.replaceAll((name, value) -> value.replace(documented, jar.toString()));
    return values;
  }
}
