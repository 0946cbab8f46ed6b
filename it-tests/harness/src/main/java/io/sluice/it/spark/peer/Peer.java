package io.sluice.it.spark.peer;

/** A remote shuffle service for Spark that is not ours. */
public enum Peer {
  CELEBORN(
      "Apache Celeborn",
      "sbin/start-worker.sh",
      "org.apache.spark.shuffle.celeborn.SparkShuffleManager"),
  UNIFFLE(
      "Apache Uniffle",
      "bin/start-shuffle-server.sh",
      "org.apache.spark.shuffle.RssShuffleManager");

  private final String title;
  private final String mark;
  private final String manager;

  Peer(String title, String mark, String manager) {
    this.title = title;
    this.mark = mark;
    this.manager = manager;
  }

  public String title() {
    return title;
  }

  /** A file that its installations have, relative to them. */
  String mark() {
    return mark;
  }

  /** The class of its shuffle manager, which does not go back to Spark's by itself. */
  public String manager() {
    return manager;
  }
}
