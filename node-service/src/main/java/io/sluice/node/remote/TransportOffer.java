package io.sluice.node.remote;

import java.net.InetSocketAddress;

/**
 * A transport on which a node service serves its segments. On several rails there is an offer for
 * each of them, which differs in the address alone.
 *
 * @param transport the provider's name
 * @param host the address to connect to; empty for the one the control connection used
 * @param port the port to connect to
 * @param slotBytes length of the bounce slots through which segments without a region there are
 *     served; 0 if they are not
 */
public record TransportOffer(String transport, String host, int port, int slotBytes) {
  /** For an endpoint that listens at {@code address}. */
  public static TransportOffer of(String transport, InetSocketAddress address, int slotBytes) {
    boolean anywhere = address.getAddress().isAnyLocalAddress();
    return new TransportOffer(
        transport,
        anywhere ? "" : address.getAddress().getHostAddress(),
        address.getPort(),
        slotBytes);
  }
}
