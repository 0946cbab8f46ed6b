package io.sluice.node.socket;

import io.sluice.node.memory.Borrower;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Timeouts;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.spill.disk.Device;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentOpener;
import io.sluice.spill.store.LeaseInfo;
import io.sluice.spill.store.MemorySource;
import io.sluice.spill.store.MemoryUse;
import io.sluice.spill.store.PendingWrite;
import io.sluice.spill.store.StoreFullException;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A task's connection to the service of its node: leases extents of the pool and commits outputs.
 *
 * <p>It outlives a restart of the service that keeps the pool: what was leased is then quarantined
 * by the new service, nobody else gets it, and this client connects again and goes on. A client
 * that has asked for a lease does not outlive a connection to a service that has not restarted,
 * because that has taken the lease back. One that has not, and only opens segments to read, has
 * nothing to lose: it connects again whenever it is used, so that tasks can share it though each
 * may be interrupted. None outlives a service that has emptied its pool.
 *
 * <p>Thread contract: safe from any thread, one exchange at a time; an interrupt or a late answer
 * ends the connection, and fails the exchange of that thread alone. Ownership: the task closes it,
 * and that, like the task's death, frees whatever it leased and did not commit. Failure: as {@link
 * MemorySource} says, {@link RemoteError} when the service refuses for another reason, and another
 * {@link IOException} when it cannot be reached or does not answer in time; a client that has asked
 * for a lease is then unusable.
 */
public final class SocketClient implements MemorySource, Closeable {
  private static final long FIRST_PAUSE_MS = 20;
  private static final long LONGEST_PAUSE_MS = 1_000;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final ServiceLink link;
  private final Versions versions;
  private final Borrower borrower;
  private final String applicationId;
  private final JobSecret secret;
  private final long timeoutMs;
  private final long restartMs;
  private volatile Session session;
  private final List<Closeable> holds = new ArrayList<>(); // of every lease since the first
  private final DescriptorCache received = new DescriptorCache(this::askFor);
  private Sent sent; // null: every answer has come
  private boolean leasing; // what it holds ends with the service's lease; as the above, guarded
  private volatile boolean reconnects = true;
  private volatile boolean closed;

  /** One connection, and what the service said when it began. */
  private record Session(
      MessageStream stream,
      Frames frames,
      LeaseInfo info,
      long serviceInstance,
      PoolPaths places) {}

  /** What was asked for, and the open files that came with it, which the asker owns. */
  private record Answer(DataInputStream in, List<Descriptor> files) {
    /** For what comes without any. */
    DataInputStream withoutFiles() throws IOException {
      if (!files.isEmpty()) {
        Closer.all(files);
        throw new ProtocolException("the service has passed files that were not asked for");
      }
      return in;
    }
  }

  /**
   * A unit that was sent to be written, and whose answer may not have come. Should the connection
   * break before that, it is sent once more.
   */
  private final class Sent implements PendingWrite {
    private final int segmentId;
    private final long offsetBytes;
    private final ByteBuffer unit;
    private boolean arrived; // as is the next, guarded by the client
    private IOException failure;

    Sent(int segmentId, long offsetBytes, ByteBuffer unit) {
      this.segmentId = segmentId;
      this.offsetBytes = offsetBytes;
      this.unit = unit;
    }

    private void writeTo(DataOutputStream out) throws IOException {
      out.writeInt(segmentId);
      out.writeLong(offsetBytes);
      out.writeInt(unit.remaining());
    }

    @Override
    public void await() throws IOException {
      synchronized (SocketClient.this) {
        if (sent == this) {
          settle();
        }
        if (failure != null) {
          throw failure;
        }
        if (!arrived) { // whoever took the answer met an Error
          throw new IOException("nobody knows whether a unit has reached the disk");
        }
      }
    }
  }

  private SocketClient(
      ServiceLink link,
      Versions versions,
      Borrower borrower,
      String applicationId,
      JobSecret secret,
      Timeouts timeouts) {
    this.link = link;
    this.versions = versions;
    this.borrower = borrower;
    this.applicationId = applicationId;
    this.secret = secret;
    this.timeoutMs = timeouts.exchangeMs();
    this.restartMs = timeouts.restartMs();
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
   * Connects and says for which application, with the secret that its readers will prove. Not a
   * word is said where the socket's directory, or whoever listens there, is neither the service's
   * user's nor this process's.
   *
   * @param socket the service's socket, from its {@code NodeMetadata}
   * @param service whose it is, from there too; where that is not this process's user, segments are
   *     handed over as open files. In another user namespace it is a number that nobody has here
   * @param timeouts of exchanges, and of a restart of the service, which this client waits for; it
   *     is not told that the service is busy, but waits as long as for a restart
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
    SocketClient client =
        new SocketClient(
            ServiceLink.to(socket, service), versions, borrower, applicationId, secret, timeouts);
    client.session = client.open();
    return client;
  }

  private Session open() throws IOException {
    MessageStream stream = link.connect(timeoutMs);
    try {
      Frames frames = new Frames(stream);
      Answer answer =
          exchange(
              frames,
              SocketProtocol.HELLO,
              out -> {
                versions.write(out);
                Bounded.writeString(out, applicationId);
                Bounded.writeBytes(out, secret.bytes());
                SocketProtocol.writeHandout(out, link.handout());
                SocketProtocol.writeBorrower(out, borrower);
              },
              NOTHING);
      return greeted(stream, frames, answer);
    } catch (IOException | RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  private Session greeted(MessageStream stream, Frames frames, Answer answer) throws IOException {
    try {
      DataInputStream in = answer.in();
      versions.readChosen(in, SocketProtocol.SERVICE, SocketProtocol.TASK);
      LeaseInfo info = SocketProtocol.readInfo(in);
      long instance = in.readLong();
      if (link.handout() == SegmentAccess.NAMES) {
        PoolPaths places = SocketProtocol.readPlaces(in, info.poolId());
        answer.withoutFiles();
        hold(LeaseLock.take(LeaseRecords.path(link.socket(), info)).orElse(null));
        return new Session(stream, frames, info, instance, places);
      }
      int records = Bounded.readByteBelow(in, 2, "records");
      if (answer.files().size() != records) {
        throw new ProtocolException(
            "the service has passed " + answer.files().size() + " files, expected " + records);
      }
      hold(records == 0 ? null : answer.files().get(0));
      return new Session(stream, frames, info, instance, PoolPaths.handedOver(info.poolId()));
    } catch (IOException | RuntimeException e) {
      Closer.all(answer.files());
      throw e;
    }
  }

  /** Says that this task lives until it closes this client, whatever becomes of the service. */
  private void hold(Closeable lock) throws IOException {
    synchronized (holds) {
      if (lock != null) {
        holds.add(lock);
      }
    }
    if (closed) { // meanwhile, and perhaps without seeing this one
      releaseHolds();
    }
  }

  private void releaseHolds() throws IOException {
    synchronized (holds) {
      List<Closeable> all = List.copyOf(holds);
      holds.clear();
      Closer.all(all);
    }
  }

  @Override
  public LeaseInfo info() {
    return session.info();
  }

  /** Where the segments of the service's pool lie. */
  public PoolPaths places() {
    return session.places();
  }

  @Override
  public SegmentOpener opener() {
    return link.handout() == SegmentAccess.NAMES ? SegmentOpener.BY_NAME : received;
  }

  @Override
  public List<Extent> lease(long lengthBytes) throws IOException {
    return leaseInSteps(SocketProtocol.LEASE, lengthBytes);
  }

  /**
   * Leases as much as one message may ask for at a time, where it is more and the service says that
   * it may fit. What was leased is given back if the rest is refused.
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
      releaseAfter(e, extents);
      throw e;
    }
  }

  private void releaseAfter(Throwable failure, List<Extent> extents) {
    try {
      if (!extents.isEmpty()) {
        release(extents);
      }
    } catch (IOException | RuntimeException e) { // the end of the connection gives it back
      failure.addSuppressed(e);
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
   * Opens a connection over which this task hears what it is to give back; the caller closes it.
   */
  public RevocationConnection listen() throws IOException {
    dependOnLease();
    return RevocationConnection.open(
        link, versions, applicationId, secret, info().generation(), timeoutMs);
  }

  private List<Extent> lease(int type, Frames.Payload payload) throws IOException {
    dependOnLease();
    return leased(exchange(type, payload));
  }

  private synchronized void dependOnLease() {
    leasing = true;
  }

  private List<Extent> leased(Answer answer) throws IOException {
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
    } catch (IOException | RuntimeException e) {
      Closer.all(files);
      session.stream().close(); // the service believes that they have come
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

  /** The service's descriptor of a segment; where it can pass none now, it is asked again. */
  private Descriptor askFor(SegmentInfo segment, boolean writable) throws IOException {
    return whileBusy(timeoutMs, () -> opened(segment, writable));
  }

  /** Asks again what the service has no room for now. */
  private <T> T whileBusy(long mostMs, Step<T> question) throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMs);
    while (true) {
      try {
        return question.run();
      } catch (RemoteError e) {
        boolean late = System.nanoTime() - deadlineNs > 0;
        if (e.code() != RemoteError.Code.BUSY || late || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(FIRST_PAUSE_MS));
    }
  }

  private Descriptor opened(SegmentInfo segment, boolean writable) throws IOException {
    Answer answer =
        exchange(
            SocketProtocol.OPEN,
            out -> {
              out.writeByte(writable ? 1 : 0);
              out.writeInt(segment.segmentId());
              out.writeInt(segment.incarnation());
            });
    int found = Bounded.readByteBelow(answer.in(), 2, "answers");
    if (answer.files().size() != found) {
      Closer.all(answer.files());
      throw new ProtocolException(
          "the service has passed " + answer.files().size() + " files, expected " + found);
    }
    if (found == 0) {
      throw new NoSuchFileException(
          segment + (writable ? " cannot be written by this task" : " is not there any more"));
    }
    return answer.files().get(0);
  }

  @Override
  public void write(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException {
    long atBytes = extent.offsetBytes() + offsetBytes;
    while (bytes.hasRemaining()) {
      int unitBytes = Math.min(bytes.remaining(), Device.UNIT_BYTES);
      send(new Sent(
              extent.segment().segmentId(), atBytes, bytes.slice(bytes.position(), unitBytes)))
          .await();
      bytes.position(bytes.position() + unitBytes);
      atBytes += unitBytes;
    }
  }

  @Override
  public PendingWrite beginWrite(Extent extent, long offsetBytes, ByteBuffer bytes)
      throws IOException {
    return send(
        new Sent(extent.segment().segmentId(), extent.offsetBytes() + offsetBytes, bytes.slice()));
  }

  /** Returns when the service may have it; the answer comes before any other is asked for. */
  private synchronized PendingWrite send(Sent unit) throws IOException {
    settle();
    inSession(
        () -> {
          session
              .frames()
              .send(SocketProtocol.WRITE, unit::writeTo, unit.unit.duplicate(), timeoutMs);
          return null;
        });
    sent = unit;
    return unit;
  }

  /** Takes the answer that is still to come. What has become of it is told who awaits that. */
  private void settle() {
    Sent unit = sent;
    if (unit == null) {
      return;
    }
    sent = null;
    try {
      inStep(() -> receive(session.frames()).withoutFiles());
      unit.arrived = true;
    } catch (RemoteError | StoreFullException | CorruptOutputException e) {
      unit.failure = e;
    } catch (IOException | RuntimeException e) {
      writeAgain(unit, e);
    }
  }

  private void writeAgain(Sent unit, Exception cause) {
    try {
      goOn(cause);
      inStep(
          () ->
              exchange(session.frames(), SocketProtocol.WRITE, unit::writeTo, unit.unit)
                  .withoutFiles());
      unit.arrived = true;
    } catch (IOException e) {
      unit.failure = e;
    } catch (RuntimeException e) {
      unit.failure = new IOException("a unit could not be written: " + e, e);
    }
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
    Answer answer =
        whileBusy(
            restartMs, // it has done all its work
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

  private synchronized Answer exchange(int type, Frames.Payload payload) throws IOException {
    settle();
    return inSession(() -> exchange(session.frames(), type, payload, NOTHING));
  }

  /** Something that is done with the service. */
  private interface Step<T> {
    T run() throws IOException;
  }

  /** Does it, with the service's successor if need be. */
  private <T> T inSession(Step<T> step) throws IOException {
    try {
      return inStep(step);
    } catch (RemoteError | StoreFullException | CorruptOutputException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      goOn(e);
    }
    return inStep(step);
  }

  /** Goes on with the service's successor, unless the cause is this side's. */
  private void goOn(Exception cause) throws IOException {
    if (closed || !reconnects || cause instanceof InterruptedIOException) {
      throw asThrown(cause);
    }
    if (!leasing) {
      releaseHolds(); // of a lease that nothing was written to
    }
    session = reopen(cause);
    if (closed) { // meanwhile, and perhaps without seeing this session
      session.stream().close();
      throw asThrown(cause);
    }
  }

  private static IOException asThrown(Exception cause) {
    if (cause instanceof RuntimeException e) {
      throw e;
    }
    return (IOException) cause;
  }

  /** Ends the session if the answer may still be on its way: the next request would take it. */
  private <T> T inStep(Step<T> step) throws IOException {
    boolean inStep = false;
    try {
      T done = step.run();
      inStep = true;
      return done;
    } catch (RemoteError | StoreFullException | CorruptOutputException e) {
      inStep = true; // that was the answer
      throw e;
    } finally {
      if (!inStep) {
        session.stream().close();
      }
    }
  }

  private Answer exchange(Frames frames, int type, Frames.Payload payload, ByteBuffer behind)
      throws IOException {
    frames.send(type, payload, behind.duplicate(), timeoutMs);
    return receive(frames);
  }

  private Answer receive(Frames frames) throws IOException {
    List<Descriptor> files = new ArrayList<>();
    boolean answered = false;
    try {
      Answer answer = new Answer(Replies.receive(frames, files, timeoutMs), files);
      answered = true;
      return answer;
    } catch (RemoteError e) {
      throw switch (e.code()) {
        case FULL -> new StoreFullException(e.getMessage());
        case CORRUPT_OUTPUT -> new CorruptOutputException(e.getMessage());
        default -> e;
      };
    } finally {
      if (!answered) {
        Closer.all(files);
      }
    }
  }

  /** Connects again, to the service's successor above all, for as long as a restart may take. */
  private Session reopen(Exception cause) throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(restartMs);
    long pauseMs = FIRST_PAUSE_MS;
    while (true) {
      try {
        Session next = open();
        checkSuccessor(next, cause);
        return next;
      } catch (IOException e) {
        boolean refused = e instanceof RemoteError error && error.code() != RemoteError.Code.BUSY;
        boolean late = System.nanoTime() - deadlineNs > 0;
        if (refused || late || closed || !reconnects || Thread.currentThread().isInterrupted()) {
          e.addSuppressed(cause);
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  private void checkSuccessor(Session next, Exception cause) throws IOException {
    String lost = null;
    if (leasing && next.serviceInstance() == session.serviceInstance()) {
      lost = "the connection to the node's service broke, which took the task's lease back";
    } else if (!next.info().poolId().equals(session.info().poolId())) {
      lost = "the node's service was restarted with an empty pool";
    }
    if (lost != null) {
      next.stream().close();
      RemoteError error =
          new RemoteError(
              RemoteError.Code.REFUSED, lost + "; what this task has written there is lost");
      error.initCause(cause);
      throw error;
    }
  }

  /**
   * For a task that has all it wanted: a connection that breaks from now on is not made again, but
   * fails what is asked for. Its end gives back what this task was about to.
   */
  public void stopReconnecting() {
    reconnects = false;
  }

  /** Ends the connection, and with it an exchange that another thread is waiting in. */
  @Override
  public void close() throws IOException {
    closed = true;
    Closer.all(session.stream(), this::releaseHolds, received);
  }
}
