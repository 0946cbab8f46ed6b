package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.transport.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Sends one response. If the region has a file, it uses {@code sendfile}, so that the bytes go from
 * page to socket. Else it sends from the mapping, or from memory that the region's reader lends. No
 * byte is copied to the heap.
 *
 * <p>Thread contract: called by the socket's own thread. Failure: {@link IOException}; the stream
 * then ends within a response and cannot be used any more.
 */
final class RegionSender {
  /** The bytes after which the client's progress is reported. */
  private static final int CHUNK_BYTES = 1 << 20;

  private RegionSender() {}

  /** Receives the progress of a response, to detect clients that do not read. */
  interface Progress {
    /** More bytes were read or sent. */
    void progressed();

    /** Whether the bytes that are sent now lie in lent memory, for which others wait. */
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
            "region's file returned no bytes at "
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
    Sockets.writeFully(channel, header); // not sent yet if no bytes were requested
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
