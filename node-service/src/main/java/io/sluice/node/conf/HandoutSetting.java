package io.sluice.node.conf;

/** Whether tests have tasks of the pool's own user handed what other users' would be. */
public final class HandoutSetting {
  /** The value for which segments are passed. */
  public static final String DESCRIPTORS = "descriptors";

  /** That of a NodeManager. */
  public static final Setting<String> HADOOP =
      Setting.choice(
          "sluice.local.handout",
          "How tasks get at the pool's segments: they open them by their `names`, or the service"
              + " passes `descriptors` of them over its socket, which needs native calls on both"
              + " sides and a pool in files.",
          "names",
          DESCRIPTORS);

  private HandoutSetting() {}
}
