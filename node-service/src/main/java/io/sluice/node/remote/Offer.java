package io.sluice.node.remote;

/**
 * A transport on which a node service serves its segments.
 *
 * @param transport the provider's name
 * @param host the address to connect to; empty for the one the control connection used
 * @param port the port to connect to
 */
public record Offer(String transport, String host, int port) {}
