package io.sluice.node.remote;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.ProtocolException;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The messages of {@link RemoteProtocol} about bounce slots.
 *
 * <pre>
 * reader   BOUNCE     string transport, string output id, int32 partition, int32 ordinal,
 *                     int64 offset in the run, int32 length, int32 wait in ms
 * service  OK         int64 ticket, bytes region descriptor, int64 offset in the region
 *
 * reader   RELEASE    int64 ticket      (has no answer; a wrong ticket ends the conversation)
 * </pre>
 */
final class BounceProtocol {
  private BounceProtocol() {}

  static void writeRequest(DataOutputStream out, BounceRequest request) throws IOException {
    Bounded.writeString(out, request.transport());
    Bounded.writeString(out, request.outputId());
    out.writeInt(request.partition());
    out.writeInt(request.ordinal());
    out.writeLong(request.offsetBytes());
    out.writeInt(request.lengthBytes());
    out.writeInt(request.waitMs());
  }

  static BounceRequest readRequest(DataInputStream in) throws IOException {
    return new BounceRequest(
        Bounded.readString(in),
        Bounded.readString(in),
        in.readInt(),
        in.readInt(),
        in.readLong(),
        in.readInt(),
        in.readInt());
  }

  static void writeRange(DataOutputStream out, BounceRange range) throws IOException {
    out.writeLong(range.ticket());
    Bounded.writeBytes(out, range.region().encode());
    out.writeLong(range.offsetBytes());
  }

  static BounceRange readRange(DataInputStream in) throws IOException {
    long ticket = in.readLong();
    byte[] region = Bounded.readBytes(in, RemoteProtocol.MAX_DESCRIPTOR_BYTES);
    try {
      return new BounceRange(
          ticket, RegionDescriptor.decode(ByteBuffer.wrap(region)), in.readLong());
    } catch (TransportException e) {
      throw new ProtocolException("impossible bounce slot: " + e.getMessage());
    }
  }
}
