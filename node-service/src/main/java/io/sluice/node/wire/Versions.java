package io.sluice.node.wire;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The versions of a protocol that one side speaks. Two sides talk in the highest that both speak,
 * so that tasks of a release go on while nodes are upgraded to the next one by one.
 *
 * <pre>
 *   0          2          4
 *   +----------+----------+
 *   | newest   | oldest   |
 *   +----------+----------+
 *     uint16     uint16
 * </pre>
 *
 * <p>These four bytes, and what is around them in the messages that carry them, are the same in all
 * versions. Thread contract: immutable.
 *
 * @param oldest that this side still speaks
 * @param newest of this side's release
 */
public record Versions(int oldest, int newest) {
  private static final int MAX = 0xffff;

  /** Checks the numbers. */
  public Versions {
    if (oldest < 0 || oldest > newest || newest > MAX) {
      throw new IllegalArgumentException("versions from " + oldest + " to " + newest);
    }
  }

  /** Writes them, newest first. */
  public void write(DataOutputStream out) throws IOException {
    out.writeShort(newest);
    out.writeShort(oldest);
  }

  /**
   * Reads those of a peer.
   *
   * @param peer names the peer, for messages
   * @param self names this side, for messages
   * @throws ProtocolException if both sides have none in common
   */
  public Versions readOf(DataInputStream in, String peer, String self) throws IOException {
    int peersNewest = in.readUnsignedShort();
    if (peersNewest < oldest) { // releases before versions were agreed on say no other
      throw otherRelease(peer, self, Integer.toString(peersNewest));
    }
    int peersOldest = in.readUnsignedShort();
    if (peersOldest > peersNewest) {
      throw new ProtocolException(
          peer + " says that it speaks versions from " + peersOldest + " to " + peersNewest);
    }
    Versions peers = new Versions(peersOldest, peersNewest);
    if (peersOldest > newest) {
      throw otherRelease(peer, self, peers.toString());
    }
    return peers;
  }

  /**
   * Reads the version that a peer has chosen.
   *
   * @param peer names the peer, for messages
   * @param self names this side, for messages
   * @throws ProtocolException if this side does not speak it
   */
  public int readChosen(DataInputStream in, String peer, String self) throws IOException {
    int chosen = in.readUnsignedShort();
    if (chosen < oldest || chosen > newest) {
      throw otherRelease(peer, self, Integer.toString(chosen));
    }
    return chosen;
  }

  /** The highest version of both sides, which have one in common. */
  public int chosenWith(Versions peers) {
    return Math.min(newest, peers.newest);
  }

  private ProtocolException otherRelease(String peer, String self, String peers) {
    return new ProtocolException(
        "%s is of another release of Sluice: it speaks version %s of the protocol, %s speaks %s"
            .formatted(peer, peers, self, this));
  }

  @Override
  public String toString() {
    return oldest == newest ? Integer.toString(newest) : oldest + " to " + newest;
  }

  /**
   * The versions that both sides have named before they authenticate ({@link Versions}). They are
   * part of both proofs, so that nobody between the two can make them use a lower version than the
   * highest that both speak.
   *
   * <pre>
   *   0          2          4          6          8          10
   *   +----------+----------+----------+----------+----------+
   *   | service: | oldest   | reader:  | oldest   | chosen   |
   *   | newest   |          | newest   |          |          |
   *   +----------+----------+----------+----------+----------+
   *     uint16     uint16     uint16     uint16     uint16
   * </pre>
   *
   * @param service versions of the service
   * @param reader versions of the reader
   * @param chosen by the reader
   */
  public record AgreedVersion(Versions service, Versions reader, int chosen) {
    private static final int BYTES = 10;

    /** The choice of a reader whose service speaks these. */
    public static AgreedVersion highest(Versions service, Versions reader) {
      return new AgreedVersion(service, reader, reader.chosenWith(service));
    }

    byte[] bytes() {
      return ByteBuffer.allocate(BYTES)
          .putShort((short) service.newest())
          .putShort((short) service.oldest())
          .putShort((short) reader.newest())
          .putShort((short) reader.oldest())
          .putShort((short) chosen)
          .array();
    }
  }
}
