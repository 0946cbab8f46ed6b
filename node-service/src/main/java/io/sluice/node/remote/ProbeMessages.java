package io.sluice.node.remote;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.Replies;
import io.sluice.rdma.transport.RegionDescriptor;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The one question that needs no proof: where a node's transports listen, and what a probe may read
 * over each. See {@link RemoteProtocol}, PROBE.
 *
 * <p>Thread contract: stateless.
 */
public final class ProbeMessages {
  private ProbeMessages() {}

  /**
   * Asks the service at {@code address}.
   *
   * @param timeoutMs the deadline of each step
   * @throws ProtocolException if something else listens there
   * @throws IOException if it cannot be reached, or does not answer
   */
  public static List<ProbeOffer> ask(InetSocketAddress address, long timeoutMs) throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address, timeoutMs)) {
      Frames frames = new Frames(channel);
      RemoteProtocol.Challenge challenge =
          RemoteProtocol.receiveChallenge(frames, RemoteProtocol.VERSIONS, timeoutMs);
      int version = RemoteProtocol.VERSIONS.chosenWith(challenge.versions());
      frames.send(RemoteProtocol.PROBE, out -> out.writeShort(version), timeoutMs);
      return read(Replies.receive(frames, timeoutMs));
    }
  }

  static void write(DataOutputStream out, List<ProbeOffer> offers) throws IOException {
    out.writeInt(offers.size());
    for (ProbeOffer probe : offers) {
      RemoteProtocol.writeOffer(out, probe.offer());
      Bounded.writeBytes(out, probe.region().map(RegionDescriptor::encode).orElse(new byte[0]));
    }
  }

  private static List<ProbeOffer> read(DataInputStream in) throws IOException {
    int count = Bounded.readCount(in, RemoteProtocol.MAX_OFFERS, "offers");
    List<ProbeOffer> offers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      TransportOffer offer = RemoteProtocol.readOffer(in);
      byte[] region = Bounded.readBytes(in, RemoteProtocol.MAX_DESCRIPTOR_BYTES);
      offers.add(
          new ProbeOffer(
              offer,
              region.length == 0
                  ? Optional.empty()
                  : Optional.of(RegionDescriptor.decode(ByteBuffer.wrap(region)))));
    }
    return offers;
  }

  /**
   * A transport as a probe may try it.
   *
   * @param offer where it listens
   * @param region the region with {@link io.sluice.node.probe.ProbeRegion.ProbePattern}; empty if
   *     the service could not register it with this transport
   */
  public record ProbeOffer(TransportOffer offer, Optional<RegionDescriptor> region) {}
}
