package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.testing.Await;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Records that cannot be written, because the file system is full. */
class LeaseRecordsTest extends SocketServerTestBase {
  private final List<SharedFile> opened = new ArrayList<>();

  private void restart(LeaseRecords.Opener opener) throws IOException {
    server.close();
    records = LeaseRecords.open(socket(), false, opener);
    server = startServer();
  }

  private SharedFile open(Path path) throws IOException {
    SharedFile file = SharedFile.open(path);
    opened.add(file);
    return file;
  }

  private long files() {
    try (Stream<Path> files = Files.list(directory.resolve("leases"))) {
      return files.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTaskIsServedWhoseRecordCannotBeBegun() throws IOException {
    restart(
        path -> {
          throw new IOException("No space left on device");
        });
    try (SocketClient task = connect(APP)) {
      List<Extent> extents = task.lease(1);
      assertEquals(0, files());
      task.release(extents);
    }
    awaitNothingLeased();
  }

  @Test
  void aTaskIsServedWhoseRecordCannotGrowAndNoOtherRecordClaimsWhatItGets() throws IOException {
    restart(this::open);
    try (SocketClient other = connect(APP);
        SocketClient task = connect(APP)) {
      other.release(other.lease(1)); // for the task; the other's record goes on naming it
      assertEquals(2, files());
      opened.get(1).close(); // what is written from now on fails
      task.lease(1);
      assertEquals(0, files());
      other.lease(1);
      try (SocketClient later = connect(APP)) {
        later.lease(1);
        assertEquals(0, files());
      }
    }
    awaitNothingLeased();
    Await.until("records are kept again", this::isRecordKept);
  }

  private boolean isRecordKept() {
    try (SocketClient task = connect(APP)) {
      task.lease(1);
      return files() == 1;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTaskThatLeasesForEverHasNoLongRecord() throws IOException {
    try (SocketClient task = connect(APP)) {
      int block = task.info().blockBytes();
      task.lease(block);
      Path record = LeaseRecords.path(socket(), task.info());
      for (int i = 0; i < 1_000; i++) {
        Extent extent = task.lease(2L * block).get(0);
        task.release(List.of(new Extent(extent.segment(), extent.offsetBytes(), block)));
        assertEquals(2, entries(record), "half of it is still the task's");
        task.release(List.of(new Extent(extent.segment(), extent.offsetBytes() + block, block)));
      }
      task.lease(block);
      task.lease(block);
      assertEquals(3, entries(record));
      for (int i = 0; i < 20; i++) {
        TestOutput.single(new Random(i), "attempt_" + i, 1_000).commit(APP, task);
        assertTrue(entries(record) <= 4, "what is committed is the store's");
      }
    }
  }

  @Test
  void whatIsGivenBackInOnePieceMayHaveBeenGrantedInTwo() throws IOException {
    try (SocketClient task = connect(APP)) {
      int block = task.info().blockBytes();
      for (int i = 0; i < 1_000; i++) {
        Extent first = task.lease(block).get(0);
        Extent second = task.lease(block).get(0);
        assertEquals(first.segment(), second.segment());
        assertEquals(first.offsetBytes() + block, second.offsetBytes());
        task.release(List.of(new Extent(first.segment(), first.offsetBytes(), 2L * block)));
        assertEquals(2, entries(LeaseRecords.path(socket(), task.info())));
      }
    }
  }

  /** Of an output that was moved or freed at once, nobody knows where it was committed. */
  @Test
  void whatIsGrantedOnceMoreMakesNoLongRecord() throws IOException {
    LeaseInfo lease = new LeaseInfo(new UUID(1, 2), 4096, 1_000_000);
    LeaseRecords.LeaseRecord record = records.create(lease);
    for (int i = 0; i < 1_000; i++) {
      record.granted(List.of(new Range(3, 8192, 4096L * (1 + i % 2))));
      assertTrue(entries(LeaseRecords.path(socket(), lease)) <= 2);
    }
    record.close(true);
  }

  /** As that of a device, whose memory stays the same. */
  @Test
  void aPoolDoesNotStartEmptyWhileATaskOfBeforeMayWrite() throws IOException {
    Path pool = Path.of("/dev/dax0.0");
    LeaseInfo ended = new LeaseInfo(new UUID(1, 2), 4096, 1_000_000);
    records.own(ended, List.of(new Range(3, 8192, 4096)));
    LeaseRecords.refuseWhileTasksWrite(socket(), pool);
    try (SocketClient task = connect(APP)) {
      task.lease(1);
      IOException e =
          assertThrows(IOException.class, () -> LeaseRecords.refuseWhileTasksWrite(socket(), pool));
      Path record = LeaseRecords.path(socket(), task.info());
      assertTrue(e.getMessage().contains(pool + " would start empty"), e.getMessage());
      assertTrue(e.getMessage().contains(record + " says so"), e.getMessage());
      assertTrue(Files.exists(record), "it is the next start's to ask");
    }
    LeaseRecords.refuseWhileTasksWrite(directory.resolve("elsewhere/socket"), pool);
  }

  private static long entries(Path record) throws IOException {
    return (Files.size(record) - LeaseRecords.HEADER_BYTES) / LeaseRecords.ENTRY_BYTES;
  }
}
