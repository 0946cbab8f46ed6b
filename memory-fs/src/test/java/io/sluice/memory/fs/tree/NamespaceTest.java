package io.sluice.memory.fs.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.memory.fs.space.SmallStore;
import io.sluice.memory.fs.stream.MemoryInputStream;
import io.sluice.memory.fs.stream.MemoryOutputStream;
import io.sluice.memory.fs.tree.Entry.NewNode;
import io.sluice.rdma.testing.TestSeed;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class NamespaceTest {
  private static final int MIB = 1 << 20;
  private static final int THREADS = 8;
  private static final NewNode LIKE =
      new NewNode("ann", FsPermission.createImmutable((short) 0644), true);

  @TempDir private Path directory;
  private SmallStore store;
  private Namespace namespace;

  @BeforeEach
  void open() throws IOException {
    store = new SmallStore(directory, 16 * MIB, 0);
    namespace = new Namespace(store.space(), "ann", ChangeListener.NONE);
  }

  @AfterEach
  void close() throws IOException {
    namespace.delete(path("/a"), true);
    assertEquals(0, store.usedBytes());
    store.close();
  }

  private static TreePath path(String text) {
    return TreePath.of(text);
  }

  private OpenFile create(String path) throws IOException {
    return namespace.create(path(path), LIKE, (short) 1, MIB, false);
  }

  private void write(String path, byte[] bytes) throws IOException {
    try (MemoryOutputStream out = new MemoryOutputStream(create(path))) {
      out.write(bytes);
    }
  }

  private MemoryInputStream read(String path) throws IOException {
    return new MemoryInputStream(namespace.open(path(path)), bytes -> {});
  }

  @Test
  void aStreamThatCannotBeOpenedGivesUpItsFile() {
    AtomicInteger closed = new AtomicInteger();
    OpenFile broken = new OpenFile(null, closed::incrementAndGet);

    assertThrows(NullPointerException.class, () -> MemoryOutputStream.open(broken, null));

    assertEquals(1, closed.get(), "else it has a writer for good");
  }

  private static List<Object> inThreads(List<Callable<Object>> tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Object> results = new ArrayList<>();
      for (Future<Object> result : threads.invokeAll(tasks)) {
        results.add(result.get(1, TimeUnit.MINUTES));
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aReaderKeepsTheBytesOfADeletedFileAndNobodyGetsThem() throws IOException {
    byte[] bytes = SmallStore.bytes(TestSeed.random(), MIB);
    write("/a/read", bytes);
    try (MemoryInputStream in = read("/a/read")) {
      assertEquals(bytes[0] & 0xff, in.read());
      namespace.delete(path("/a/read"), false);
      write("/a/other", new byte[8 * MIB]);
      assertArrayEquals(bytes, in(in, bytes.length));
      assertThrows(FileNotFoundException.class, () -> read("/a/read"));
    }
    assertEquals(8 * MIB, store.usedBytes());
  }

  private static byte[] in(MemoryInputStream in, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    in.readFully(0, bytes, 0, lengthBytes);
    return bytes;
  }

  @Test
  void whoReadsAStreamThatIsClosedFails() throws IOException {
    write("/a/read", new byte[10]);
    MemoryInputStream in = read("/a/read");
    assertEquals(0, in.read());
    in.close();
    assertThrows(IOException.class, in::read);
    assertThrows(IOException.class, () -> in.read(0, new byte[5], 0, 5));
  }

  @Test
  @Timeout(300)
  void whoeverForgetsToCloseAStreamKeepsNothingForEver() throws IOException {
    write("/a/read", new byte[10]);
    forget("/a/read");
    namespace.delete(path("/a/read"), false);
    while (store.usedBytes() > 0) { // ends with the collection that is asked for
      System.gc();
      Thread.onSpinWait();
    }
  }

  private void forget(String path) throws IOException {
    assertEquals(0, read(path).read());
  }

  @Test
  void aWriterWhoseFileWasDeletedIsToldSo() throws IOException {
    OpenFile file = create("/a/written");
    MemoryOutputStream out = new MemoryOutputStream(file);
    out.write(new byte[100]);
    namespace.delete(path("/a"), true);
    out.write(new byte[100]);
    assertThrows(FileNotFoundException.class, out::close);
    out.close();
    assertEquals(0, store.usedBytes());
  }

  @Test
  void aFileHasOneWriterAtATime() throws IOException {
    OpenFile file = create("/a/written");
    IOException refused =
        assertThrows(IOException.class, () -> namespace.append(path("/a/written")));
    assertTrue(refused.getMessage().contains("one writer"), refused.getMessage());
    assertThrows(IOException.class, () -> namespace.truncate(path("/a/written"), 0));
    file.close();
    namespace.append(path("/a/written")).close();
  }

  @Test
  void ofManyWhoCreateAFileOneDoes() throws Exception {
    for (int round = 0; round < 100; round++) {
      String path = "/a/round" + round;
      List<Callable<Object>> creators = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        creators.add(
            () -> {
              try (OpenFile file = create(path)) {
                return file.isNamed();
              } catch (FileAlreadyExistsException e) {
                return false;
              }
            });
      }
      assertEquals(1, inThreads(creators).stream().filter(Boolean.TRUE::equals).count());
    }
  }

  @Test
  void aHundredThousandFilesAreListedInOrderAndDeletedAtOnce() throws IOException {
    int files = 100_000;
    for (int i = 0; i < files; i++) {
      create("/a/many/" + (i * 7919L) % files).close();
    }
    List<Entry> children = namespace.list(path("/a/many")).children();
    assertEquals(files, children.size());
    for (int i = 1; i < files; i++) {
      assertTrue(children.get(i - 1).name().compareTo(children.get(i).name()) < 0);
    }
    assertEquals("99999", namespace.status(path("/a/many/99999")).name());
    assertTrue(namespace.delete(path("/a/many"), true));
    assertFalse(namespace.delete(path("/a/many"), true));
  }

  @Test
  void whoReadsWhileTheStreamIsClosedGetsTheFilesBytesOrAnError() throws Exception {
    byte[] ones = new byte[MIB];
    Arrays.fill(ones, (byte) 1);
    for (int round = 0; round < 100; round++) {
      write("/a/ones", ones);
      MemoryInputStream in = read("/a/ones");
      CountDownLatch reading = new CountDownLatch(1);
      inThreads(List.of(() -> readUntilClosed(in, reading), () -> reuse(in, reading)));
      namespace.delete(path("/a"), true);
    }
  }

  private static Object readUntilClosed(MemoryInputStream in, CountDownLatch reading) {
    byte[] part = new byte[4096];
    try {
      while (true) {
        assertEquals(part.length, in.read(MIB / 2, part, 0, part.length));
        for (byte each : part) {
          assertEquals(1, each);
        }
        reading.countDown();
      }
    } catch (IOException e) {
      return e; // it is closed
    }
  }

  /** Closes it, and gives its bytes to other files. */
  private Object reuse(MemoryInputStream in, CountDownLatch reading) throws Exception {
    assertTrue(reading.await(1, TimeUnit.MINUTES));
    namespace.delete(path("/a/ones"), false);
    in.close();
    for (int i = 0; i < 4; i++) {
      write("/a/twos" + i, new byte[MIB]);
    }
    return null;
  }

  @Test
  void manyThreadsReadWhatManyWriteRenameAndDelete() throws Exception {
    long seed = TestSeed.next();
    List<Callable<Object>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      all.add(
          () -> {
            Random random = new Random(seed + number);
            for (int round = 0; round < 60; round++) {
              oneOfMany(random, "/a/" + number + "/", round);
            }
            return null;
          });
    }
    inThreads(all);
  }

  /** Each byte of a file is that of its length, so that one of another file's would be seen. */
  private void oneOfMany(Random random, String mine, int round) throws IOException {
    int lengthBytes = 1 + random.nextInt(MIB / 2);
    byte[] bytes = new byte[lengthBytes];
    byte value = (byte) lengthBytes;
    Arrays.fill(bytes, value);
    write(mine + round, bytes);
    try (MemoryInputStream in = read(mine + round)) {
      namespace.rename(path(mine + round), path("/a/shared" + random.nextInt(4)), true);
      assertArrayEquals(bytes, in(in, lengthBytes));
    }
    OpenFile shared;
    try {
      shared = namespace.open(path("/a/shared" + random.nextInt(4)));
    } catch (FileNotFoundException e) {
      return; // nobody has put one there yet
    }
    int sharedBytes = (int) shared.content().lengthBytes();
    try (MemoryInputStream in = new MemoryInputStream(shared, read -> {})) {
      for (byte each : in(in, sharedBytes)) {
        assertEquals((byte) sharedBytes, each);
      }
    }
  }
}
