package io.sluice.it.spark.peer;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkDistribution;
import java.nio.file.Path;
import java.util.List;

/** A remote shuffle service for Spark that is not ours. */
public enum Peer {
  CELEBORN(
      "Apache Celeborn",
      "sbin/start-worker.sh",
      "spark/celeborn-client-spark-%s-shaded",
      "org.apache.spark.shuffle.celeborn.SparkShuffleManager"),
  UNIFFLE(
      "Apache Uniffle",
      "bin/start-shuffle-server.sh",
      "jars/client/spark%1$s/rss-client-spark%1$s-shaded",
      "org.apache.spark.shuffle.RssShuffleManager");

  private final String title;
  private final String mark;
  private final String client;
  private final String manager;

  Peer(String title, String mark, String client, String manager) {
    this.title = title;
    this.mark = mark;
    this.client = client;
    this.manager = manager;
  }

  public String title() {
    return title;
  }

  /** A file that its installations have, relative to them. */
  String mark() {
    return mark;
  }

  /** The jar of an installation for jobs of a release of Spark, or a ClusterException. */
  Path clientJar(Path home, SparkDistribution spark) {
    String major = spark.version().substring(0, spark.version().indexOf('.'));
    Path prefix = home.resolve(client.formatted(major));
    return onlyJar(prefix.getParent(), prefix.getFileName().toString());
  }

  /** The only jar in a directory whose name begins like that, or a ClusterException. */
  static Path onlyJar(Path directory, String prefix) {
    List<Path> found = Workspace.matching(directory, prefix, ".jar");
    if (found.size() != 1) {
      throw new ClusterException(
          "one %s*.jar is needed in %s: there are %s".formatted(prefix, directory, found));
    }
    return found.get(0);
  }

  /** The class of its shuffle manager, which does not go back to Spark's by itself. */
  public String manager() {
    return manager;
  }
}
