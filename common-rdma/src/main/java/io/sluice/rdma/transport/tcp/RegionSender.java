package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LentBytes;
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

  static void send(
      SocketChannel channel,
      ByteBuffer header,
      MemoryRegion region,
      long offsetBytes,
      int lengthBytes,
      Runnable progressed)
      throws IOException {
    if (region.reader() != null) {
      sendRead(channel, header, region.reader(), offsetBytes, lengthBytes, progressed);
    } else if (region.file() != null) {
      Sockets.writeFully(channel, header);
      sendFile(
          channel, region.file(), region.fileOffsetBytes() + offsetBytes, lengthBytes, progressed);
    } else {
      sendMapping(
          channel, header, region.mapping().slice((int) offsetBytes, lengthBytes), progressed);
    }
  }

  private static void sendFile(
      SocketChannel channel,
      SharedFile file,
      long offsetBytes,
      int lengthBytes,
      Runnable progressed)
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
      progressed.run();
    }
  }

  private static void sendRead(
      SocketChannel channel,
      ByteBuffer header,
      LendingReader reader,
      long offsetBytes,
      int lengthBytes,
      Runnable progressed)
      throws IOException {
    int sentBytes = 0;
    while (sentBytes < lengthBytes) {
      try (LentBytes piece = reader.read(offsetBytes + sentBytes, lengthBytes - sentBytes)) {
        progressed.run();
        int pieceBytes = piece.bytes().remaining();
        sendMapping(channel, header, piece.bytes(), progressed);
        sentBytes += pieceBytes;
      }
    }
    Sockets.writeFully(channel, header); // which is still to be sent where nothing was asked for
  }

  private static void sendMapping(
      SocketChannel channel, ByteBuffer header, ByteBuffer bytes, Runnable progressed)
      throws IOException {
    int end = bytes.limit();
    ByteBuffer[] headerAndBytes = {header, bytes};
    do {
      bytes.limit(Math.min(end, bytes.position() + CHUNK_BYTES));
      channel.write(headerAndBytes);
      progressed.run();
    } while (header.hasRemaining() || bytes.position() < end);
  }
}
