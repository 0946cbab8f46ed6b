package io.sluice.spark.report;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.spark.util.kvstore.KVIndex;

/**
 * The state of one executor, or of the driver, as it reports it. Java serialization carries it to
 * the driver, which puts it among the application's events, see {@link ReportsEvent}.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public final class ExecutorReport implements Serializable {
  private static final long serialVersionUID = 1;

  /** The key of a report in the store behind the pages of a history server. */
  @KVIndex @JsonProperty private final String executorId;

  @JsonProperty private final String host;
  @JsonProperty private final long takenAtMs;
  @JsonProperty private final String pool;
  @JsonProperty private final List<String> transports;
  @JsonProperty private final TierUse memory;
  @JsonProperty private final TierUse disk;
  @JsonProperty private final int outputs;
  @JsonProperty private final long serviceBytes;
  @JsonProperty private final Map<String, Long> bytesByWay;
  @JsonProperty private final Map<String, Long> fallbacks;
  @JsonProperty private final TierUse persisted;
  @JsonProperty private final int persistedBlocks;

  /**
   * What is null counts as nothing: a line of JSON of another release may lack it.
   *
   * @param executorId as Spark numbers them, or {@code driver}
   * @param host where it runs
   * @param takenAtMs time of the report, by the executor's clock
   * @param pool state of its pool, for people
   * @param transports that it serves over, best first
   * @param memory the memory tier of its pool
   * @param disk the disk tier of its pool
   * @param outputs map outputs in its pool
   * @param serviceBytes bytes of map outputs that it wrote to its node's service
   * @param bytesByWay bytes that its tasks read, by transport or other source
   * @param fallbacks number of fallbacks to Spark, by reason
   * @param persisted the pool of persisted blocks
   * @param persistedBlocks blocks in that pool
   */
  @JsonCreator
  public ExecutorReport(
      @JsonProperty("executorId") String executorId,
      @JsonProperty("host") String host,
      @JsonProperty("takenAtMs") long takenAtMs,
      @JsonProperty("pool") String pool,
      @JsonProperty("transports") List<String> transports,
      @JsonProperty("memory") TierUse memory,
      @JsonProperty("disk") TierUse disk,
      @JsonProperty("outputs") int outputs,
      @JsonProperty("serviceBytes") long serviceBytes,
      @JsonProperty("bytesByWay") Map<String, Long> bytesByWay,
      @JsonProperty("fallbacks") Map<String, Long> fallbacks,
      @JsonProperty("persisted") TierUse persisted,
      @JsonProperty("persistedBlocks") int persistedBlocks) {
    this.executorId = executorId;
    this.host = or(host, "");
    this.takenAtMs = takenAtMs;
    this.pool = or(pool, "");
    this.transports = or(transports, Collections.emptyList());
    this.memory = or(memory, TierUse.NONE);
    this.disk = or(disk, TierUse.NONE);
    this.outputs = outputs;
    this.serviceBytes = serviceBytes;
    this.bytesByWay = or(bytesByWay, Collections.emptyMap());
    this.fallbacks = or(fallbacks, Collections.emptyMap());
    this.persisted = or(persisted, TierUse.NONE);
    this.persistedBlocks = persistedBlocks;
  }

  private static <T> T or(T value, T nothing) {
    return value == null ? nothing : value;
  }

  public String executorId() {
    return executorId;
  }

  public String host() {
    return host;
  }

  public long takenAtMs() {
    return takenAtMs;
  }

  public String pool() {
    return pool;
  }

  public List<String> transports() {
    return transports;
  }

  public TierUse memory() {
    return memory;
  }

  public TierUse disk() {
    return disk;
  }

  public int outputs() {
    return outputs;
  }

  public long serviceBytes() {
    return serviceBytes;
  }

  public Map<String, Long> bytesByWay() {
    return bytesByWay;
  }

  public Map<String, Long> fallbacks() {
    return fallbacks;
  }

  public TierUse persisted() {
    return persisted;
  }

  public int persistedBlocks() {
    return persistedBlocks;
  }

  /** How full a tier is. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static final class TierUse implements Serializable {
    /** Of a tier that does not exist. */
    public static final TierUse NONE = new TierUse(0, 0);

    private static final long serialVersionUID = 1;

    @JsonProperty private final long usedBytes;
    @JsonProperty private final long capacityBytes;

    /**
     * @param usedBytes bytes that are taken
     * @param capacityBytes most bytes of the tier; 0 if it has no limit of its own
     */
    @JsonCreator
    public TierUse(
        @JsonProperty("usedBytes") long usedBytes,
        @JsonProperty("capacityBytes") long capacityBytes) {
      this.usedBytes = usedBytes;
      this.capacityBytes = capacityBytes;
    }

    public long usedBytes() {
      return usedBytes;
    }

    public long capacityBytes() {
      return capacityBytes;
    }
  }
}
