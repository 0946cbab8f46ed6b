package io.sluice.node.socket;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.unix.UnixSocket.TooManyInFlightException;
import io.sluice.spill.disk.Device;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.Lease.DiskWrite;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreFullException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the requests of one task that has introduced itself: its lease, its descriptors.
 *
 * <p>Thread contract: the thread of the task's connection. Ownership: {@link SocketServer} opens
 * and closes the lease, the connection and the descriptors in flight over it; the session closes
 * the lease's record. Failure: a request that cannot be granted is answered with the reason, and
 * the conversation goes on; a task that asks for files and does not receive them loses it.
 */
final class SocketSession {
  private static final Logger LOG = LoggerFactory.getLogger(SocketSession.class);
  private static final long TIMEOUT_MS = 30_000;

  /** Most of an output's index that is on the heap at a time while it is checked, and its place. */
  private static final long COMMIT_BYTES = 512 << 10;

  private static final Answer DONE = new Answer(out -> {});

  private final Frames frames;
  private final int version;
  private final SocketServer.Backend backend;
  private final Lease lease;
  private final SegmentAccess access;
  private final long instance;
  private final PoolPaths places;
  private final DescriptorSender sender;
  private final InFlightDescriptors.Connection inFlight; // null with names

  /** An answer, and the open files that go with it, which are closed then. */
  private record Answer(Payload payload, List<Descriptor> files) {
    Answer(Frames.Payload payload) {
      this(withFiles -> payload, List.of());
    }
  }

  /** A request. */
  @FunctionalInterface
  private interface Request {
    Answer perform() throws IOException;
  }

  /** An answer, with its descriptors or, if they cannot be sent now, without. */
  @FunctionalInterface
  private interface Payload {
    Frames.Payload with(boolean files) throws RemoteError;
  }

  /**
   * A session at its beginning.
   *
   * @param version of the protocol that it is held in
   * @param lease of the task's user, whose segments it may open
   * @param access how the task opens them
   * @param instance tells a task that comes back whether this is still the service that it left
   * @param inFlight the descriptors that the task is sent; null if it is sent none
   */
  SocketSession(
      Frames frames,
      int version,
      SocketServer.Backend backend,
      Lease lease,
      SegmentAccess access,
      long instance,
      InFlightDescriptors.Connection inFlight) {
    this.frames = frames;
    this.version = version;
    this.backend = backend;
    this.lease = lease;
    this.access = access;
    this.instance = instance;
    this.inFlight = inFlight;
    this.places = backend.store().paths();
    this.sender = new DescriptorSender(backend.store(), lease.owner(), this::refused);
  }

  /** Serves the task until it goes away. */
  void serve() throws IOException {
    LeaseRecords.LeaseRecord record = backend.records().create(lease.info());
    try {
      greet(record);
      while (true) {
        Frames.Frame request = frames.receiveShort(MessageStream.NO_TIMEOUT, TIMEOUT_MS);
        if (request.type() == SocketProtocol.WRITE) {
          write(request.in());
        } else {
          answer(() -> perform(request, record));
        }
      }
    } finally {
      try {
        sender.close();
        lease.close(); // before the record of it goes
      } finally {
        record.close(!backend.store().isQuiet());
      }
    }
  }

  private void greet(LeaseRecords.LeaseRecord record) throws IOException {
    if (access == SegmentAccess.NAMES) {
      send(new Answer(greeting(out -> SocketProtocol.writePaths(out, places))));
      return;
    }
    Optional<Descriptor> held = record.hold();
    try {
      Frames.Payload greeting = greeting(out -> out.writeByte(held.isPresent() ? 1 : 0));
      send(new Answer(orBusy(greeting), held.stream().toList()));
    } finally {
      Closer.all(held.stream().toList());
    }
  }

  private Frames.Payload greeting(Frames.Payload rest) {
    return out -> {
      out.writeShort(version);
      SocketProtocol.writeInfo(out, lease.info());
      out.writeLong(instance);
      rest.writeTo(out);
    };
  }

  /** The bytes behind the message are read in any case: the next message begins after them. */
  private void write(DataInputStream in) throws IOException {
    int lengthBytes = 0; // as long as it is not known that anything comes
    DiskWrite write;
    try {
      int segmentId = in.readInt();
      long offsetBytes = in.readLong();
      lengthBytes = Bounded.readCount(in, Device.UNIT_BYTES, "bytes to write");
      write = lease.beginWrite(new Range(segmentId, offsetBytes, lengthBytes));
    } catch (IOException | RuntimeException e) {
      frames.skipBehind(lengthBytes, TIMEOUT_MS);
      answer(
          () -> {
            throw e;
          });
      return;
    }
    try (write) {
      frames.receiveBehind(write.bytes(), write.fillTimeoutMs());
      answer(
          () -> {
            write.run();
            return DONE;
          });
    }
  }

  private void answer(Request request) throws IOException {
    Answer answer;
    try {
      answer = request.perform();
    } catch (StoreFullException e) {
      Replies.sendError(frames, RemoteError.Code.FULL, e.getMessage(), TIMEOUT_MS);
      return;
    } catch (CorruptOutputException e) {
      refused(RefusalKind.BAD_OUTPUT, e.getMessage());
      Replies.sendError(frames, RemoteError.Code.CORRUPT_OUTPUT, e.getMessage(), TIMEOUT_MS);
      return;
    } catch (EOFException | IllegalArgumentException | ProtocolException e) {
      refused(RefusalKind.BAD_MESSAGE, e.toString());
      Replies.sendError(frames, RemoteError.Code.BAD_REQUEST, e.toString(), TIMEOUT_MS);
      return;
    } catch (RemoteError e) {
      if (e.code() == RemoteError.Code.BUSY) {
        refused(RefusalKind.TOO_MANY, e.getMessage());
      }
      Replies.sendError(frames, e.code(), e.getMessage(), TIMEOUT_MS);
      return;
    } catch (IOException | RuntimeException e) {
      if (backend.store().isQuiet()) {
        throw e; // no answer, but the end of the connection, so that the task asks our successor
      }
      LOG.warn("A request of a task of {} failed", lease.applicationId(), e);
      Replies.sendError(frames, RemoteError.Code.INTERNAL, e.toString(), TIMEOUT_MS);
      return;
    }
    try {
      send(answer);
    } finally {
      Closer.all(answer.files());
    }
  }

  private void send(Answer answer) throws IOException {
    if (mayPass(answer.files().size())) {
      try {
        frames.send(Replies.OK, answer.payload().with(true), answer.files(), TIMEOUT_MS);
        return;
      } catch (TooManyInFlightException e) {
        inFlight.takeBack();
      }
    }
    try {
      frames.send(Replies.OK, answer.payload().with(false), TIMEOUT_MS);
    } catch (RemoteError busy) {
      refused(RefusalKind.TOO_MANY, busy.getMessage());
      Replies.sendError(frames, busy.code(), busy.getMessage(), TIMEOUT_MS);
    }
  }

  /**
   * Whether so many files can be sent now.
   *
   * @throws EOFException if the task asks for more before it has received those of the last answer
   */
  private boolean mayPass(int files) throws IOException {
    if (files == 0) {
      return true;
    }
    if (!inFlight.isEmpty()) {
      String message = "asks for open files before it has received its answers";
      refused(RefusalKind.UNTAKEN_FILES, message);
      throw new EOFException("a task " + message + ": its connection ends");
    }
    return inFlight.add(files);
  }

  private void refused(RefusalKind kind, String message) {
    backend
        .refusals()
        .add(
            kind,
            "a task of %s of user id %s: %s"
                .formatted(lease.applicationId(), lease.owner(), message));
  }

  private static Payload orBusy(Frames.Payload payload) {
    return withFiles -> {
      if (!withFiles) {
        throw tooManyInFlight();
      }
      return payload;
    };
  }

  private static RemoteError tooManyInFlight() {
    return new RemoteError(
        RemoteError.Code.BUSY,
        "as many open files are on their way to tasks, of this user or in all, as may be; raise the"
            + " service's limit on open files (ulimit -n) for more");
  }

  private Answer perform(Frames.Frame request, LeaseRecords.LeaseRecord record) throws IOException {
    DataInputStream in = request.in();
    return switch (request.type()) {
      case SocketProtocol.LEASE -> granted(lease.lease(leaseLength(in)), record);
      case SocketProtocol.LEASE_CONTIGUOUS ->
          granted(List.of(lease.leaseContiguous(leaseLength(in))), record);
      case SocketProtocol.LEASE_DISK -> granted(lease.leaseDisk(leaseLength(in)), record);
      case SocketProtocol.LEASE_MEMORY -> {
        MemoryUse use = SocketProtocol.readUse(in);
        yield granted(lease.leaseMemory(use, in.readLong()).stream().toList(), record);
      }
      case SocketProtocol.FORCE -> {
        lease.force(in.readInt(), in.readLong());
        yield DONE;
      }
      case SocketProtocol.RELEASE -> {
        List<Extent> released = SocketProtocol.readExtents(in, places);
        lease.release(released);
        record.released(released);
        yield DONE;
      }
      case SocketProtocol.COMMIT -> {
        commit(in, record);
        yield DONE;
      }
      case SocketProtocol.OPEN -> opened(in);
      default -> throw new ProtocolException("unknown request type " + request.type());
    };
  }

  private void commit(DataInputStream in, LeaseRecords.LeaseRecord record) throws IOException {
    OutputId id = new OutputId(lease.applicationId(), Bounded.readString(in));
    OutputStamp stamp = new OutputStamp(id, in.readLong(), in.readInt());
    FooterLocation trailer = new FooterLocation(in.readInt(), in.readLong());
    HeapBudget.Held held = backend.heap().take(lease.owner(), COMMIT_BYTES);
    try {
      lease.commit(stamp, trailer);
    } finally {
      held.close();
    }
    backend.store().find(id).ifPresent(output -> record.released(output.extents()));
  }

  /**
   * The length that one request leases.
   *
   * @throws StoreFullException if it is for several, and would not fit though all were free
   * @throws RemoteError TOO_MUCH if it is for several
   */
  private long leaseLength(DataInputStream in) throws IOException {
    long lengthBytes = in.readLong();
    if (lengthBytes > SocketProtocol.MAX_LEASE_BYTES) {
      lease.checkCanEverFit(lengthBytes); // else others would give way in vain, step by step
      throw new RemoteError(
          RemoteError.Code.TOO_MUCH,
          "a lease of %s bytes, at most %s in one message"
              .formatted(lengthBytes, SocketProtocol.MAX_LEASE_BYTES));
    }
    return lengthBytes;
  }

  private Answer granted(List<Extent> extents, LeaseRecords.LeaseRecord record) throws IOException {
    record.granted(extents.stream().map(Extent::range).toList());
    DescriptorSender.OpenFiles files =
        access == SegmentAccess.NAMES ? DescriptorSender.OpenFiles.NONE : sender.granted(extents);
    return new Answer(
        withFiles ->
            out -> {
              SocketProtocol.writeExtents(out, extents, places);
              SocketProtocol.writeFiles(out, withFiles ? files.segmentIds() : List.of());
            },
        files.descriptors()); // a task that is sent none asks for them when it writes
  }

  private Answer opened(DataInputStream in) throws IOException {
    boolean writable = Bounded.readByteBelow(in, 2, "ways to open") == 1;
    int segmentId = in.readInt();
    int incarnation = in.readInt();
    if (access == SegmentAccess.NAMES) {
      throw new ProtocolException("this task opens segments by their names");
    }
    Optional<Descriptor> found = sender.open(segmentId, incarnation, writable);
    return new Answer(
        orBusy(out -> out.writeByte(found.isPresent() ? 1 : 0)), found.stream().toList());
  }
}
