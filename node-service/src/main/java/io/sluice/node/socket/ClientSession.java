package io.sluice.node.socket;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.UnixStream;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.rdma.unix.UnixSocket.PeerCredentials;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.TrustedPath;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.StoreFullException;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One connection of a task to a service, from its greeting on; the service's side is {@link
 * SocketSession}. {@link ClientConnection} opens the next one after it breaks.
 *
 * <p>Thread contract: one exchange at a time; {@link #close} from any thread ends it. Ownership:
 * its opener closes it, and takes {@link #lock} over. Failure: {@link StoreFullException}, {@link
 * CorruptOutputException} and {@link RemoteError} are answers of the service, after which the
 * session goes on. After any other {@link IOException} an answer may still come; the session is
 * then of no use.
 */
final class ClientSession implements Closeable {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final MessageStream stream;
  private final Frames frames;
  private final long timeoutMs;
  private LeaseInfo info; // as all below, fixed by the greeting
  private long serviceInstance;
  private PoolPaths places;
  private Closeable lock;

  /** How a task introduces itself. */
  record Hello(Versions versions, String applicationId, JobSecret secret, Borrower borrower) {}

  /** An answer, and the descriptors that came with it, which the caller owns. */
  record Answer(DataInputStream in, List<Descriptor> files) {
    /** An answer that carries none. */
    DataInputStream withoutFiles() throws IOException {
      if (!files.isEmpty()) {
        Closer.all(files);
        throw new ProtocolException("the service has passed files that were not asked for");
      }
      return in;
    }

    /** An answer that carries so many. */
    void requireFiles(int expected) throws ProtocolException {
      if (files.size() != expected) {
        throw new ProtocolException(
            "the service has passed " + files.size() + " files, expected " + expected);
      }
    }
  }

  private ClientSession(MessageStream stream, long timeoutMs) {
    this.stream = stream;
    this.frames = new Frames(stream);
    this.timeoutMs = timeoutMs;
  }

  static ClientSession open(ServiceLink link, Hello hello, long timeoutMs) throws IOException {
    return open(link.connect(timeoutMs), link, hello, timeoutMs);
  }

  /** The same over a connection to that service, which this closes if it fails. */
  static ClientSession open(MessageStream stream, ServiceLink link, Hello hello, long timeoutMs)
      throws IOException {
    try {
      ClientSession session = new ClientSession(stream, timeoutMs);
      session.greet(link, hello);
      return session;
    } catch (IOException | RuntimeException | Error e) { // of memory, say
      Closer.after(e, stream);
      throw e;
    }
  }

  private void greet(ServiceLink link, Hello hello) throws IOException {
    Answer answer =
        exchange(
            SocketProtocol.HELLO,
            out -> {
              hello.versions().write(out);
              Bounded.writeString(out, hello.applicationId());
              Bounded.writeBytes(out, hello.secret().bytes());
              SocketProtocol.writeAccess(out, link.access());
              SocketProtocol.writeBorrower(out, hello.borrower());
            });
    try {
      DataInputStream in = answer.in();
      hello.versions().readChosen(in, SocketProtocol.SERVICE, SocketProtocol.TASK);
      info = SocketProtocol.readInfo(in);
      serviceInstance = in.readLong();
      if (link.access() == SegmentAccess.NAMES) {
        places = SocketProtocol.readPaths(in, info.poolId());
        answer.withoutFiles();
        lock = LeaseLock.take(LeaseRecords.path(link.socket(), info)).orElse(null);
      } else {
        int records = Bounded.readByteBelow(in, 2, "records");
        answer.requireFiles(records);
        lock = records == 0 ? null : answer.files().get(0);
        places = PoolPaths.handedOver(info.poolId());
      }
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, answer.files());
      throw e;
    }
  }

  /** The lease of this session. */
  LeaseInfo info() {
    return info;
  }

  /** Differs for each start of the service. */
  long serviceInstance() {
    return serviceInstance;
  }

  /** Where the segments of the service's pool lie. */
  PoolPaths places() {
    return places;
  }

  /** Says that the task lives until it closes this, whatever becomes of the service; or null. */
  Closeable lock() {
    return lock;
  }

  Answer exchange(int type, Frames.Payload payload) throws IOException {
    return exchange(type, payload, NOTHING);
  }

  /** Sends a request with bytes behind it, and receives the answer. */
  Answer exchange(int type, Frames.Payload payload, ByteBuffer behind) throws IOException {
    send(type, payload, behind);
    return receive();
  }

  /** Returns when the service may have the request; its answer is to be received. */
  void send(int type, Frames.Payload payload, ByteBuffer behind) throws IOException {
    frames.send(type, payload, behind.duplicate(), timeoutMs);
  }

  Answer receive() throws IOException {
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

  @Override
  public void close() throws IOException {
    stream.close();
  }

  /**
   * The socket of a task's service, and the user that the service must run as.
   *
   * <p>Thread contract: immutable. Failure: {@link IOException}, before anything is sent, if nobody
   * listens there, or a process of another user.
   *
   * @param access how this process gets at segments of that service
   */
  record ServiceLink(Path socket, Owner service, SegmentAccess access) {
    static ServiceLink to(Path socket, Owner service) throws IOException {
      boolean own = service.equals(Owner.ofThisProcess());
      return new ServiceLink(
          socket, service, own ? SegmentAccess.NAMES : SegmentAccess.DESCRIPTORS);
    }

    /** Connects; the caller closes what it gets. */
    MessageStream connect(long timeoutMs) throws IOException {
      TrustedPath.requireOf(service.uid(), socket.toAbsolutePath().getParent());
      MessageStream stream =
          access == SegmentAccess.DESCRIPTORS
              ? UnixStream.connect(socket, UnixSocket.Interrupts.END_IT, timeoutMs)
              : DeadlineChannel.connect(UnixDomainSocketAddress.of(socket), timeoutMs);
      try {
        check(stream);
        return stream;
      } catch (IOException | RuntimeException | Error e) {
        Closer.after(e, stream);
        throw e;
      }
    }

    private void check(MessageStream stream) throws IOException {
      Optional<PeerCredentials> peer = stream.credentials();
      String user = stream.peerUser();
      boolean expected =
          user.equals(Owner.nameOfThisProcess())
              || peer.isPresent() && new Owner(peer.get().uid()).equals(service);
      if (!expected) {
        throw new IOException(
            "at %s listens a process of user %s, expected one of user id %s"
                .formatted(socket, user, service));
      }
    }
  }
}
