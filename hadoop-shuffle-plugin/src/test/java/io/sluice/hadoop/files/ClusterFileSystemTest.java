package io.sluice.hadoop.files;

import static io.sluice.hadoop.files.ClusterFiles.BLOCK_BYTES;
import static io.sluice.hadoop.files.ClusterFiles.begin;
import static io.sluice.hadoop.files.ClusterFiles.bytes;
import static io.sluice.hadoop.files.ClusterFiles.path;
import static io.sluice.hadoop.files.ClusterFiles.write;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.files.FileRecord.RecordReader;
import io.sluice.hadoop.testing.LogLines;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.remote.RemoteClient;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes, tasks on them, and a driver on neither. */
@Timeout(300)
class ClusterFileSystemTest {
  private static final long POOL_BYTES = 16 << 20;
  private static final long LONG_MS = 120_000;
  private static final int FILE_BYTES = 3 * BLOCK_BYTES + 700_001;

  @TempDir Path directory;

  private final LeakCheck leaks = new LeakCheck();
  private ClusterFiles cluster;
  private TestNode node1;
  private TestNode node2;

  @BeforeEach
  void start() throws IOException {
    cluster = new ClusterFiles(directory.resolve("root"));
    node1 = TestNode.startToBeRestarted(directory.resolve("node1"), POOL_BYTES);
    node2 = TestNode.start(directory.resolve("node2"), POOL_BYTES);
  }

  @AfterEach
  void stop() throws Exception {
    node1.close();
    node2.close();
    leaks.check();
  }

  private byte[] writtenOnNode1(String path) throws IOException {
    byte[] written = bytes(FILE_BYTES);
    try (FileSystem task = cluster.task(node1)) {
      write(task, path, written);
    }
    return written;
  }

  private static byte[] readAll(FileSystem files, String path) throws IOException {
    try (FSDataInputStream in = files.open(path(path))) {
      return in.readAllBytes();
    }
  }

  private static long count(FileSystem files, String statistic) {
    return IOStatisticsSupport.retrieveIOStatistics(files).counters().get(statistic);
  }

  private static long heldBytes(TestNode node) {
    return node.service().store().applicationUses().stream()
        .mapToLong(use -> use.memoryBytes() + use.diskBytes())
        .sum();
  }

  @Test
  void aFileOfATaskIsReadInPlaceOnItsNodeAndOverATransportElsewhere() throws IOException {
    byte[] written = writtenOnNode1("/rank/part-0");
    assertTrue(heldBytes(node1) >= FILE_BYTES, "it is in the pool");
    try (ClusterFileSystem same = cluster.task(node1);
        ClusterFileSystem other = cluster.task(node2);
        ClusterFileSystem driver = cluster.driver()) {
      assertArrayEquals(written, readAll(same, "/rank/part-0"));
      assertEquals(Map.of("local", (long) FILE_BYTES), same.bytesRead());
      assertArrayEquals(written, readAll(other, "/rank/part-0"));
      assertEquals(Map.of("tcp", (long) FILE_BYTES), other.bytesRead());
      assertArrayEquals(written, readAll(driver, "/rank/part-0"));
      assertEquals(Map.of("tcp", (long) FILE_BYTES), driver.bytesRead());
    }
  }

  @Test
  void aDriverListsRenamesAndDeletesAndThePoolIsEmptyAgain() throws IOException {
    byte[] written = writtenOnNode1("/rank/new/part-0");
    try (FileSystem driver = cluster.driver()) {
      FileStatus listed = driver.listStatus(path("/rank/new"))[0];
      assertEquals(FILE_BYTES, listed.getLen());
      assertEquals(BLOCK_BYTES, listed.getBlockSize());
      assertEquals("sluice://cluster/rank/new/part-0", listed.getPath().toString());
      assertTrue(driver.rename(path("/rank/new"), path("/rank/old")));
      assertArrayEquals(written, readAll(driver, "/rank/old/part-0"));
      assertTrue(driver.delete(path("/rank"), true));
      assertEquals(0, heldBytes(node1));
      assertFalse(driver.exists(path("/rank/old/part-0")));
    }
  }

  /** As the root's file system does it, so that no crash leaves neither. */
  @Test
  void aFileIsReplacedByARenameInOneStep() throws IOException {
    cluster.with("fs.file.impl", Watched.class.getName());
    cluster.with("fs.AbstractFileSystem.file.impl", "none"); // many a scheme has none
    byte[] written = writtenOnNode1("/rank/new");
    try (ClusterFileSystem driver = cluster.driver()) {
      write(driver, "/rank/old", bytes(1_000_000));
      try (FileSystem task = cluster.task(node1)) {
        write(task, "/rank/old", bytes(2 * BLOCK_BYTES));
      }
      assertThrows(
          FileAlreadyExistsException.class,
          () -> driver.rename(path("/rank/new"), path("/rank/old"), Options.Rename.NONE));
      Watched.ASKED.clear();
      driver.rename(path("/rank/new"), path("/rank/old"), Options.Rename.OVERWRITE);
      assertEquals(List.of("new to old, [OVERWRITE]"), Watched.ASKED);
      assertArrayEquals(written, readAll(driver, "/rank/old"));
      assertFalse(driver.exists(path("/rank/new")));
      assertTrue(driver.delete(path("/rank/old"), false));
      assertEquals(0, heldBytes(node1), "what was replaced is freed, too");
    }
  }

  /** Says what renames it is asked for. */
  public static final class Watched extends RawLocalFileSystem {
    static final List<String> ASKED = new CopyOnWriteArrayList<>();

    @Override
    @SuppressWarnings("deprecation") // there is no other way to be asked for it
    protected void rename(
        org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to, Options.Rename... options)
        throws IOException {
      ASKED.add(from.getName() + " to " + to.getName() + ", " + List.of(options));
      super.rename(from, to, options);
    }
  }

  /** The usual one of {@code file:}, which keeps checksums beside its files. */
  @Test
  void theChecksumsOfARootGoWithItsFiles() throws IOException {
    cluster.with("fs.file.impl", LocalFileSystem.class.getName());
    cluster.with("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.LocalFs");
    byte[] written = writtenOnNode1("/rank/new");
    try (ClusterFileSystem driver = cluster.driver()) {
      write(driver, "/rank/old", bytes(1_000_000));
      driver.rename(path("/rank/new"), path("/rank/old"), Options.Rename.OVERWRITE);
      assertArrayEquals(written, readAll(driver, "/rank/old"));
    }
  }

  @Test
  void blocksAreWhereTheirNodeIs() throws IOException {
    writtenOnNode1("/file");
    try (FileSystem driver = cluster.driver()) {
      BlockLocation[] blocks = driver.listLocatedStatus(path("/file")).next().getBlockLocations();
      assertEquals(4, blocks.length);
      for (int i = 0; i < blocks.length; i++) {
        assertArrayEquals(new String[] {"localhost"}, blocks[i].getHosts());
        assertEquals((long) i * BLOCK_BYTES, blocks[i].getOffset());
      }
      assertEquals(FILE_BYTES - 3 * BLOCK_BYTES, blocks[3].getLength());
    }
  }

  @Test
  void anyPlaceOfItCanBeRead() throws IOException {
    byte[] written = writtenOnNode1("/file");
    Random random = new Random(TestSeed.next("places"));
    try (FileSystem other = cluster.task(node2);
        FSDataInputStream in = other.open(path("/file"))) {
      for (int i = 0; i < 50; i++) {
        int from = random.nextInt(FILE_BYTES);
        byte[] some = new byte[Math.min(random.nextInt(1, 100_000), FILE_BYTES - from)];
        in.readFully(from, some);
        assertArrayEquals(Arrays.copyOfRange(written, from, from + some.length), some);
        assertEquals(0, in.getPos());
      }
    }
  }

  @Test
  void smallFilesAndThoseOfADriverLieInTheRoot() throws IOException {
    byte[] small = bytes(ClusterOutputStream.SMALL_BYTES);
    byte[] large = bytes(FILE_BYTES);
    try (FileSystem task = cluster.task(node1);
        FileSystem driver = cluster.driver()) {
      write(task, "/small", small);
      task.create(path("/_SUCCESS")).close();
      write(driver, "/large", large);
      assertEquals(0, heldBytes(node1));
      assertArrayEquals(small, readAll(driver, "/small"));
      assertArrayEquals(new byte[0], readAll(driver, "/_SUCCESS"));
      assertArrayEquals(large, readAll(task, "/large"));
      assertEquals(FILE_BYTES, task.getFileStatus(path("/large")).getLen());
    }
  }

  @Test
  void theRecordsOfADirectoryAreReadAtOnceToListAndToDelete() throws IOException {
    int files = RecordReader.THREADS;
    cluster.with("fs.file.impl", MeetingOpens.class.getName());
    try (FileSystem driver = cluster.driver()) {
      for (int i = 0; i < files; i++) {
        write(driver, "/rank/part-" + i, bytes(200 + i));
      }
      driver.mkdirs(path("/rank/a-directory"));
      MeetingOpens.expect(files);
      FileStatus[] listed = driver.listStatus(path("/rank"));
      Arrays.sort(listed);
      assertEquals(files + 1, listed.length);
      assertTrue(listed[0].isDirectory());
      for (int i = 0; i < files; i++) {
        assertEquals("part-" + i, listed[1 + i].getPath().getName());
        assertEquals(200 + i, listed[1 + i].getLen());
      }
      MeetingOpens.expect(files);
      assertTrue(driver.delete(path("/rank"), true));
    } finally {
      MeetingOpens.expect(0);
    }
  }

  /** Hadoop's cache gives one to all who ask, and anybody may close it. */
  @Test
  void aFileSystemThatSomebodyHasClosedStillLists() throws IOException {
    FileSystem driver = cluster.driver();
    write(driver, "/rank/part-0", bytes(200));
    write(driver, "/rank/part-1", bytes(201));
    driver.close();
    assertEquals(2, driver.listStatus(path("/rank")).length);
  }

  @Test
  void whatIsReplacedIsFree() throws IOException {
    writtenOnNode1("/file");
    long once = heldBytes(node1);
    byte[] written = writtenOnNode1("/file");
    assertEquals(once, heldBytes(node1));
    try (FileSystem driver = cluster.driver()) {
      assertArrayEquals(written, readAll(driver, "/file"));
    }
  }

  /** As a task that is killed leaves it, and a committer deletes it. */
  @Test
  void whatAWriterHasBegunIsFreeWhenItIsDeleted() throws IOException {
    try (FileSystem task = cluster.task(node1);
        FileSystem driver = cluster.driver()) {
      FSDataOutputStream out = begin(task, "/job/_temporary/part-0");
      out.write(bytes(FILE_BYTES));
      assertTrue(heldBytes(node1) >= 3 * BLOCK_BYTES, "whole blocks are committed");
      IOException notYet =
          assertThrows(IOException.class, () -> readAll(driver, "/job/_temporary/part-0"));
      assertTrue(notYet.getMessage().contains("is still being written"), notYet.getMessage());
      assertTrue(driver.delete(path("/job"), true));
      assertEquals(0, heldBytes(node1));
      out.close();
    }
  }

  @Test
  void aFileOutlivesTheApplicationThatWroteIt() throws IOException {
    byte[] written = writtenOnNode1("/file");
    node1.service().applicationStopped("application_1_0001");
    try (FileSystem next = cluster.task(node2)) {
      assertArrayEquals(written, readAll(next, "/file"));
    }
  }

  @Test
  void aLostNodeIsAnErrorThatNamesItAndTheFile() throws IOException {
    writtenOnNode1("/rank/part-0");
    cluster.with("sluice.io.timeout-ms", "2000");
    node1.close();
    try (FileSystem driver = cluster.driver()) {
      IOException lost = assertThrows(IOException.class, () -> readAll(driver, "/rank/part-0"));
      assertTrue(lost.getMessage().contains("sluice://cluster/rank/part-0"), lost.getMessage());
      assertTrue(lost.getMessage().contains("localhost"), lost.getMessage());
      assertEquals(0, count(driver, "files_not_freed"));
      assertTrue(driver.delete(path("/rank"), true), "and can be deleted");
      assertEquals(1, count(driver, "files_not_freed"));
    }
  }

  @Test
  void aFileThatThePoolDoesNotTakeGoesToTheRootAndIsCounted() throws IOException {
    cluster.with("sluice.io.timeout-ms", "2000");
    byte[] written = bytes(FILE_BYTES);
    try (FileSystem task = cluster.task(node1)) {
      node1.close(); // after it was found
      write(task, "/file", written);
      assertEquals(1, count(task, "fallback_file_to_root"));
      assertArrayEquals(written, readAll(task, "/file"));
    }
  }

  @Test
  void aNodeThatHasStartedEmptyHasLostItsFiles() throws IOException {
    writtenOnNode1("/file");
    node1 = node1.restartedEmpty(directory.resolve("again"), POOL_BYTES);
    try (FileSystem driver = cluster.driver()) {
      IOException lost = assertThrows(IOException.class, () -> readAll(driver, "/file"));
      assertTrue(lost.getMessage().contains("has no block 0 of it"), lost.getMessage());
      assertTrue(driver.delete(path("/file"), false));
    }
  }

  @Test
  void withWriteBehindTheCopyIsReadFromWhereTheReaderIs() throws IOException {
    cluster.with("sluice.cluster.write-behind", "true");
    cluster.with("sluice.io.timeout-ms", "2000");
    byte[] written = writtenOnNode1("/file");
    Path copies = directory.resolve("root").resolve("copies");
    assertEquals(1, copies.toFile().list().length);
    try (ClusterFileSystem other = cluster.task(node2);
        FSDataInputStream in = other.open(path("/file"))) {
      byte[] read = new byte[FILE_BYTES];
      in.readFully(read, 0, BLOCK_BYTES + 5);
      node1.close();
      in.readFully(read, BLOCK_BYTES + 5, FILE_BYTES - BLOCK_BYTES - 5);
      assertArrayEquals(written, read);
      assertEquals(1, count(other, "fallback_read_of_copy"));
    }
    try (FileSystem driver = cluster.driver()) {
      assertTrue(driver.delete(path("/file"), false));
    }
    assertEquals(0, copies.toFile().list().length);
  }

  @Test
  void theCopyIsReadWhereTheNodeIsBusy() throws IOException {
    cluster.with("sluice.cluster.write-behind", "true");
    ConnectionLimits limits = new ConnectionLimits(1, 8, LONG_MS, 10 * LONG_MS);
    byte[] written = bytes(FILE_BYTES);
    try (TestNode full = TestNode.start(directory.resolve("full"), POOL_BYTES, limits)) {
      try (FileSystem task = cluster.task(full)) {
        write(task, "/file", written);
      }
      cluster.with("sluice.io.timeout-ms", "3000");
      RemoteClient only = cluster.reader(full, LONG_MS);
      try (ClusterFileSystem driver = cluster.driver()) {
        assertArrayEquals(written, readAll(driver, "/file"));
        assertEquals(1, count(driver, "fallback_read_of_copy"));
        assertTrue(full.service().counters().connections().refused() > 0, "it was not busy");
      } finally {
        only.close();
      }
    }
  }

  /** Though he knows every name: records may be readable for all. */
  @Test
  void whoHasNotTheSecretOfARootReadsAndFreesNothing() throws IOException {
    writtenOnNode1("/file");
    ClusterFiles others = new ClusterFiles(directory.resolve("other"));
    try (FileSystem thief = others.driver()) {
      Files.copy(directory.resolve("root/files/file"), directory.resolve("other/files/file"));
      assertEquals(FILE_BYTES, thief.getFileStatus(path("/file")).getLen());
      assertThrows(IOException.class, () -> readAll(thief, "/file"));
      assertTrue(thief.delete(path("/file"), false));
    }
    assertTrue(heldBytes(node1) >= FILE_BYTES, "it is still there");
  }

  @Test
  void theSecretIsForItsOwnerAlone() throws IOException {
    cluster.driver().close();
    Path root = directory.resolve("root");
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(root)));
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("secret"))));
  }

  @Test
  void theRootIsNoSluiceFileSystem() {
    cluster.with("sluice.cluster.root", "sluice://cluster/names");
    assertThrows(IOException.class, cluster::driver);
  }

  /** Of a driver or a client, that is, where a task's log would not be looked into. */
  @Test
  void aNameThatIsNoSettingIsToldToTheProcessThatUsesTheFiles() throws IOException {
    cluster.with("sluice.cluster.rot", "/names");
    try (LogLines log = new LogLines();
        FileSystem driver = cluster.driver()) {
      assertEquals(
          List.of(
              "WARN sluice.cluster.rot is no setting of Sluice; the nearest name is"
                  + " sluice.cluster.root"),
          log.with("no setting"),
          driver::toString);
    }
  }
}
