package io.sluice.memory.fs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.fs.SluiceFileSystem;
import io.sluice.memory.fs.stream.MemoryOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a user gets who sets {@code fs.defaultFS} and nothing else. */
class SluiceFileSystemTest {
  private static final Path HERE = new Path("/entry");

  private final Configuration conf = new Configuration();

  SluiceFileSystemTest() {
    FileSystem.setDefaultUri(conf, "sluice:///");
  }

  @AfterEach
  void clear() throws IOException {
    FileSystem.get(conf).delete(HERE, true);
  }

  private static void write(FileSystem fs, Path path, String text) throws IOException {
    try (FSDataOutputStream out = fs.create(path)) {
      out.writeUTF(text);
    }
  }

  private static String read(FileSystem fs, Path path) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      return in.readUTF();
    }
  }

  @Test
  void nothingHasToBeSetButTheDefaultFileSystem() throws IOException {
    FileSystem fs = FileSystem.get(conf);
    assertInstanceOf(SluiceFileSystem.class, fs);
    write(fs, new Path(HERE, "file"), "text");
    FileContext context = FileContext.getFileContext(conf);
    context.rename(new Path(HERE, "file"), new Path(HERE, "renamed"));
    assertEquals("text", read(fs, new Path("sluice:///entry/renamed")));
  }

  @Test
  void everyInstanceOfTheProcessSeesTheSameFiles() throws IOException {
    FileSystem one = FileSystem.newInstance(conf);
    write(one, new Path(HERE, "file"), "text");
    one.close();
    FileSystem other = FileSystem.newInstance(URI.create("sluice:/"), new Configuration());
    assertEquals("text", read(other, new Path(HERE, "file")));
    other.close();
  }

  @Test
  void eachAuthorityHasFilesOfItsOwn() throws IOException {
    FileSystem named = new Path("sluice://Other/").getFileSystem(conf);
    write(named, new Path(HERE, "file"), "text");
    assertFalse(FileSystem.get(conf).exists(new Path(HERE, "file")));
    assertTrue(new Path("sluice://other/entry/file").getFileSystem(conf).exists(HERE));
    named.delete(HERE, true);
  }

  /** It counts a method as that one's whose erased parameters are the same. */
  private static Set<String> methods(Class<?> type) {
    return Stream.of(type.getDeclaredMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
        .filter(method -> !Modifier.isPrivate(method.getModifiers()))
        .map(SluiceFileSystemTest::signature)
        .collect(Collectors.toSet());
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  @Test
  void theEntryHandsOnWhatTheFileSystemDoesInItsOwnWay() {
    Set<String> handedOn = methods(FilterFileSystem.class);
    handedOn.addAll(methods(SluiceFileSystem.class));
    Set<String> lost = methods(MemoryFileSystem.class);
    lost.removeAll(handedOn);
    assertEquals(Set.of(), lost);
  }

  @Test
  void aFileIsReplacedInOneStep() throws IOException {
    FileContext context = FileContext.getFileContext(fileContextConf());
    FileSystem fs = FileSystem.get(conf);
    write(fs, new Path(HERE, "new"), "new");
    write(fs, new Path(HERE, "old"), "old");
    try (FSDataInputStream old = fs.open(new Path(HERE, "old"))) {
      context.rename(new Path(HERE, "new"), new Path(HERE, "old"), Rename.OVERWRITE);
      assertEquals("old", old.readUTF());
    }
    assertEquals("new", read(fs, new Path(HERE, "old")));
  }

  private Configuration fileContextConf() throws IOException {
    FileSystem.get(conf);
    return conf;
  }

  @Test
  void eachThreadsReadsAndWritesAreItsOwn() throws Exception {
    FileSystem fs = FileSystem.get(conf);
    FileSystem.Statistics.StatisticsData mine = statistics();
    long readBytes = mine.getBytesRead();
    long writtenBytes = mine.getBytesWritten();
    CompletableFuture.runAsync(() -> writeAndReadTen(fs)).get(1, TimeUnit.MINUTES);
    assertEquals(readBytes, mine.getBytesRead());
    assertEquals(writtenBytes, mine.getBytesWritten());
    writeAndReadTen(fs);
    assertEquals(readBytes + 10, mine.getBytesRead());
    assertEquals(writtenBytes + 10, mine.getBytesWritten());
  }

  @SuppressWarnings("deprecation") // what tasks read
  private static FileSystem.Statistics.StatisticsData statistics() {
    return FileSystem.getStatistics("sluice", SluiceFileSystem.class).getThreadStatistics();
  }

  private static void writeAndReadTen(FileSystem fs) {
    Path path = new Path(HERE, Thread.currentThread().getName());
    try {
      try (FSDataOutputStream out = fs.create(path)) {
        out.write(new byte[10]);
      }
      try (FSDataInputStream in = fs.open(path)) {
        in.read(); // one alone
        in.readFully(new byte[9]);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Stock's tasks ask all of them for each record. */
  @Test
  @SuppressWarnings("deprecation")
  void thereIsOneObjectOfStatisticsForTheScheme() throws IOException {
    FileSystem.get(conf);
    assertEquals(
        1,
        FileSystem.getAllStatistics().stream()
            .filter(statistics -> statistics.getScheme().equals("sluice"))
            .count());
  }

  @Test
  void extendedAttributesAreKept() throws IOException {
    FileSystem fs = FileSystem.get(conf);
    fs.mkdirs(HERE);
    fs.setXAttr(HERE, "user.one", new byte[] {1});
    fs.setXAttr(HERE, "user.two", null);
    assertArrayEquals(new byte[] {1}, fs.getXAttr(HERE, "user.one"));
    assertArrayEquals(new byte[0], fs.getXAttr(HERE, "user.two"));
    assertEquals(List.of("user.one", "user.two"), fs.listXAttrs(HERE));
    Map<String, byte[]> both = fs.getXAttrs(HERE, List.of("user.two"));
    assertEquals(Set.of("user.two"), both.keySet());
    assertThrows(
        IOException.class,
        () -> fs.setXAttr(HERE, "user.one", new byte[0], EnumSet.of(XAttrSetFlag.CREATE)));
    fs.removeXAttr(HERE, "user.one");
    assertThrows(IOException.class, () -> fs.getXAttr(HERE, "user.one"));
    assertThrows(IOException.class, () -> fs.removeXAttr(HERE, "user.one"));
  }

  @Test
  void aTruncatedFileIsShorterAtOnce() throws IOException {
    FileSystem fs = FileSystem.get(conf);
    Path path = new Path(HERE, "file");
    write(fs, path, "text");
    assertTrue(fs.truncate(path, 3));
    assertEquals(3, fs.getFileStatus(path).getLen());
    assertThrows(IllegalArgumentException.class, () -> fs.truncate(path, 4));
  }

  @Test
  void aStatusIsThatOfHdfsWhereItCanBe() throws IOException {
    FileSystem fs = FileSystem.get(conf);
    write(fs, new Path(HERE, "dir/file"), "text");
    FileStatus file = fs.getFileStatus(new Path(HERE, "dir/file"));
    assertEquals("rw-r--r--", file.getPermission().toString());
    assertEquals("supergroup", file.getGroup());
    assertEquals(fs.getDefaultBlockSize(HERE), file.getBlockSize());
    assertEquals(1, file.getReplication());
    assertEquals("localhost", fs.getFileBlockLocations(file, 0, 6)[0].getHosts()[0]);
    assertEquals("rwxr-xr-x", fs.getFileStatus(HERE).getPermission().toString());
    assertNull(fs.getCanonicalServiceName());
    assertThrows(
        FileNotFoundException.class, () -> fs.getFileStatus(new Path(HERE, "dir/file/below")));
  }

  @Test
  void aClosedFileSystemHasClosedWhatItWrote() throws IOException {
    FileSystem fs = FileSystem.newInstance(conf);
    Path path = new Path(HERE, "log");
    FSDataOutputStream open = fs.create(path);
    open.write(7);
    assertThrows(IOException.class, () -> FileSystem.get(conf).append(path)); // it has a writer
    FSDataOutputStream deleted = fs.create(new Path(HERE, "deleted"));
    fs.delete(new Path(HERE, "deleted"), false);
    fs.close();
    assertThrows(IOException.class, () -> open.write(8));
    assertThrows(IOException.class, () -> deleted.write(8));
    try (FSDataOutputStream next = FileSystem.get(conf).append(path)) {
      next.write(9);
    }
    assertEquals(2, FileSystem.get(conf).getFileStatus(path).getLen());
  }

  @Test
  void whatAUserWroteEndsWithThatUserAndNobodyElses() throws Exception {
    UserGroupInformation task = UserGroupInformation.createRemoteUser("task");
    FSDataOutputStream ofTask =
        task.doAs(
            (PrivilegedExceptionAction<FSDataOutputStream>)
                () -> FileSystem.get(conf).create(new Path(HERE, "of-task")));
    try (FSDataOutputStream mine = FileSystem.get(conf).create(new Path(HERE, "mine"))) {
      ofTask.write(1);
      MemoryOutputStream.closeOf(task);
      assertThrows(IOException.class, () -> ofTask.write(2));
      FileSystem.get(conf).append(new Path(HERE, "of-task")).close();
      mine.write(3);
    } finally {
      FileSystem.closeAllForUGI(task);
    }
  }

  @Test
  @Timeout(300)
  void aForgottenWriterGivesBackTheNameAndTheBytes() throws IOException {
    FileSystem fs = FileSystem.get(conf);
    Path path = new Path(HERE, "forgotten");
    long usedBytes = fs.getStatus().getUsed();
    fs.create(path).write(new byte[1 << 20]);
    while (!canBeAppended(fs, path)) { // ends with the collection that is asked for
      System.gc();
      Thread.onSpinWait();
    }
    assertEquals(1 << 20, fs.getFileStatus(path).getLen());
    fs.create(new Path(HERE, "deleted")).write(new byte[1 << 20]);
    fs.delete(HERE, true);
    while (fs.getStatus().getUsed() > usedBytes) {
      System.gc();
      Thread.onSpinWait();
    }
  }

  private static boolean canBeAppended(FileSystem fs, Path path) {
    try {
      fs.append(path).close();
      return true;
    } catch (IOException e) {
      return false; // it still has a writer
    }
  }
}
