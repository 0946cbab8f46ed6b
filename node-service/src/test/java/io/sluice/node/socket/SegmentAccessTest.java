package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.UnixStream;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.store.OpenFiles;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a task is handed that cannot open the pool's files. */
class SegmentAccessTest extends SocketServerTestBase {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }

  @Test
  void aTaskWritesAndReadsWithoutAName() throws IOException {
    try (SocketClient task = connect(APP);
        SocketClient reader = connect(APP)) {
      Extent extent = task.leaseContiguous(4096);
      SegmentInfo segment = extent.segment();
      assertFalse(Files.exists(segment.path()), segment.path() + " names nothing here");
      try (SegmentFile file = task.opener().open(segment, true);
          Mapping mapping = file.map(FileChannel.MapMode.READ_WRITE, extent.offsetBytes(), 4096)) {
        mapping.buffer().putLong(0, 0x1122334455667788L);
      }
      try (SegmentFile file = reader.opener().open(segment, false);
          Mapping mapping = file.map(FileChannel.MapMode.READ_ONLY, extent.offsetBytes(), 4096)) {
        assertEquals(0x1122334455667788L, mapping.buffer().getLong(0));
      }
      assertThrows(IOException.class, () -> reader.opener().open(segment, true).close());
      task.release(List.of(extent));
    }
  }

  /** As an executor does, whose tasks share a client, and are interrupted when they are killed. */
  @Test
  void aClientWithoutALeaseOpensSegmentsAfterAnInterrupt() throws IOException {
    try (SocketClient task = connect(APP);
        SocketClient shared = connect(APP)) {
      List<Extent> extents = task.lease(SEGMENTS << 20);
      for (Extent extent : extents) {
        Thread.currentThread().interrupt();
        try {
          assertThrows(
              InterruptedIOException.class,
              () -> shared.opener().open(extent.segment(), false).close());
        } finally {
          assertTrue(Thread.interrupted());
        }
        shared.opener().open(extent.segment(), false).close();
      }
      Path records = LeaseRecords.path(socket(), shared.info()).getParent();
      Await.until("each side has a record of both leases", () -> openBelow(records) == 4);
      task.release(extents);
    }
  }

  /** Its service has taken back what it held, and may have lent it to somebody else. */
  @Test
  void aClientWithALeaseDoesNotOutliveAnInterrupt() throws IOException {
    try (SocketClient task = connect(APP)) {
      Extent extent = task.leaseContiguous(4096);
      Thread.currentThread().interrupt();
      try {
        assertThrows(InterruptedIOException.class, () -> task.release(List.of(extent)));
      } finally {
        assertTrue(Thread.interrupted());
      }
      awaitNothingLeased();
      RemoteError lost = assertThrows(RemoteError.class, () -> task.leaseContiguous(4096));
      assertTrue(lost.getMessage().contains("took the task's lease back"), lost.getMessage());
    }
  }

  @Test
  void whatIsNotThereIsNotFound() throws IOException {
    try (SocketClient task = connect(APP)) {
      SegmentInfo segment = task.leaseContiguous(4096).segment();
      SegmentInfo next =
          new SegmentInfo(
              segment.segmentId(),
              segment.incarnation() + 1,
              segment.tier(),
              segment.path(),
              0,
              segment.lengthBytes(),
              segment.mapUnitBytes());
      assertThrows(NoSuchFileException.class, () -> task.opener().open(next, false));
      SegmentInfo none = new SegmentInfo(99, segment.tier(), segment.path(), segment.lengthBytes());
      assertThrows(NoSuchFileException.class, () -> task.opener().open(none, false));
      assertThrows(NoSuchFileException.class, () -> task.opener().open(none, true));
      task.opener().open(segment, true).close();
    }
  }

  @Test
  void nothingStaysOpenOnEitherSide() throws IOException {
    int before = 0;
    for (int i = 0; i < 20; i++) {
      try (SocketClient task = connect(APP)) {
        List<Extent> extents = task.lease(SEGMENTS << 20);
        for (Extent extent : extents) {
          task.opener().open(extent.segment(), true).close();
        }
      }
      Await.until("it is gone", () -> server.counters().open() == 0);
      if (i == 0) {
        before = openBelow(directory); // the store's own
      }
    }
    int expected = before;
    Await.until("all is closed", () -> openBelow(directory) == expected);
  }

  private static int openBelow(Path directory) {
    try {
      return OpenFiles.below(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A conversation by hand: the task's record, a file for each segment, each once. */
  @Test
  void aSegmentComesWithTheFirstLeaseInIt() throws IOException {
    List<Descriptor> received = new ArrayList<>();
    try (UnixStream stream =
        UnixStream.connect(socket(), UnixSocket.Interrupts.END_IT, TIMEOUT_MS)) {
      Frames frames = new Frames(stream);
      sayHello(frames, SegmentAccess.DESCRIPTORS);
      Replies.receive(frames, received, TIMEOUT_MS);
      assertEquals(1, received.size());
      try (NativeFile record = NativeFile.of(received.get(0), socket(), 4096, true)) {
        ByteBuffer text = ByteBuffer.allocate(8);
        assertEquals(8, record.read(0, text));
        assertThrows(IOException.class, () -> record.map(0, 8), "for writing");
      }
      assertEquals(SEGMENTS, filesOf(frames, (long) SEGMENTS << 20, received));
      assertEquals(1 + SEGMENTS, received.size());
      frames.send(SocketProtocol.RELEASE, out -> out.writeInt(0), TIMEOUT_MS);
      Replies.receive(frames, TIMEOUT_MS);
    } finally {
      Closer.all(received);
    }
  }

  /** The kernel lets a process have so many files on their way that it keeps all others out. */
  @Test
  void aTaskThatAsksOnBeforeItHasReceivedLosesItsConnection() throws IOException {
    List<Descriptor> received = new ArrayList<>();
    try (UnixStream stream =
        UnixStream.connect(socket(), UnixSocket.Interrupts.END_IT, TIMEOUT_MS)) {
      Frames frames = new Frames(stream);
      sayHello(frames, SegmentAccess.DESCRIPTORS);
      Replies.receive(frames, received, TIMEOUT_MS);
      assertEquals(1, filesOf(frames, 1, received));
      SegmentInfo segment = store.segments().get(0);
      try {
        for (int i = 0; i < 20; i++) {
          frames.send(
              SocketProtocol.OPEN,
              out -> {
                out.writeByte(0);
                out.writeInt(segment.segmentId());
                out.writeInt(segment.incarnation());
              },
              TIMEOUT_MS);
        }
      } catch (EOFException e) {
        // it was ended while this one was still asking
      }
      Await.until("its connection has ended", () -> server.counters().open() == 0);
    } finally {
      Closer.all(received);
    }
    assertEquals(1, refusals.counts().get(RefusalKind.UNTAKEN_FILES));
    try (SocketClient task = connect(APP)) {
      task.opener().open(task.leaseContiguous(4096).segment(), true).close();
    }
  }

  private int filesOf(Frames frames, long lengthBytes, List<Descriptor> into) throws IOException {
    frames.send(SocketProtocol.LEASE, out -> out.writeLong(lengthBytes), TIMEOUT_MS);
    DataInputStream in = Replies.receive(frames, into, TIMEOUT_MS);
    SocketProtocol.readExtents(in, store.paths());
    return SocketProtocol.readFiles(in).size();
  }

  @Test
  void aTaskThatPassesFilesToTheServiceLosesItsConnection() throws IOException {
    connect(APP).close();
    Await.until("it is gone", () -> server.counters().open() == 0);
    try (UnixStream stream =
            UnixStream.connect(socket(), UnixSocket.Interrupts.END_IT, TIMEOUT_MS);
        Descriptor file = Descriptor.open(directory, false)) {
      Frames frames = new Frames(stream);
      frames.send(SocketProtocol.HELLO, out -> {}, List.of(file), TIMEOUT_MS);
      assertInstanceOf(
          EOFException.class,
          assertThrows(IOException.class, () -> Replies.receive(frames, TIMEOUT_MS)));
    }
    try (SocketClient task = connect(APP)) {
      assertTrue(task.lease(1).size() > 0);
    }
  }
}
