package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.transport.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Sends one response: from the region's file with {@code sendfile} where it has one, so that the
 * bytes go from page to socket, else from its mapping or from what its reader lends. No byte
 * touches the heap.
 *
 * <p>Thread contract: called by the socket's own thread. Failure: {@link IOException}, after which
 * the stream is cut in the middle of a response and of no more use.
 */
final class RegionSender {
  /** The client's progress is looked at this often. */
  private static final int CHUNK_BYTES = 1 << 20;

  private RegionSender() {}

  /** What becomes of a response, for whoever gives up on clients that do not take theirs. */
  interface Progress {
    /** Some more of it is there, or was sent. */
    void progressed();

    /** Whether what is sent now lies in memory that others wait for. */
    void lends(boolean lends);
  }

  static void send(
      SocketChannel channel,
      ByteBuffer header,
      MemoryRegion region,
      long offsetBytes,
      int lengthBytes,
      Progress progress)
      throws IOException {
    if (region.reader() != null) {
      sendRead(channel, header, region.reader(), offsetBytes, lengthBytes, progress);
    } else if (region.file() != null) {
      Sockets.writeFully(channel, header);
      sendFile(
          channel, region.file(), region.fileOffsetBytes() + offsetBytes, lengthBytes, progress);
    } else {
      sendMapping(
          channel, header, region.mapping().slice((int) offsetBytes, lengthBytes), progress);
    }
  }

  private static void sendFile(
      SocketChannel channel, SharedFile file, long offsetBytes, int lengthBytes, Progress progress)
      throws IOException {
    int sentBytes = 0;
    while (sentBytes < lengthBytes) {
      long n =
          file.send(
              offsetBytes + sentBytes, Math.min(CHUNK_BYTES, lengthBytes - sentBytes), channel);
      if (n <= 0) {
        throw new IOException(
            "region's file gave no bytes at "
                + (offsetBytes + sentBytes)
                + ", its size is "
                + file.lengthBytes()
                + ": it was truncated under the registration");
      }
      sentBytes += (int) n;
      progress.progressed();
    }
  }

  private static void sendRead(
      SocketChannel channel,
      ByteBuffer header,
      LendingReader reader,
      long offsetBytes,
      int lengthBytes,
      Progress progress)
      throws IOException {
    int sentBytes = 0;
    while (sentBytes < lengthBytes) {
      try (LentBytes piece = reader.read(offsetBytes + sentBytes, lengthBytes - sentBytes)) {
        progress.progressed();
        progress.lends(true);
        int pieceBytes = piece.bytes().remaining();
        sendMapping(channel, header, piece.bytes(), progress);
        sentBytes += pieceBytes;
      } finally {
        progress.lends(false);
      }
    }
    Sockets.writeFully(channel, header); // which is still to be sent where nothing was asked for
  }

  private static void sendMapping(
      SocketChannel channel, ByteBuffer header, ByteBuffer bytes, Progress progress)
      throws IOException {
    int end = bytes.limit();
    ByteBuffer[] headerAndBytes = {header, bytes};
    do {
      bytes.limit(Math.min(end, bytes.position() + CHUNK_BYTES));
      channel.write(headerAndBytes);
      progress.progressed();
    } while (header.hasRemaining() || bytes.position() < end);
  }
}
