package io.sluice.memory.fs.behind;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.memory.fs.space.SmallStore;
import io.sluice.memory.fs.stream.MemoryOutputStream;
import io.sluice.memory.fs.tree.Entry.NewNode;
import io.sluice.memory.fs.tree.Namespace;
import io.sluice.memory.fs.tree.TreePath;
import io.sluice.rdma.testing.TestSeed;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteBehindTest {
  private static final NewNode LIKE =
      new NewNode("ann", FsPermission.createImmutable((short) 0644), true);

  @TempDir private Path directory;
  private final Random random = TestSeed.random();

  private Path place() {
    return directory.resolve("place");
  }

  private WriteBehind start() throws IOException {
    return WriteBehind.start(
        new org.apache.hadoop.fs.Path(place().toUri()), new Configuration(false));
  }

  /** As a task does that is the first to ask for the namespace. */
  private WeakReference<ClassLoader> startOfTask(List<WriteBehind> started) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader ofTask = new URLClassLoader(new URL[0], before);
    thread.setContextClassLoader(ofTask);
    try {
      Configuration conf = new Configuration(false);
      conf.setClassLoader(ofTask);
      conf.set("mapreduce.task.attempt.id", "attempt_1_0001_m_000000_0");
      started.add(WriteBehind.start(new org.apache.hadoop.fs.Path(place().toUri()), conf));
    } finally {
      thread.setContextClassLoader(before);
    }
    return new WeakReference<>(ofTask);
  }

  @Test
  void itKeepsNoClassOfTheTaskThatHasStartedIt() throws Exception {
    List<WriteBehind> started = new ArrayList<>();
    WeakReference<ClassLoader> ofTask = startOfTask(started);
    try (WriteBehind behind = started.get(0)) {
      long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      while (ofTask.get() != null) {
        assertTrue(System.nanoTime() < deadlineNs, "its classes are still there");
        System.gc();
      }
      behind.await();
    }
  }

  /** A file system that remembers by whose classes it was asked. */
  public static final class AskedFileSystem extends RawLocalFileSystem {
    private static volatile ClassLoader asked;

    @Override
    public URI getUri() {
      return URI.create("asked:///");
    }

    @Override
    public boolean mkdirs(org.apache.hadoop.fs.Path path) throws IOException {
      asked = Thread.currentThread().getContextClassLoader();
      return super.mkdirs(path);
    }
  }

  @Test
  void theOtherFileSystemFindsTheClassesThatItsClientFinds() throws IOException {
    Configuration conf = new Configuration(false);
    conf.setClass("fs.asked.impl", AskedFileSystem.class, FileSystem.class);
    conf.setClassLoader(new URLClassLoader(new URL[0], conf.getClassLoader()));
    org.apache.hadoop.fs.Path there =
        new org.apache.hadoop.fs.Path("asked", null, place().toString());
    try (WriteBehind behind = WriteBehind.start(there, conf)) {
      behind.madeDirectory(path("/made"));
      behind.await();
    }
    assertSame(conf.getClassLoader(), AskedFileSystem.asked);
  }

  private static TreePath path(String text) {
    return TreePath.of(text);
  }

  private static void write(Namespace namespace, String path, byte[] bytes) throws IOException {
    try (MemoryOutputStream out =
        new MemoryOutputStream(namespace.create(path(path), LIKE, (short) 1, 1 << 20, true))) {
      out.write(bytes);
    }
  }

  /** All that is there but for checksums of the file system. */
  private TreeSet<String> files() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    try (Stream<Path> all = Files.walk(place())) {
      all.filter(file -> !file.getFileName().toString().endsWith(".crc"))
          .forEach(file -> names.add(place().relativize(file).toString()));
    }
    names.remove("");
    return names;
  }

  @Test
  void filesRenamesAndDeletionsFollowInTheirOrder() throws IOException {
    byte[] bytes = SmallStore.bytes(random, 1_000_000);
    try (SmallStore store = new SmallStore(directory, 4 << 20, 0);
        WriteBehind behind = start()) {
      Namespace namespace = new Namespace(store.space(), "ann", behind);
      write(namespace, "/out/_temporary/part", bytes);
      namespace.rename(path("/out/_temporary/part"), path("/out/part"), false);
      namespace.delete(path("/out/_temporary"), true);
      namespace.makeDirectories(path("/empty/below"), LIKE);
      write(namespace, "/out/gone", bytes);
      namespace.delete(path("/out/gone"), false);
      write(namespace, "/out/replaced", bytes);
      write(namespace, "/out/replaced", new byte[] {1});
      write(namespace, "/out/over", new byte[] {2});
      namespace.rename(path("/out/over"), path("/out/replaced"), true);
      write(namespace, "/out/cut", bytes);
      namespace.truncate(path("/out/cut"), 10);
      write(namespace, "/out/tail", new byte[] {3});
      namespace.concat(path("/out/cut"), List.of(path("/out/tail")));
      assertTrue(namespace.move(path("/out"), path("/empty")));
      behind.await();
      assertEquals(
          new TreeSet<>(
              List.of(
                  "empty",
                  "empty/below",
                  "empty/out",
                  "empty/out/cut",
                  "empty/out/part",
                  "empty/out/replaced")),
          files());
      assertArrayEquals(bytes, Files.readAllBytes(place().resolve("empty/out/part")));
      assertArrayEquals(new byte[] {2}, Files.readAllBytes(place().resolve("empty/out/replaced")));
      byte[] joined = Arrays.copyOf(bytes, 11);
      joined[10] = 3;
      assertArrayEquals(joined, Files.readAllBytes(place().resolve("empty/out/cut")));
      namespace.delete(path("/empty"), true);
      behind.await();
      assertEquals(0, store.usedBytes());
    }
  }

  @Test
  void aFileThatIsRenamedWhileItIsWrittenComesWithItsNewName() throws IOException {
    try (SmallStore store = new SmallStore(directory, 4 << 20, 0);
        WriteBehind behind = start()) {
      Namespace namespace = new Namespace(store.space(), "ann", behind);
      MemoryOutputStream out =
          new MemoryOutputStream(namespace.create(path("/a"), LIKE, (short) 1, 1 << 20, true));
      out.write(1);
      namespace.rename(path("/a"), path("/b"), false);
      out.close();
      behind.await();
      assertArrayEquals(new byte[] {1}, Files.readAllBytes(place().resolve("b")));
      assertFalse(Files.exists(place().resolve("a")));
    }
  }

  @Test
  void whatIsThereIsNotReadFromThere() throws IOException {
    Files.createDirectories(place());
    Files.writeString(place().resolve("file"), "text");
    try (SmallStore store = new SmallStore(directory, 4 << 20, 0);
        WriteBehind behind = start()) {
      Namespace namespace = new Namespace(store.space(), "ann", behind);
      assertThrows(FileNotFoundException.class, () -> namespace.status(path("/file")));
    }
  }

  @Test
  void afterAFailureNothingMayChangeAndEverythingCanBeRead() throws IOException {
    Files.writeString(place(), "a file where a directory is to be");
    try (SmallStore store = new SmallStore(directory, 4 << 20, 0)) {
      WriteBehind behind = start();
      Namespace namespace = new Namespace(store.space(), "ann", behind);
      MemoryOutputStream open =
          new MemoryOutputStream(namespace.create(path("/open"), LIKE, (short) 1, 1 << 20, true));
      try {
        write(namespace, "/file", new byte[10]);
      } catch (IOException e) {
        assertTrue(e.getMessage().contains("not written behind"), e.getMessage()); // it was fast
      }
      IOException failure = assertThrows(IOException.class, behind::await);
      assertTrue(failure.getMessage().contains("unwritten are /file"), failure.getMessage());
      assertTrue(failure.getMessage().contains(place().toString()), failure.getMessage());
      assertThrows(IOException.class, open::close);
      assertThrows(IOException.class, () -> write(namespace, "/other", new byte[1]));
      assertThrows(IOException.class, () -> namespace.delete(path("/file"), false));
      assertEquals(10, namespace.status(path("/file")).lengthBytes());
      namespace.open(path("/file")).close();
      assertThrows(IOException.class, behind::close);
    }
  }
}
