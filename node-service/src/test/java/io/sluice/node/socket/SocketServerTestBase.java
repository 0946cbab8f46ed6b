package io.sluice.node.socket;

import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.memory.MemoryManager;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.testing.TestPool;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real store behind a real socket; a test that leaks a thread or a mapping fails. */
@Timeout(300)
abstract class SocketServerTestBase {
  static final long TIMEOUT_MS = 120_000;
  static final int SEGMENTS = 4;
  static final String APP = "application_1_0001";
  static final JobSecret SECRET = new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));

  @TempDir Path directory;
  private LeakCheck leaks;
  SpillStore store;
  LeaseRecords records;
  MemoryManager memory;
  HeapBudget heap = new HeapBudget("tasks", 1 << 30, false, TIMEOUT_MS);
  SocketServer server;
  final Refusals refusals = new Refusals();

  @BeforeEach
  void start() throws IOException {
    leaks = new LeakCheck();
    openStore(pool());
    records = LeaseRecords.open(socket(), false);
    server = startServer();
  }

  @AfterEach
  void stop() throws Exception {
    memory.close();
    server.close();
    store.close();
    leaks.check();
  }

  /** With a ledger of its own. */
  final void openStore(StoreConfig.Builder config) throws IOException {
    memory = new MemoryManager(terms(), (long) SEGMENTS * TestPool.SEGMENT_BYTES);
    memory.lendToSort();
    store = SpillStore.open(config.memoryKeeper(memory).build());
  }

  StoreConfig.Builder pool() {
    return TestPool.memory(directory, SEGMENTS);
  }

  /** What tasks can count on. */
  GrantTerms terms() {
    return GrantTerms.DEFAULT;
  }

  /** How tasks get at segments. */
  SegmentAccess access() {
    return SegmentAccess.NAMES;
  }

  SocketServer startServer() throws IOException {
    return SocketServer.start(versions(), backend(this::admit), socket(), ConnectionLimits.DEFAULT);
  }

  /** With these applications. */
  final SocketServer.Backend backend(ServedApplications applications) {
    return new SocketServer.Backend(
        store, records, memory, heap, applications, servedUsers(), refusals);
  }

  /** What the service speaks. */
  Versions versions() {
    return SocketProtocol.VERSIONS;
  }

  final ServedUsers servedUsers() {
    return access() == SegmentAccess.DESCRIPTORS ? ServedUsers.ALL : ServedUsers.OWN;
  }

  /** Takes every task and every secret. */
  void admit(String applicationId, Owner task, JobSecret secret) {}

  Path socket() {
    return directory.resolve("control.sock");
  }

  SocketClient connect(String applicationId) throws IOException {
    Owner service = SeenFromElsewhere.owner(access());
    return SocketClient.connect(socket(), service, applicationId, SECRET, TIMEOUT_MS);
  }

  /** Says hello by hand; the answer is still to come. */
  static void sayHello(Frames frames, SegmentAccess access) throws IOException {
    frames.send(
        SocketProtocol.HELLO,
        out -> {
          SocketProtocol.VERSIONS.write(out);
          Bounded.writeString(out, APP);
          Bounded.writeBytes(out, SECRET.bytes());
          SocketProtocol.writeAccess(out, access);
          SocketProtocol.writeBorrower(out, Borrower.PROCESS);
        },
        TIMEOUT_MS);
  }

  /** An answer; open files that come with it are closed. */
  static DataInputStream receive(Frames frames) throws IOException {
    List<Descriptor> files = new ArrayList<>();
    try {
      return Replies.receive(frames, files, TIMEOUT_MS);
    } finally {
      Closer.all(files);
    }
  }

  long leasedBytes() {
    return store.stats().memory().leasedBytes();
  }

  void awaitNothingLeased() {
    Await.until("everything leased came back", () -> leasedBytes() == 0);
  }
}
