package io.sluice.rdma.transport.disni;

import com.ibm.disni.util.MemoryUtils;
import io.sluice.rdma.transport.support.PendingRead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A read on its way through the NIC, as one or several work requests.
 *
 * <p>Thread contract: made by the caller; its completions are counted on the connection's thread.
 */
final class DisniRead {
  /** No device takes less in one message; rxe, the smallest met, takes 8 MiB. */
  static final int MAX_PIECE_BYTES = 4 << 20;

  /** One work request's part of a read. */
  record Piece(DisniRead whole, int offsetBytes, int lengthBytes) {}

  private final PendingRead read;
  private final long localAddress;
  private final int localKey;
  private final long remoteAddress;
  private final int remoteKey;
  private int missingBytes;

  DisniRead(PendingRead read, int localKey, int remoteKey) {
    this.read = read;
    this.localAddress = MemoryUtils.getAddress(read.landing());
    this.localKey = localKey;
    this.remoteAddress = DisniAddress.address(read.remote()) + read.remoteOffsetBytes();
    this.remoteKey = remoteKey;
    this.missingBytes = read.lengthBytes();
  }

  PendingRead read() {
    return read;
  }

  List<Piece> pieces() {
    List<Piece> pieces = new ArrayList<>();
    for (int at = 0; at < read.lengthBytes(); ) {
      int lengthBytes = Math.min(MAX_PIECE_BYTES, read.lengthBytes() - at);
      pieces.add(new Piece(this, at, lengthBytes));
      at += lengthBytes;
    }
    return pieces;
  }

  void post(DisniWorkQueue queue, long workRequestId, Piece piece) throws IOException {
    queue.post(
        workRequestId,
        localAddress + piece.offsetBytes(),
        localKey,
        remoteAddress + piece.offsetBytes(),
        remoteKey,
        piece.lengthBytes());
  }

  /** A piece has arrived; with the last one the read is done. */
  void arrived(Piece piece) {
    missingBytes -= piece.lengthBytes();
    if (missingBytes == 0) {
      read.succeed();
    }
  }
}
