package io.sluice.node.client;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the bytes that a reader has read, by the way they came, and how often it took another way.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ReadStats {
  /** The way of runs that were mapped in place. */
  public static final String LOCAL = "local";

  /** The way of runs so short that they came with the answer which said where they lie. */
  public static final String INLINED = "inlined";

  private final Map<String, Long> bytesByWay = new TreeMap<>();
  private long transportFallbacks;
  private long retries;
  private long bouncedReads;
  private long bouncedBytes;
  private long bounceRefusals;
  private long nodeRefusals;

  synchronized void read(String way, long bytes) {
    bytesByWay.merge(way, bytes, Long::sum);
  }

  synchronized void fellBack() {
    transportFallbacks++;
  }

  synchronized void retried() {
    retries++;
  }

  synchronized void bounced(long bytes) {
    bouncedReads++;
    bouncedBytes += bytes;
  }

  synchronized void bounceRefused() {
    bounceRefusals++;
  }

  synchronized void refused() {
    nodeRefusals++;
  }

  /** Bytes that came over a transport, {@link #LOCAL} or {@link #INLINED}. */
  public synchronized long bytes(String way) {
    return bytesByWay.getOrDefault(way, 0L);
  }

  /** The ways that were used. */
  public synchronized Map<String, Long> bytesByWay() {
    return new TreeMap<>(bytesByWay);
  }

  /** Times that a node was read over another transport than before because of a failure. */
  public synchronized long transportFallbacks() {
    return transportFallbacks;
  }

  /** Reads that failed and were tried again. */
  public synchronized long retries() {
    return retries;
  }

  /** Reads that came through bounce slots of their node. */
  public synchronized long bouncedReads() {
    return bouncedReads;
  }

  /** Their bytes, which are part of those of their transport. */
  public synchronized long bouncedBytes() {
    return bouncedBytes;
  }

  /** Times that a node's service took no further connection, so that it was asked again later. */
  public synchronized long nodeRefusals() {
    return nodeRefusals;
  }

  /** Times that a node had no bounce slot free and was read over another transport meanwhile. */
  public synchronized long bounceRefusals() {
    return bounceRefusals;
  }
}
