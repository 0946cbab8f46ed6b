package io.sluice.node.conf;

import io.sluice.rdma.transport.verbs.VerbsNetwork;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/**
 * The settings behind {@link VerbsNetwork}, which every engine has with names of its own.
 *
 * @param trafficClass {@link VerbsNetwork#trafficClass}
 * @param serviceLevel {@link VerbsNetwork#serviceLevel}
 * @param partitionKey {@link VerbsNetwork#partitionKey}; empty for the default one
 * @param timeoutCode {@link VerbsNetwork#timeoutCode}
 * @param retryCount {@link VerbsNetwork#retryCount}
 * @param mtu {@link VerbsNetwork#mtuBytes}, or {@code auto}
 * @param onDemandPaging {@link VerbsNetwork#onDemandPaging}
 */
public record VerbsSettings(
    Setting<Integer> trafficClass,
    Setting<Integer> serviceLevel,
    Setting<OptionalInt> partitionKey,
    Setting<Integer> timeoutCode,
    Setting<Integer> retryCount,
    Setting<String> mtu,
    Setting<Boolean> onDemandPaging) {
  private static final VerbsNetwork DEFAULT = VerbsNetwork.DEFAULT;
  private static final String AUTO_MTU = "auto";

  /** Those of a NodeManager. */
  public static final VerbsSettings HADOOP = withPrefix("sluice.service.verbs-");

  /** Those of an executor's pool. */
  public static final VerbsSettings SPARK =
      named(
          "spark.sluice.server.verbsTrafficClass",
          "spark.sluice.server.verbsServiceLevel",
          "spark.sluice.server.verbsPartitionKey",
          "spark.sluice.server.verbsTimeoutCode",
          "spark.sluice.server.verbsRetryCount",
          "spark.sluice.server.verbsMtu",
          "spark.sluice.server.verbsOnDemandPaging");

  /** Those with the names that Hadoop's have, behind another prefix. */
  public static VerbsSettings withPrefix(String prefix) {
    return named(
        prefix + "traffic-class",
        prefix + "service-level",
        prefix + "partition-key",
        prefix + "timeout-code",
        prefix + "retry-count",
        prefix + "mtu",
        prefix + "on-demand-paging");
  }

  private static VerbsSettings named(
      String trafficClass,
      String serviceLevel,
      String partitionKey,
      String timeoutCode,
      String retryCount,
      String mtu,
      String onDemandPaging) {
    return new VerbsSettings(
        Setting.integer(
            trafficClass,
            DEFAULT.trafficClass(),
            0,
            VerbsNetwork.MAX_TRAFFIC_CLASS,
            "Traffic class of the packets on RoCE, as `NCCL_IB_TC` and `UCX_IB_TRAFFIC_CLASS`: 4"
                + " times the DSCP. For example 104 is DSCP 26. Switches choose queue and flow"
                + " control by it. Without effect on InfiniBand."),
        Setting.integer(
            serviceLevel,
            DEFAULT.serviceLevel(),
            0,
            VerbsNetwork.MAX_SERVICE_LEVEL,
            "Service level of the packets, as `NCCL_IB_SL` and `UCX_IB_SL`. On InfiniBand it"
                + " chooses the virtual lane. On RoCE it is the priority in a VLAN, from 0 to 7."),
        Setting.optionalInteger(
            partitionKey,
            "the key at index 0",
            1,
            VerbsNetwork.MAX_PARTITION_KEY,
            "Partition key of the connections, for example `0x8001`. Each host looks for it in the"
                + " table of its own port; the bit for full membership may differ. Hosts without"
                + " it read over another transport."),
        Setting.integer(
            timeoutCode,
            DEFAULT.timeoutCode(),
            0,
            VerbsNetwork.MAX_TIMEOUT_CODE,
            "How long a NIC waits for an answer before it repeats a request, as"
                + " `NCCL_IB_TIMEOUT`: 4.096 µs times 2 to the power of this number. 18 is about 1"
                + " s. 0 for no limit."),
        Setting.integer(
            retryCount,
            DEFAULT.retryCount(),
            0,
            VerbsNetwork.MAX_RETRY_COUNT,
            "How often a NIC repeats a request before the connection ends, as"
                + " `NCCL_IB_RETRY_CNT`."),
        Setting.choice(
            mtu,
            "Most bytes of a packet. `auto` takes the smaller MTU of the two ports, which no other"
                + " value exceeds.",
            AUTO_MTU,
            "256",
            "512",
            "1024",
            "2048",
            "4096"),
        Setting.bool(
            onDemandPaging,
            DEFAULT.onDemandPaging(),
            "Whether the NIC serves memory that is not pinned (on-demand paging). The first read of"
                + " a page is then slower. The service pins its memory where a device cannot do"
                + " this, and logs it."));
  }

  /** The values of all of them. */
  public VerbsNetwork get(UnaryOperator<String> conf) {
    String mtuText = mtu.get(conf);
    return new VerbsNetwork(
        trafficClass.get(conf),
        serviceLevel.get(conf),
        partitionKey.get(conf).orElse(DEFAULT.partitionKey()),
        timeoutCode.get(conf),
        retryCount.get(conf),
        mtuText.equals(AUTO_MTU) ? 0 : Integer.parseInt(mtuText),
        onDemandPaging.get(conf));
  }

  /** All of them, in the order of the documentation. */
  public List<Setting<?>> all() {
    return List.of(
        trafficClass, serviceLevel, partitionKey, timeoutCode, retryCount, mtu, onDemandPaging);
  }
}
