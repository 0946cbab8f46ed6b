package io.sluice.node.socket;

import io.sluice.node.wire.RemoteError;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import io.sluice.spill.store.StoreFullException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Sends units that the service writes to the disk tier; the task prepares the next unit while the
 * service writes one. One unit at most has no answer yet. If the session breaks before the answer
 * comes, the unit is sent once more, to the service's successor.
 *
 * <p>Thread contract: safe from any thread, under the monitor of its {@link ClientConnection}.
 * Ownership: none; a caller keeps the bytes of a unit until it has awaited it. Failure: that of a
 * unit is told to the caller that awaits it; a unit that cannot be sent fails its sender.
 */
final class WritePipe {
  private final ClientConnection connection;
  private Unit sent; // guarded by the connection; null: every answer has come

  private final class Unit implements PendingWrite {
    private final int segmentId;
    private final long offsetBytes;
    private final ByteBuffer bytes;
    private boolean written; // as is the next, guarded by the connection
    private IOException failure;

    Unit(int segmentId, long offsetBytes, ByteBuffer bytes) {
      this.segmentId = segmentId;
      this.offsetBytes = offsetBytes;
      this.bytes = bytes;
    }

    private void writeHead(DataOutputStream out) throws IOException {
      out.writeInt(segmentId);
      out.writeLong(offsetBytes);
      out.writeInt(bytes.remaining());
    }

    @Override
    public void await() throws IOException {
      synchronized (connection) {
        if (sent == this) {
          settle();
        }
        if (failure != null) {
          throw failure;
        }
        if (!written) { // an Error was thrown where its answer was received
          throw new IOException("nobody knows whether a unit has reached the disk");
        }
      }
    }
  }

  WritePipe(ClientConnection connection) {
    this.connection = connection;
  }

  /** Returns when the service may have the unit; its answer is awaited later. */
  PendingWrite send(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
    Unit unit = new Unit(extent.segment().segmentId(), extent.offsetBytes() + offsetBytes, bytes);
    synchronized (connection) {
      settle();
      connection.run(
          session -> {
            session.send(SocketProtocol.WRITE, unit::writeHead, unit.bytes);
            return null;
          });
      sent = unit;
      return unit;
    }
  }

  /** Receives the answer that is still to come; called before any other exchange. */
  void settle() {
    Unit unit = sent;
    if (unit == null) {
      return;
    }
    sent = null;
    try {
      connection.runOnce(session -> session.receive().withoutFiles());
      unit.written = true;
    } catch (RemoteError | StoreFullException | CorruptOutputException e) {
      unit.failure = e;
    } catch (IOException | RuntimeException e) {
      sendAgain(unit, e);
    }
  }

  private void sendAgain(Unit unit, Exception cause) {
    try {
      connection.reconnect(cause);
      connection.runOnce(
          session ->
              session.exchange(SocketProtocol.WRITE, unit::writeHead, unit.bytes).withoutFiles());
      unit.written = true;
    } catch (IOException e) {
      unit.failure = e;
    } catch (RuntimeException e) {
      unit.failure = new IOException("a unit could not be written: " + e, e);
    }
  }
}
