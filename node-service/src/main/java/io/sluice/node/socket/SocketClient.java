package io.sluice.node.socket;

import io.sluice.node.socket.ClientConnection.WritePipe;
import io.sluice.node.socket.ClientSession.ServiceLink;
import io.sluice.node.socket.RevocationListener.RevocationConnection;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.spill.disk.Device;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.ExtentSource.PendingWrite;
import io.sluice.spill.store.MemorySource;
import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A task's client of the service of its node: leases extents of the pool and commits outputs. It
 * turns each call into an exchange; {@link ClientConnection} reconnects when the service restarts,
 * and {@link WritePipe} sends bytes for the disk tier ahead.
 *
 * <p>A client that has asked for a lease goes on with a restarted service that keeps its pool, and
 * with no other. A client that only opens segments to read has nothing to lose: it connects again
 * whenever it is used, so that tasks can share it though each may be interrupted.
 *
 * <p>Thread contract: safe from any thread, one exchange at a time; an interrupt or a late answer
 * ends the session, and fails the exchange of that thread alone. Ownership: the task closes it.
 * That, like the task's death, frees the extents that it leased and did not commit. Failure: as
 * {@link MemorySource} says; {@link RemoteError} when the service refuses for another reason; and
 * another {@link IOException} when it cannot be reached or does not answer in time. A client that
 * has asked for a lease is then unusable.
 */
public final class SocketClient implements MemorySource, Closeable {
  private static final long PAUSE_MS = 20;

  private final ServiceLink link;
  private final ClientSession.Hello hello;
  private final Timeouts timeouts;
  private final ClientConnection connection;
  private final WritePipe pipe;
  private final DescriptorCache received = new DescriptorCache(this::askFor);

  private SocketClient(ServiceLink link, ClientSession.Hello hello, Timeouts timeouts)
      throws IOException {
    this.link = link;
    this.hello = hello;
    this.timeouts = timeouts;
    this.connection = ClientConnection.open(link, hello, timeouts);
    this.pipe = new WritePipe(connection);
  }

  /** Connects to a service of this process's own user; see below. */
  public static SocketClient connect(
      Path socket, String applicationId, JobSecret secret, long timeoutMs) throws IOException {
    return connect(socket, Owner.ofThisProcess(), applicationId, secret, timeoutMs);
  }

  /** Connects to any service, without saying who borrows; see below. */
  public static SocketClient connect(
      Path socket, Owner service, String applicationId, JobSecret secret, long timeoutMs)
      throws IOException {
    return connect(
        socket, service, Borrower.PROCESS, applicationId, secret, Timeouts.all(timeoutMs));
  }

  /**
   * Connects and says for which application, with the secret that its readers will prove. Says
   * nothing if the socket's directory, or the process that listens there, belongs neither to the
   * service's user nor to this process's.
   *
   * @param socket the service's socket, from its {@code NodeMetadata}
   * @param service its user, from there too; the service sends descriptors of segments to a task of
   *     another user. In another user namespace it is a number that nobody has here
   * @param timeouts of exchanges, and of a restart of the service, which this client waits for. It
   *     waits as long for a service that is busy
   */
  public static SocketClient connect(
      Path socket,
      Owner service,
      Borrower borrower,
      String applicationId,
      JobSecret secret,
      Timeouts timeouts)
      throws IOException {
    return connect(
        socket, service, SocketProtocol.VERSIONS, borrower, applicationId, secret, timeouts);
  }

  /** The same of a task that speaks these versions. */
  static SocketClient connect(
      Path socket,
      Owner service,
      Versions versions,
      Borrower borrower,
      String applicationId,
      JobSecret secret,
      Timeouts timeouts)
      throws IOException {
    return new SocketClient(
        ServiceLink.to(socket, service),
        new ClientSession.Hello(versions, applicationId, secret, borrower),
        timeouts);
  }

  @Override
  public LeaseInfo info() {
    return connection.session().info();
  }

  /** Where the segments of the service's pool lie. */
  public PoolPaths places() {
    return connection.session().places();
  }

  @Override
  public SegmentOpener opener() {
    return link.access() == SegmentAccess.NAMES ? SegmentOpener.BY_NAME : received;
  }

  @Override
  public List<Extent> lease(long lengthBytes) throws IOException {
    return leaseInSteps(SocketProtocol.LEASE, lengthBytes);
  }

  /**
   * Asks for all at once. If the service says that this is too much for one request, asks in steps,
   * and gives back the extents of the first steps if a later one is refused.
   */
  private List<Extent> leaseInSteps(int type, long lengthBytes) throws IOException {
    try {
      return lease(type, out -> out.writeLong(lengthBytes));
    } catch (RemoteError e) {
      if (e.code() != RemoteError.Code.TOO_MUCH) {
        throw e;
      }
    }
    List<Extent> extents = new ArrayList<>();
    try {
      long leftBytes = lengthBytes;
      do {
        long stepBytes = Math.min(leftBytes, SocketProtocol.MAX_LEASE_BYTES);
        extents.addAll(lease(type, out -> out.writeLong(stepBytes)));
        leftBytes -= stepBytes;
      } while (leftBytes > 0);
      return extents;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, () -> release(extents)); // else the end of the connection gives it back
      throw e;
    }
  }

  @Override
  public Extent leaseContiguous(long lengthBytes) throws IOException {
    return lease(SocketProtocol.LEASE_CONTIGUOUS, out -> out.writeLong(lengthBytes)).get(0);
  }

  @Override
  public Optional<Extent> leaseMemory(MemoryUse use, long lengthBytes) throws IOException {
    List<Extent> extents =
        lease(
            SocketProtocol.LEASE_MEMORY,
            out -> {
              out.writeByte(use.ordinal());
              out.writeLong(lengthBytes);
            });
    return extents.stream().findFirst();
  }

  @Override
  public List<Extent> leaseDisk(long lengthBytes) throws IOException {
    return leaseInSteps(SocketProtocol.LEASE_DISK, lengthBytes);
  }

  /**
   * Opens a connection over which the service tells this task to give memory back; the caller
   * closes it.
   */
  public RevocationConnection listen() throws IOException {
    connection.dependOnLease();
    return RevocationConnection.open(
        link,
        hello.versions(),
        hello.applicationId(),
        hello.secret(),
        info().generation(),
        timeouts.exchangeMs());
  }

  private List<Extent> lease(int type, Frames.Payload payload) throws IOException {
    connection.dependOnLease();
    return leased(exchange(type, payload));
  }

  private List<Extent> leased(ClientSession.Answer answer) throws IOException {
    List<Descriptor> files = new ArrayList<>(answer.files());
    try {
      List<Extent> extents = SocketProtocol.readExtents(answer.in(), places());
      List<Integer> segmentIds = SocketProtocol.readFiles(answer.in());
      if (segmentIds.size() != files.size()) {
        throw new ProtocolException(
            "the service has passed " + files.size() + " files, expected " + segmentIds.size());
      }
      for (int segmentId : segmentIds) {
        received.granted(segment(segmentId, extents), files.remove(0));
      }
      return extents;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, files);
      Closer.after(e, connection.session()); // the service believes that they have come
      throw e;
    }
  }

  private static SegmentInfo segment(int segmentId, List<Extent> extents) throws ProtocolException {
    return extents.stream()
        .map(Extent::segment)
        .filter(segment -> segment.segmentId() == segmentId)
        .findFirst()
        .orElseThrow(
            () -> new ProtocolException("a file of segment " + segmentId + ", not granted"));
  }

  /** The service's descriptor of a segment. */
  private Descriptor askFor(SegmentInfo segment, boolean writable) throws IOException {
    return whileBusy(timeouts.exchangeMs(), () -> opened(segment, writable));
  }

  private interface Question<T> {
    T ask() throws IOException;
  }

  /** Asks again while the service is busy. */
  private <T> T whileBusy(long mostMs, Question<T> question) throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMs);
    while (true) {
      try {
        return question.ask();
      } catch (RemoteError e) {
        boolean late = System.nanoTime() - deadlineNs > 0;
        if (e.code() != RemoteError.Code.BUSY || late || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS));
    }
  }

  private Descriptor opened(SegmentInfo segment, boolean writable) throws IOException {
    ClientSession.Answer answer =
        exchange(
            SocketProtocol.OPEN,
            out -> {
              out.writeByte(writable ? 1 : 0);
              out.writeInt(segment.segmentId());
              out.writeInt(segment.incarnation());
            });
    int found = Bounded.readByteBelow(answer.in(), 2, "answers");
    try {
      answer.requireFiles(found);
    } catch (ProtocolException e) {
      Closer.all(answer.files());
      throw e;
    }
    if (found == 0) {
      throw new NoSuchFileException(
          segment + (writable ? " cannot be written by this task" : " is not there any more"));
    }
    return answer.files().get(0);
  }

  @Override
  public void write(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
    long atBytes = offsetBytes;
    while (bytes.hasRemaining()) {
      int unitBytes = Math.min(bytes.remaining(), Device.UNIT_BYTES);
      pipe.send(extent, atBytes, bytes.slice(bytes.position(), unitBytes)).await();
      bytes.position(bytes.position() + unitBytes);
      atBytes += unitBytes;
    }
  }

  @Override
  public PendingWrite beginWrite(Extent extent, long offsetBytes, ByteBuffer bytes)
      throws IOException {
    return pipe.send(extent, offsetBytes, bytes.slice());
  }

  @Override
  public void force(Extent extent) throws IOException {
    exchange(
            SocketProtocol.FORCE,
            out -> {
              out.writeInt(extent.segment().segmentId());
              out.writeLong(extent.offsetBytes());
            })
        .withoutFiles();
  }

  @Override
  public void release(List<Extent> extents) throws IOException {
    for (int done = 0; done < extents.size(); done += SocketProtocol.MAX_RELEASED) {
      List<Extent> some =
          extents.subList(done, Math.min(extents.size(), done + SocketProtocol.MAX_RELEASED));
      exchange(SocketProtocol.RELEASE, out -> SocketProtocol.writeExtents(out, some, places()))
          .withoutFiles();
    }
  }

  @Override
  public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
    ClientSession.Answer answer =
        whileBusy(
            timeouts.restartMs(), // it has done all its work
            () ->
                exchange(
                    SocketProtocol.COMMIT,
                    out -> {
                      Bounded.writeString(out, stamp.id().outputId());
                      out.writeLong(stamp.writerGeneration());
                      out.writeInt(stamp.identityCrc32c());
                      out.writeInt(trailer.segmentId());
                      out.writeLong(trailer.trailerOffsetBytes());
                    }));
    answer.withoutFiles();
  }

  private ClientSession.Answer exchange(int type, Frames.Payload payload) throws IOException {
    synchronized (connection) {
      pipe.settle();
      return connection.run(session -> session.exchange(type, payload));
    }
  }

  /**
   * For a task that needs nothing more: a connection that breaks from now on is not made again, but
   * fails the exchange. The end of the connection gives back all that the task was about to.
   */
  public void stopReconnecting() {
    connection.stopReconnecting();
  }

  /** Ends the connection, and with it an exchange that another thread is waiting in. */
  @Override
  public void close() throws IOException {
    Closer.all(connection, received);
  }

  /** How a task opens the segments of its extents; it says so when it connects. */
  public enum SegmentAccess {
    /** By their names, as a process of the pool's own user can. */
    NAMES,
    /** By descriptors: the service opens the files and sends them over the socket. */
    DESCRIPTORS
  }
}
