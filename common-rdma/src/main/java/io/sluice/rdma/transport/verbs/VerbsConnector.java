package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.support.Deadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Connects over TCP, exchanges the addresses of the queue pairs, and connects them, all within one
 * deadline and on the caller's thread.
 *
 * <p>Thread contract: safe from any thread. Ownership: the endpoint; {@link #giveUp} ends attempts
 * under way. Failure: {@link ConnectFailedException}, with all closed that was opened.
 */
final class VerbsConnector {
  private final VerbsDevices devices;
  private final VerbsDomains domains;
  private final SocketLoop loop;
  private final Deadlines deadlines;
  private final Set<SocketChannel> connecting = ConcurrentHashMap.newKeySet();
  private volatile boolean givenUp;

  VerbsConnector(VerbsDevices devices, VerbsDomains domains, SocketLoop loop, Deadlines deadlines) {
    this.devices = devices;
    this.domains = domains;
    this.loop = loop;
    this.deadlines = deadlines;
  }

  /** Makes all attempts fail, now and later. */
  void giveUp() {
    givenUp = true;
    connecting.forEach(VerbsConnector::abort);
  }

  /** Closes a socket that is connecting, which ends every call on it. */
  private static void abort(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // Its calls fail all the same.
    }
  }

  VerbsLink connect(InetSocketAddress remote, Ticket ticket, long timeoutMs)
      throws ConnectFailedException {
    return new Attempt(remote, timeoutMs).run(ticket);
  }

  /** The server speaks another protocol, so a later attempt fails, too. */
  private static final class ProtocolMismatch extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolMismatch(String message) {
      super(message);
    }
  }

  /**
   * One attempt.
   *
   * <p>Thread contract: one thread uses it, once.
   */
  private final class Attempt {
    private final InetSocketAddress remote;
    private final long timeoutMs;
    private final AtomicBoolean settled = new AtomicBoolean(); // by success, or by the deadline
    private volatile boolean late;
    private SocketChannel channel;
    private VerbsReadQueue queue;
    private boolean connected;
    private boolean welcome;

    Attempt(InetSocketAddress remote, long timeoutMs) {
      this.remote = remote;
      this.timeoutMs = timeoutMs;
    }

    VerbsLink run(Ticket ticket) throws ConnectFailedException {
      long startNanos = System.nanoTime();
      try {
        channel = SocketChannel.open();
        connecting.add(channel);
        Deadlines.Deadline deadline =
            deadlines.after(
                timeoutMs,
                () -> {
                  if (late || settled.compareAndSet(false, true)) { // again, if memory was short
                    late = true;
                    abort(channel);
                  }
                });
        try {
          VerbsLink link = connect(ticket);
          if (!settled.compareAndSet(false, true)) {
            late = true;
            throw new IOException("the deadline is closing the socket");
          }
          return link;
        } finally {
          deadline.cancel();
        }
      } catch (IOException | RuntimeException e) {
        ConnectFailedException failure =
            new ConnectFailedException(
                "verbs: cannot connect to "
                    + remote
                    + " within "
                    + timeoutMs
                    + " ms (gave up after "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos)
                    + " ms): "
                    + cause(e)
                    + (welcome ? "" : "; is the Sluice service up there and the port open?"),
                e,
                connected && !welcome && !late && !(e instanceof ProtocolMismatch));
        abandon(failure);
        throw failure;
      } catch (Error e) { // mostly for want of memory
        abandon(e);
        throw e;
      } finally {
        if (channel != null) {
          connecting.remove(channel);
        }
      }
    }

    private String cause(Exception e) {
      return late
          ? "no answer in time"
          : givenUp ? "the client endpoint was closed" : ErrorText.of(e);
    }

    private VerbsLink connect(Ticket ticket) throws IOException {
      if (givenUp) {
        throw new IOException("the client endpoint is closed");
      }
      ControlSocket.configure(channel);
      channel.connect(remote);
      connected = true;
      shakeHands(ticket);
      welcome = true; // later failures have other causes
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      VerbsPort port = devices.portOf(local.getAddress());
      queue = VerbsReadQueue.create(port, domains.of(port.device()));
      int reads = port.device().limits().maxReadsIssued();
      ByteBuffer address = ByteBuffer.allocate(QueuePairAddress.BYTES);
      queue.pair().address(reads).encode(address);
      ControlSocket.send(channel, address);
      ByteBuffer answer = ControlSocket.receive(channel, ANSWER_BYTES, "its queue pair");
      check(answer.getInt());
      QueuePairAddress peer = QueuePairAddress.decode(answer);
      VerbsNetwork network = VerbsNetwork.decode(answer);
      queue.pair().connect(peer, network, VerbsQueuePair.NO_READS, Math.min(reads, peer.reads()));
      ControlSocket.send(channel, ByteBuffer.allocate(CONFIRM_BYTES).putInt(MAGIC));
      if (ControlSocket.receive(channel, CONFIRM_BYTES, "its confirmation").getInt() != MAGIC) {
        throw new ProtocolMismatch("the server's confirmation is none");
      }
      channel.configureBlocking(false);
      return new VerbsLink(channel, loop, remote, peer.device(), queue);
    }

    private void shakeHands(Ticket ticket) throws IOException {
      ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES);
      hello.putInt(MAGIC).putShort(VERSION).putShort(OLDEST);
      hello.putLong(ticket.high()).putLong(ticket.low());
      ControlSocket.send(channel, hello);
      ByteBuffer answer = ControlSocket.receive(channel, WELCOME_BYTES, "a welcome");
      int magic = answer.getInt(HELLO_MAGIC_OFFSET);
      short version = answer.getShort(HELLO_VERSION_OFFSET);
      short verdict = answer.getShort(HELLO_VERDICT_OFFSET);
      if (magic != MAGIC) {
        throw new ProtocolMismatch(
            String.format("not a Sluice server: magic 0x%08X, expected 0x%08X", magic, MAGIC));
      }
      if (version < OLDEST || version > VERSION || verdict == VERDICT_OTHER_VERSION) {
        throw new ProtocolMismatch(
            "server is of another release of Sluice: it speaks version "
                + version
                + " of the protocol, this client speaks "
                + VERSION);
      }
      if (verdict == VERDICT_FULL) {
        throw new IOException(
            "server has reached its limit on connections; try again later, or raise its"
                + " max-connections");
      }
      if (verdict == VERDICT_NOT_EXPECTED) {
        throw new IOException(
            "server does not expect this connection, or no longer does; request a new ticket");
      }
      if (verdict != VERDICT_WELCOME) {
        throw new ProtocolMismatch("server answered with unknown verdict " + verdict);
      }
    }

    private void check(int outcome) throws IOException {
      switch (outcome) {
        case OUTCOME_CONNECTED -> {}
        case OUTCOME_NO_PORT ->
            throw new IOException(
                "the server's address belongs to no active port of its RDMA devices");
        case OUTCOME_NO_PAIR ->
            throw new IOException(
                "the server's RDMA device made no queue pair for this connection; its log has the"
                    + " cause");
        case OUTCOME_OTHER_LINK ->
            throw new IOException(
                "the server's RDMA port does not speak "
                    + queue.pair().port().gid().kind()
                    + ", as this host's does");
        default -> throw new ProtocolMismatch("server answered with unknown outcome " + outcome);
      }
    }

    /** Closes what was opened, the queue pair first. */
    private void abandon(Throwable failure) {
      if (queue != null) {
        Closer.after(failure, queue::close);
      }
      Closer.after(failure, channel);
    }
  }
}
