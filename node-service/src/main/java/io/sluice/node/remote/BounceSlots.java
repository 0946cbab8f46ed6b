package io.sluice.node.remote;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The bounce slots that one reader holds.
 *
 * <p>Thread contract: one thread. Ownership: the reader's conversation closes it, which gives back
 * every slot; a reader that dies therefore leaks none. {@link RemoteProtocol} draws the messages.
 */
public interface BounceSlots extends AutoCloseable {
  /** Slots that one reader may hold at once. */
  int MAX_PER_READER = 4;

  /** No reader waits longer for a free slot. */
  int MAX_WAIT_MS = 1_000;

  /**
   * Copies a part of a run into a slot. Waits for one only while the reader holds none: a reader
   * that waits and holds a slot would keep it from others that wait.
   *
   * @throws RemoteError {@code BUSY} if no slot is free or the reader holds its share, {@code
   *     REFUSED} for an output that is not there or a transport that has no slots
   * @throws IllegalArgumentException for bytes that the run does not have
   */
  BounceRange bounce(BounceRequest request) throws IOException;

  /**
   * Gives a slot back.
   *
   * @throws ProtocolException if the reader does not hold it
   */
  void release(long ticket) throws ProtocolException;

  @Override
  void close();

  /**
   * Bytes that lie in a bounce slot, for the reader that asked and until it gives the slot back.
   *
   * @param ticket names the slot when it is given back
   * @param region the registered memory that the slot is a part of
   * @param offsetBytes where the bytes start in the region; there are as many as were asked for
   */
  record BounceRange(long ticket, RegionDescriptor region, long offsetBytes) {
    void write(DataOutputStream out) throws IOException {
      out.writeLong(ticket);
      Bounded.writeBytes(out, region.encode());
      out.writeLong(offsetBytes);
    }

    static BounceRange read(DataInputStream in) throws IOException {
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

  /**
   * The bytes of a run that a reader wants in a bounce slot. It names the output, not segments, so
   * that a service finds the bytes itself and a reader can ask only for what is its application's.
   *
   * @param transport the transport that will read the slot
   * @param outputId the output
   * @param partition its partition
   * @param ordinal which run of the partition
   * @param offsetBytes from the start of the run
   * @param lengthBytes how much, at most a slot
   * @param waitMs how long the reader would wait for a free slot; the service may wait less
   */
  record BounceRequest(
      String transport,
      String outputId,
      int partition,
      int ordinal,
      long offsetBytes,
      int lengthBytes,
      int waitMs) {
    void write(DataOutputStream out) throws IOException {
      Bounded.writeString(out, transport);
      Bounded.writeString(out, outputId);
      out.writeInt(partition);
      out.writeInt(ordinal);
      out.writeLong(offsetBytes);
      out.writeInt(lengthBytes);
      out.writeInt(waitMs);
    }

    static BounceRequest read(DataInputStream in) throws IOException {
      return new BounceRequest(
          Bounded.readString(in),
          Bounded.readString(in),
          in.readInt(),
          in.readInt(),
          in.readLong(),
          in.readInt(),
          in.readInt());
    }
  }
}
