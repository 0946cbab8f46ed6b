package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Ticket;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A client that keeps to the protocol until it is connected, and then posts what it likes: any
 * operation, address, key and length.
 *
 * <p>Thread contract: one thread. Ownership: the test closes it.
 */
final class RawVerbsClient implements AutoCloseable {
  static final int WRITE = 0;
  static final int READ = VerbsLayout.WR_RDMA_READ;
  static final int COMPARE_AND_SWAP = 5;
  static final int FETCH_AND_ADD = 6;

  static final int LANDING_BYTES = 64 << 10;
  private static final int LIMIT_MS = 60_000;
  private static final int ATOMIC_BYTES = 8;
  private static final int WR_ATOMIC_COMPARE_ADD = 48;
  private static final int WR_ATOMIC_SWAP = 56;
  static final int WR_ATOMIC_RKEY = 64;

  private final Deque<Closeable> opened = new ArrayDeque<>(); // the last one first
  private final ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES);
  private final ByteBuffer ownAddress = ByteBuffer.allocate(QueuePairAddress.BYTES);
  private final Verbs verbs;
  private ByteBuffer landing;
  private ByteBuffer request;
  private VerbsReadQueue queue;
  private VerbsRegion region;
  private int remoteDevice;

  /** Connects to a server on an address of this host, which expects the ticket. */
  RawVerbsClient(Verbs verbs, Path sysClass, InetSocketAddress server, Ticket ticket)
      throws IOException {
    this.verbs = verbs;
    try {
      open(sysClass, server, ticket);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, opened);
      throw e;
    }
  }

  private void open(Path sysClass, InetSocketAddress server, Ticket ticket) throws IOException {
    landing = allocate(LANDING_BYTES);
    request = allocate(VerbsLayout.REQUEST_BYTES);
    VerbsDevices devices = VerbsDevices.openAll(verbs, sysClass);
    opened.push(devices::close);
    VerbsDomains domains = VerbsDomains.allocate(devices);
    opened.push(domains::close);
    region = VerbsRegion.register(domains, landing, LANDING_BYTES, VerbsLayout.ACCESS_LOCAL_WRITE);
    opened.push(region::deregister);
    SocketChannel socket = SocketChannel.open(server);
    opened.push(socket);
    hello.put(hello(ticket).flip());
    ControlSocket.send(socket, hello.duplicate());
    ByteBuffer welcome = ControlSocket.receive(socket, WELCOME_BYTES, "a welcome");
    assertEquals(VERDICT_WELCOME, welcome.getShort(HELLO_VERDICT_OFFSET));
    VerbsPort port = devices.portOf(((InetSocketAddress) socket.getLocalAddress()).getAddress());
    queue = VerbsReadQueue.create(port, domains.of(port.device()));
    opened.push(queue::close);
    int reads = port.device().limits().maxReadsIssued();
    queue.pair().address(reads).encode(ownAddress);
    ControlSocket.send(socket, ownAddress.duplicate());
    ByteBuffer answer = ControlSocket.receive(socket, ANSWER_BYTES, "its queue pair");
    assertEquals(OUTCOME_CONNECTED, answer.getInt());
    QueuePairAddress peer = QueuePairAddress.decode(answer);
    remoteDevice = peer.device();
    VerbsNetwork network = VerbsNetwork.decode(answer);
    queue.pair().connect(peer, network, VerbsQueuePair.NO_READS, Math.min(reads, peer.reads()));
    ControlSocket.send(socket, ByteBuffer.allocate(CONFIRM_BYTES).putInt(MAGIC));
    ControlSocket.receive(socket, CONFIRM_BYTES, "its confirmation");
  }

  /** A client's first message, to be sent. */
  static ByteBuffer hello(Ticket ticket) {
    return ByteBuffer.allocate(HELLO_BYTES)
        .putInt(MAGIC)
        .putShort(VERSION)
        .putShort(OLDEST)
        .putLong(ticket.high())
        .putLong(ticket.low());
  }

  private ByteBuffer allocate(int lengthBytes) {
    ByteBuffer memory = OffHeap.allocate(lengthBytes);
    opened.push(() -> OffHeap.free(memory));
    return memory.duplicate().order(ByteOrder.nativeOrder());
  }

  /** What it has said to the server: the hello with its ticket, and its queue pair's address. */
  ByteBuffer said() {
    return ByteBuffer.allocate(HELLO_BYTES + QueuePairAddress.BYTES)
        .put(hello.duplicate().flip())
        .put(ownAddress.duplicate().flip());
  }

  /** Which of the server's devices it is connected to. */
  int remoteDevice() {
    return remoteDevice;
  }

  /** Where the bytes of a read go, and those of a write come from. */
  ByteBuffer landing() {
    return landing;
  }

  /**
   * Posts an operation, and waits for its completion, which is the NIC's verdict.
   *
   * @return its status, {@code enum ibv_wc_status}
   */
  int post(int operation, long remoteAddress, int remoteKey, int lengthBytes) throws IOException {
    boolean isAtomic = operation == COMPARE_AND_SWAP || operation == FETCH_AND_ADD;
    ReadPart part =
        new ReadPart(
            null,
            null,
            region.address(),
            region.localKey(queue.pair().port().device()),
            remoteAddress,
            remoteKey,
            isAtomic ? ATOMIC_BYTES : lengthBytes);
    long address = LibVerbs.address(request);
    VerbsLayout.read(request, address, 0, true, 0, part);
    request.putInt(VerbsLayout.WR_OPCODE, operation);
    if (isAtomic) {
      request.putLong(WR_ATOMIC_COMPARE_ADD, 1).putLong(WR_ATOMIC_SWAP, 2);
      request.putInt(WR_ATOMIC_RKEY, remoteKey);
    }
    verbs.post(queue.pair().handle(), address);
    while (!queue.poll()) {
      if (Thread.interrupted()) {
        throw new AssertionError("the test's time is over, and nothing has completed");
      }
      queue.await(LIMIT_MS);
      queue.requestEvent(); // and polls again
    }
    return queue.status(0);
  }

  @Override
  public void close() throws IOException {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
