package io.sluice.node.remote;

/**
 * Which bytes of a run a reader wants in a bounce slot. It names the output, not segments, so that
 * a service finds the bytes itself and a reader can ask only for what is its application's.
 *
 * @param transport the transport that will read the slot
 * @param outputId the output
 * @param partition its partition
 * @param ordinal which run of the partition
 * @param offsetBytes from the start of the run
 * @param lengthBytes how much, at most a slot
 * @param waitMs how long the reader would wait for a free slot; the service may wait less
 */
public record BounceRequest(
    String transport,
    String outputId,
    int partition,
    int ordinal,
    long offsetBytes,
    int lengthBytes,
    int waitMs) {}
