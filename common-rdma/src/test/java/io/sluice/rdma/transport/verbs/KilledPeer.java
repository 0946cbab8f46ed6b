package io.sluice.rdma.transport.verbs;

import static io.sluice.rdma.transport.verbs.VerbsProtocol.*;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.ForkedJvm;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process that goes as far as one step of a connection, says so, and waits to be killed. It is
 * the reader or the server. From the first queue pair on it runs the provider, which it holds up in
 * a call of libibverbs.
 */
final class KilledPeer {
  /** How far a reader goes. */
  enum ReaderStep {
    SOCKET,
    HALF_A_HELLO,
    /** It is admitted, and has no native object of the connection. */
    WELCOME("createChannel", 1),
    /** It has a queue pair, of which the server knows nothing. */
    QUEUE_PAIR("createPair", 1),
    /** The server's queue pair is connected, its own is not. */
    ANSWER("modify", 1),
    /** Both queue pairs are connected, and the server waits for its word. */
    CONNECTED("modify", 3),
    ONE_READ,
    MANY_READS;

    private final String call;
    private final int count;

    ReaderStep() {
      this("", 0);
    }

    /** Stops at the call, whose effect the kernel has seen. */
    ReaderStep(String call, int count) {
      this.call = call;
      this.count = count;
    }

    boolean isAdmitted() {
      return compareTo(WELCOME) >= 0;
    }

    boolean isEstablished() {
      return compareTo(ONE_READ) >= 0;
    }
  }

  /** How far a server goes. */
  enum ServerStep {
    ACCEPT,
    HELLO,
    WELCOME,
    /** It knows the reader's queue pair, and has one that is not connected. */
    QUEUE_PAIR("createPair", 1),
    /** Its queue pair is connected, and the reader waits for its address. */
    CONNECTED("modify", 3),
    /** Clients may read. */
    READS;

    private final String call;
    private final int count;

    ServerStep() {
      this("", 0);
    }

    ServerStep(String call, int count) {
      this.call = call;
      this.count = count;
    }
  }

  static final int REGION_BYTES = 1 << 20;
  static final int MANY = 128;
  private static final long LONG_MS = 120_000;
  private static final Path SYS_CLASS = Path.of("/sys/class");

  private final Verbs library = new LibVerbs();
  private final Verbs verbs =
      (Verbs)
          Proxy.newProxyInstance(
              Verbs.class.getClassLoader(),
              new Class<?>[] {Verbs.class},
              (proxy, method, arguments) -> {
                try {
                  Object result = method.invoke(library, arguments);
                  called(method.getName());
                  return result;
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
  private volatile String stopCall = "";
  private volatile int stopCount;

  private KilledPeer() {}

  /** Starts a reader, which connects to the server and reads the region. */
  static ForkedJvm startReader(
      Path log, ReaderStep step, InetSocketAddress server, Ticket ticket, RegionDescriptor region) {
    return new ForkedJvm(
        List.of(),
        log,
        KilledPeer.class,
        step.name(),
        server.getAddress().getHostAddress(),
        Integer.toString(server.getPort()),
        Long.toString(ticket.high()),
        Long.toString(ticket.low()),
        HexFormat.of().formatHex(region.encode()));
  }

  /** Starts a server at an address of this host, which says its port. */
  static ForkedJvm startServer(Path log, ServerStep step, String address) {
    return new ForkedJvm(List.of(), log, KilledPeer.class, step.name(), address);
  }

  /** That process. */
  public static void main(String[] args) throws Exception {
    KilledPeer peer = new KilledPeer();
    if (args.length == 2) {
      peer.serve(ServerStep.valueOf(args[0]), new InetSocketAddress(args[1], 0));
    } else {
      peer.read(
          ReaderStep.valueOf(args[0]),
          new InetSocketAddress(args[1], Integer.parseInt(args[2])),
          new Ticket(Long.parseLong(args[3]), Long.parseLong(args[4])),
          RegionDescriptor.decode(ByteBuffer.wrap(HexFormat.of().parseHex(args[5]))));
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }

  /**
   * Says that the step is reached, and waits for the kill, or for the end of the test's process.
   */
  private static void stop() {
    say("reached");
    try {
      while (System.in.read() >= 0) {
        // Nobody talks to it.
      }
    } catch (IOException e) {
      // As its end.
    }
    Runtime.getRuntime().halt(1);
  }

  private void stopAt(String call, int count) {
    stopCount = count;
    stopCall = call;
  }

  private void called(String call) {
    if (call.equals(stopCall) && --stopCount == 0) {
      stop();
    }
  }

  private void read(
      ReaderStep step, InetSocketAddress server, Ticket ticket, RegionDescriptor region)
      throws Exception {
    if (step.compareTo(ReaderStep.WELCOME) < 0) {
      try (SocketChannel socket = SocketChannel.open(server)) {
        if (step == ReaderStep.HALF_A_HELLO) {
          ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES).putInt(MAGIC).putShort(VERSION);
          ControlSocket.send(socket, hello);
        }
        stop();
      }
    }
    ClientEndpoint client = VerbsClientEndpoint.open(verbs, SYS_CLASS);
    RegisteredBuffer landing = client.register(OffHeap.allocate(REGION_BYTES));
    stopAt(step.call, step.count);
    Connection connection = client.connect(server, ticket, LONG_MS);
    readAll(connection, region, landing, step == ReaderStep.ONE_READ ? 1 : MANY);
    stop();
  }

  /** Returns when the first of the reads has arrived. */
  private static void readAll(
      Connection connection, RegionDescriptor region, RegisteredBuffer landing, int reads)
      throws Exception {
    Queue<CompletableFuture<Void>> outstanding = new ArrayDeque<>();
    for (int i = 0; i < reads; i++) {
      outstanding.add(connection.read(region, 0, landing, 0, REGION_BYTES, LONG_MS));
    }
    outstanding.remove().get(LONG_MS, TimeUnit.MILLISECONDS);
  }

  private void serve(ServerStep step, InetSocketAddress bindAddress) throws Exception {
    if (step.compareTo(ServerStep.QUEUE_PAIR) < 0) {
      serveByHand(step, bindAddress);
    }
    ServerEndpoint server =
        VerbsServerEndpoint.open(
            verbs,
            SYS_CLASS,
            bindAddress,
            List.of(),
            Admission.open(ConnectionLimits.DEFAULT),
            VerbsNetwork.DEFAULT);
    stopAt(step.call, step.count);
    say("port " + server.address().getPort());
    Await.until("a reader is connected", () -> server.counters().openConnections() > 0);
    // The kernel takes the newest object of a dead process first: here, memory before queue pairs.
    RegionDescriptor region =
        server.register(MemoryRegion.ofMapping(OffHeap.allocate(REGION_BYTES)));
    say("region " + HexFormat.of().formatHex(region.encode()));
    stop();
  }

  /** Without RDMA. */
  private static void serveByHand(ServerStep step, InetSocketAddress bindAddress)
      throws IOException {
    try (ServerSocketChannel listening = ServerSocketChannel.open().bind(bindAddress)) {
      say("port " + listening.socket().getLocalPort());
      try (SocketChannel client = listening.accept()) {
        if (step != ServerStep.ACCEPT) {
          ControlSocket.receive(client, HELLO_BYTES, "a hello");
        }
        if (step == ServerStep.WELCOME) {
          ControlSocket.send(
              client,
              ByteBuffer.allocate(WELCOME_BYTES)
                  .putInt(MAGIC)
                  .putShort(VERSION)
                  .putShort(VERDICT_WELCOME));
        }
        stop();
      }
    }
  }
}
