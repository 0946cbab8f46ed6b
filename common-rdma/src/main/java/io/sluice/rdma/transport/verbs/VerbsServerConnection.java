package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;

import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.rdma.transport.support.LogLimit;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's end of one connection: sets it up, message by message, and holds its queue pair. The
 * server posts nothing on it; the NIC answers the client's reads.
 *
 * <p>Its ticket leads it to the endpoint that expects it, and its queue pair is made in that
 * endpoint's domain.
 *
 * <p>Thread contract: the listener's {@link SocketLoop} calls it; {@link #shutdown}, {@link #lost}
 * and {@link #destroyPair} may be called from any thread. Ownership: it destroys its queue pair,
 * then closes its socket, when it ends. Failure: any failure ends this connection and no other; the
 * client sees the end of its socket.
 */
final class VerbsServerConnection implements SocketLoop.Member, VerbsDevice.User {
  private static final Logger LOG = LoggerFactory.getLogger(VerbsServerConnection.class);

  /** Of the clients that get no queue pair, by the outcome and the address where they came in. */
  private static final LogLimit LIMIT = new LogLimit();

  private enum Step {
    HELLO(HELLO_BYTES),
    ADDRESS(QueuePairAddress.BYTES),
    CONFIRM(CONFIRM_BYTES),
    ESTABLISHED(1);

    private final int bytes;

    Step(int bytes) {
      this.bytes = bytes;
    }
  }

  private final VerbsListener listener;
  private final SocketChannel channel;
  private final SocketAddress client;
  private Step step = Step.HELLO;
  private ByteBuffer message = ByteBuffer.allocate(Step.HELLO.bytes);
  private VerbsServerEndpoint endpoint; // null before it has shown its ticket
  private Admission.Place place;
  private Deadlines.Deadline deadline;
  private volatile VerbsQueuePair pair; // null before there is one

  /** Takes over the channel; if that fails, the caller still owns it. */
  VerbsServerConnection(VerbsListener listener, SocketChannel channel) {
    this.listener = listener;
    this.channel = channel;
    this.client = channel.socket().getRemoteSocketAddress();
  }

  @Override
  public void ready() throws IOException {
    while (true) {
      int readBytes = channel.read(message);
      if (readBytes < 0) {
        throw new EOFException("the client closed the connection");
      }
      if (readBytes == 0) {
        return;
      }
      if (!message.hasRemaining()) {
        Step next = take(message.flip());
        step = next;
        message = ByteBuffer.allocate(next.bytes);
      }
    }
  }

  private Step take(ByteBuffer received) throws IOException {
    switch (step) {
      case HELLO:
        welcome(received);
        return Step.ADDRESS;
      case ADDRESS:
        connect(received);
        return Step.CONFIRM;
      case CONFIRM:
        establish(received);
        return Step.ESTABLISHED;
      default:
        throw malformed("a byte after the connection was established");
    }
  }

  private void welcome(ByteBuffer hello) throws IOException {
    if (hello.getInt(HELLO_MAGIC_OFFSET) != MAGIC) {
      throw malformed("a hello that starts with " + hello.getInt(HELLO_MAGIC_OFFSET));
    }
    short verdict = verdict(hello);
    short version =
        verdict == VERDICT_OTHER_VERSION
            ? VERSION
            : (short) Math.min(VERSION, hello.getShort(HELLO_VERSION_OFFSET));
    send(ByteBuffer.allocate(WELCOME_BYTES).putInt(MAGIC).putShort(version).putShort(verdict));
    if (verdict != VERDICT_WELCOME) {
      throw new IOException("the client was refused, verdict " + verdict);
    }
    deadline =
        listener
            .deadlines()
            .after(endpoint.admission().limits().authenticationTimeoutMs(), this::shutdown);
  }

  private short verdict(ByteBuffer hello) throws IOException {
    if (hello.getShort(HELLO_VERSION_OFFSET) < OLDEST
        || hello.getShort(HELLO_OLDEST_OFFSET) > VERSION) {
      return VERDICT_OTHER_VERSION;
    }
    long high = hello.getLong(HELLO_TICKET_OFFSET);
    long low = hello.getLong(HELLO_TICKET_OFFSET + Long.BYTES);
    Ticket ticket = new Ticket(high, low);
    endpoint = listener.expecting(ticket).orElse(null);
    if (endpoint == null) {
      return VERDICT_NOT_EXPECTED;
    }
    place = endpoint.admission().enter(ticket).orElse(null);
    if (place == null) {
      return endpoint.admission().isOpen() ? VERDICT_FULL : VERDICT_NOT_EXPECTED;
    }
    if (!endpoint.connections().add(this)) {
      return VERDICT_NOT_EXPECTED; // it was closed in this moment
    }
    if (!listener.unauthenticated().leave(channel)) {
      throw new IOException("the hello came too late");
    }
    return VERDICT_WELCOME;
  }

  private void connect(ByteBuffer received) throws IOException {
    QueuePairAddress remote;
    try {
      remote = QueuePairAddress.decode(received);
    } catch (IOException e) {
      throw malformed(ErrorText.of(e));
    }
    VerbsPort port;
    try {
      port = listener.queues().portOf(((InetSocketAddress) channel.getLocalAddress()).getAddress());
    } catch (IOException e) {
      throw unable(OUTCOME_NO_PORT, e);
    }
    if (remote.link() != port.gid().kind()) {
      throw unable(
          OUTCOME_OTHER_LINK,
          new IOException("the client's port speaks " + remote.link() + ", but this is " + port));
    }
    int reads = Math.min(remote.reads(), port.device().limits().maxReadsServed());
    try {
      pair = listener.queues().createPair(port, endpoint.domains());
      port.device().add(this);
      pair.connect(remote, listener.network(), reads, VerbsQueuePair.NO_READS);
    } catch (IOException e) {
      throw unable(OUTCOME_NO_PAIR, e);
    }
    answer(OUTCOME_CONNECTED, pair.address(reads));
  }

  /** Tells an admitted client that it gets no queue pair. */
  private IOException unable(int outcome, IOException cause) throws IOException {
    LIMIT
        .mayLog(List.of(outcome, ((InetSocketAddress) channel.getLocalAddress()).getAddress()))
        .ifPresent(
            leftOut ->
                LOG.warn(
                    "verbs: no queue pair for {} ({} more such clients since the last such line): {}",
                    client,
                    leftOut,
                    ErrorText.of(cause)));
    answer(outcome, null);
    return cause;
  }

  private void answer(int outcome, QueuePairAddress address) throws IOException {
    ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES).putInt(outcome);
    if (address != null) {
      address.encode(answer);
      listener.network().encode(answer);
    }
    send(answer.position(ANSWER_BYTES));
  }

  private void establish(ByteBuffer confirm) throws IOException {
    if (confirm.getInt() != MAGIC) {
      throw malformed("a confirmation that is none");
    }
    deadline.cancel();
    send(ByteBuffer.allocate(CONFIRM_BYTES).putInt(MAGIC));
    endpoint.meter().connectionOpened();
  }

  /** Sends a message, which always fits into the buffer of a socket that few bytes went to. */
  private void send(ByteBuffer message) throws IOException {
    message.flip();
    channel.write(message);
    if (message.hasRemaining()) {
      throw new IOException("the client does not take the answers");
    }
  }

  private IOException malformed(String what) {
    if (endpoint == null) {
      listener.dropped();
    } else {
      endpoint.admission().dropped();
    }
    return new IOException("the client sent " + what);
  }

  @Override
  public long pair() {
    VerbsQueuePair existing = pair;
    return existing == null ? 0 : existing.handle();
  }

  @Override
  public int port() {
    VerbsQueuePair existing = pair;
    return existing == null ? 0 : existing.port().number();
  }

  @Override
  public void lost(String reason) {
    LOG.debug("verbs: connection from {} ends: {}", client, reason);
    shutdown();
  }

  /** Makes the loop end it. */
  void shutdown() {
    ControlSocket.shutdown(channel);
  }

  /** Destroys only the queue pair, without telling the client; its reads are lost from then on. */
  void destroyPair() throws IOException {
    VerbsQueuePair existing = pair;
    if (existing != null) {
      existing.destroy();
    }
  }

  @Override
  public void end(Throwable cause) {
    if (cause instanceof IOException) {
      SafeLog.debug(LOG, "verbs: connection from {} ended", client, cause);
    } else if (cause != null) {
      SafeLog.error(LOG, "verbs: connection from {} ended in an error", client, cause);
    }
    try { // each step by itself, and without memory of the heap: there may be none
      endPair();
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.warn(LOG, "verbs: the queue pair for {} was not destroyed", client, e);
    }
    try {
      channel.close();
    } catch (IOException | RuntimeException | Error e) {
      SafeLog.warn(LOG, "verbs: the socket of {} was not closed cleanly", client, e);
    }
    try {
      leave();
    } finally {
      if (endpoint != null) {
        endpoint.connections().remove(this); // last: its endpoint waits for that
      }
    }
  }

  private void leave() {
    try {
      if (place != null) {
        place.leave();
      }
      if (step == Step.ESTABLISHED) {
        endpoint.meter().connectionClosed();
      }
    } finally {
      listener.unauthenticated().leave(channel);
      if (deadline != null) {
        deadline.cancel();
      }
    }
  }

  private void endPair() throws IOException {
    VerbsQueuePair existing = pair;
    if (existing != null) {
      existing.port().device().remove(this);
      existing.destroy();
    }
  }
}
