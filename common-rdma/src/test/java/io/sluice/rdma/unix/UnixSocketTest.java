package io.sluice.rdma.unix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.unix.UnixSocket.LostDescriptorsException;
import io.sluice.rdma.unix.UnixSocket.PeerCredentials;
import io.sluice.rdma.unix.UnixSocket.SentQueue;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class UnixSocketTest {
  private static final int RACES = 4_000;

  @TempDir Path directory;
  private LeakCheck leaks;
  private long openFiles;

  @BeforeEach
  void openBooks() throws IOException {
    pair(UnixSocket.Interrupts.END_IT).close(); // what is loaded with the first stays open
    leaks = new LeakCheck();
    openFiles = openFiles();
  }

  @AfterEach
  void closeBooks() throws Exception {
    leaks.check();
    assertEquals(openFiles, openFiles(), "open files before and after");
  }

  private SocketPair pair(UnixSocket.Interrupts interrupts) throws IOException {
    return SocketPair.at(directory.resolve("s"), interrupts);
  }

  private static long soon() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
  }

  /** Nothing says when a full queue has room again. */
  @Test
  void aFullQueueIsWaitedForUntilTheDeadline() throws Exception {
    Path path = directory.resolve("full");
    List<UnixSocket> sockets = new ArrayList<>();
    try (UnixListener listener = UnixListener.bind(path, 1)) {
      IOException late =
          assertThrows(
              IOException.class,
              () -> {
                while (true) { // as many as the kernel lets wait
                  long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
                  sockets.add(UnixSocket.connect(path, UnixSocket.Interrupts.END_IT, deadlineNs));
                }
              });
      assertTrue(late.getMessage().contains("no place in the queue"), late.getMessage());
      CompletableFuture<UnixSocket> waiting =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return UnixSocket.connect(path, UnixSocket.Interrupts.END_IT, soon());
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
      sockets.add(listener.accept());
      sockets.add(waiting.get(120, TimeUnit.SECONDS));
      Thread.currentThread().interrupt();
      assertThrows(
          ClosedByInterruptException.class,
          () -> UnixSocket.connect(path, UnixSocket.Interrupts.END_IT, soon()));
      assertTrue(Thread.interrupted());
    } finally {
      Closer.all(sockets);
      Files.delete(path);
    }
  }

  @Test
  void eachKnowsWhoTheOtherIs() throws IOException {
    int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    int gid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
    PeerCredentials self = new PeerCredentials((int) ProcessHandle.current().pid(), uid, gid);
    try (SocketPair pair = pair(UnixSocket.Interrupts.END_IT)) {
      assertEquals(self, pair.one().peer());
      assertEquals(self, pair.other().peer());
    }
  }

  @Test
  void whatIsSentIsInTheQueueUntilItIsReceived() throws IOException {
    try (SocketPair pair = pair(UnixSocket.Interrupts.END_IT);
        SentQueue queue = pair.one().sentQueue()) {
      assertEquals(0, queue.untakenBytes());
      for (int i = 0; i < 2; i++) {
        assertTrue(pair.one().send(ByteBuffer.wrap(new byte[] {1, 2}), List.of(), soon()));
      }
      assertTrue(queue.untakenBytes() > 0);
      assertEquals(3, pair.other().receive(ByteBuffer.allocate(3), soon()));
      assertTrue(queue.untakenBytes() > 0, "one byte");
      assertEquals(1, pair.other().receive(ByteBuffer.allocate(3), soon()));
      assertEquals(0, queue.untakenBytes());
      pair.one().send(ByteBuffer.wrap(new byte[] {1, 2}), List.of(), soon());
      pair.one().close();
      assertTrue(queue.untakenBytes() > 0, "it outlives the socket");
      queue.endConnection();
      assertEquals(2, pair.other().receive(ByteBuffer.allocate(3), soon()));
      assertEquals(-1, pair.other().receive(ByteBuffer.allocate(3), soon()));
      assertEquals(0, queue.untakenBytes());
    }
  }

  @Test
  void anInterruptEndsTheWaitAndTheSocket() throws IOException {
    try (SocketPair pair = pair(UnixSocket.Interrupts.END_IT)) {
      Thread.currentThread().interrupt();
      assertThrows(
          ClosedByInterruptException.class,
          () -> pair.one().receive(ByteBuffer.allocate(1), soon()));
      assertTrue(Thread.interrupted(), "the interrupt must stay pending for the caller");
      assertThrows(
          ClosedChannelException.class, () -> pair.one().receive(ByteBuffer.allocate(1), soon()));
      assertEquals(-1, pair.other().receive(ByteBuffer.allocate(1), soon()));
    }
  }

  @Test
  void anInterruptLeavesASharedSocketAlone() throws Exception {
    try (SocketPair pair = pair(UnixSocket.Interrupts.WAIT)) {
      CompletableFuture<Thread> waiting = new CompletableFuture<>();
      CompletableFuture<Boolean> received =
          CompletableFuture.supplyAsync(
              () -> {
                waiting.complete(Thread.currentThread());
                try {
                  boolean one = pair.one().receive(ByteBuffer.allocate(1), soon()) == 1;
                  return Thread.interrupted() && one;
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
      waiting.get().interrupt(); // before or during the wait
      pair.other().send(ByteBuffer.allocate(1), List.of(), soon());
      assertTrue(received.get(), "the byte came, and the flag was still set");
    }
  }

  @Test
  void aProcessWithoutRoomForThemIsLeftWithNone() throws Exception {
    List<Descriptor> files = new ArrayList<>();
    try (SocketPair pair = pair(UnixSocket.Interrupts.END_IT)) {
      pair.other().send(ByteBuffer.allocate(1), List.of(open(files)), soon());
      assertThrows( // loads the classes while there is room
          LostDescriptorsException.class, () -> pair.one().receive(ByteBuffer.allocate(1), soon()));
      while (files.size() < UnixSocket.MAX_DESCRIPTORS) {
        open(files);
      }
      pair.other().send(ByteBuffer.allocate(1), files, soon());
      long before = openFiles();
      LostDescriptorsException e =
          OpenFilesLimit.withRoomFor(
              3,
              () -> {
                List<Descriptor> received = new ArrayList<>();
                LostDescriptorsException lost =
                    assertThrows(
                        LostDescriptorsException.class,
                        () -> pair.one().receive(ByteBuffer.allocate(1), received, soon()));
                assertEquals(List.of(), received);
                return lost;
              });
      assertTrue(e.getMessage().contains("ulimit -n"), e.getMessage());
      assertEquals(before, openFiles());
    } finally {
      Closer.all(files);
    }
  }

  /** Descriptors of sockets and of /dev/null; any other file may be the JVM's, which collects. */
  private static long openFiles() {
    return Arrays.stream(new File("/proc/self/fd").listFiles())
        .map(UnixSocketTest::target)
        .filter(target -> target.equals("/dev/null") || target.startsWith("socket:"))
        .count();
  }

  private static String target(File descriptor) {
    try {
      return Files.readSymbolicLink(descriptor.toPath()).toString();
    } catch (IOException closedMeanwhile) {
      return "";
    }
  }

  private static Descriptor open(List<Descriptor> into) throws IOException {
    Descriptor file = Descriptor.open(Path.of("/dev/null"), false);
    into.add(file);
    return file;
  }

  /** The limit of this process on open files. */
  private static final class OpenFilesLimit {
    private static final int RLIMIT_NOFILE = 7;

    static {
      Native.register(OpenFilesLimit.class, "c");
    }

    static native int getrlimit(int resource, long[] softAndHard) throws LastErrorException;

    static native int setrlimit(int resource, long[] softAndHard) throws LastErrorException;

    static <T> T withRoomFor(int files, Supplier<T> action) throws IOException {
      long[] limits = new long[2];
      getrlimit(RLIMIT_NOFILE, limits);
      List<Descriptor> fill = new ArrayList<>();
      try {
        long next;
        do { // every number below it is taken then
          open(fill);
          next = fill.get(fill.size() - 1).number() + 1;
        } while (next <= highest());
        setrlimit(RLIMIT_NOFILE, new long[] {next + files, limits[1]});
        return action.get();
      } finally {
        setrlimit(RLIMIT_NOFILE, limits);
        Closer.all(fill);
      }
    }

    private static int highest() {
      String[] open = new File("/proc/self/fd").list();
      int highest = 0;
      for (String number : open) {
        if (Files.exists(Path.of("/proc/self/fd", number))) {
          highest = Math.max(highest, Integer.parseInt(number));
        }
      }
      return highest;
    }
  }

  /**
   * Sockets are closed while others wait in them, and their numbers are given to new files at once:
   * those of pairs that must not notice.
   */
  @Test
  void numbersThatAreUsedAgainAreNotMistaken() throws Exception {
    Random random = TestSeed.random();
    CompletableFuture<Void> bystanders = new CompletableFuture<>();
    CompletableFuture<Void> opener =
        CompletableFuture.runAsync(() -> openUntil(bystanders), UnixSocketTest::run);
    try {
      for (int i = 0; i < RACES; i++) {
        closeWhileReceiving(random.nextInt(200), random.nextInt(3) > 0, i);
      }
    } finally {
      bystanders.complete(null);
    }
    opener.get();
  }

  private static void run(Runnable task) {
    new Thread(task).start();
  }

  /** Each new pair carries a byte there and back, whatever becomes of others. */
  private void openUntil(CompletableFuture<Void> end) {
    ByteBuffer one = ByteBuffer.allocate(1);
    try {
      while (!end.isDone()) {
        try (SocketPair pair =
            SocketPair.at(directory.resolve("bystander"), UnixSocket.Interrupts.END_IT)) {
          assertTrue(pair.one().send(one.clear(), List.of(), soon()));
          assertEquals(1, pair.other().receive(one.clear(), soon()));
          assertTrue(pair.other().send(one.clear(), List.of(), soon()));
          assertEquals(1, pair.one().receive(one.clear(), soon()));
        }
      }
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private void closeWhileReceiving(int spins, boolean here, int round) throws Exception {
    try (SocketPair pair = pair(UnixSocket.Interrupts.END_IT)) {
      CompletableFuture<Void> waiting = new CompletableFuture<>();
      CompletableFuture<Integer> received =
          CompletableFuture.supplyAsync(
              () -> {
                waiting.complete(null);
                try {
                  return pair.one().receive(ByteBuffer.allocate(1), soon());
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
      waiting.get();
      for (int i = 0; i < spins; i++) {
        Thread.onSpinWait();
      }
      (here ? pair.one() : pair.other()).close();
      if (!here) {
        assertEquals(-1, received.get(), "round " + round);
      } else {
        Throwable cause = assertThrows(CompletionException.class, received::join).getCause();
        assertInstanceOf(ClosedChannelException.class, cause);
      }
    }
  }

  @Test
  void closeEndsTheWaitOfAListener() throws Exception {
    for (int i = 0; i < 50; i++) {
      UnixListener listener = UnixListener.bind(directory.resolve("l" + i), 1);
      CompletableFuture<Void> started = new CompletableFuture<>();
      CompletableFuture<Void> accepting =
          CompletableFuture.runAsync(
              () -> {
                started.complete(null);
                try {
                  listener.accept().close();
                } catch (IOException e) {
                  throw new CompletionException(e);
                }
              });
      started.join();
      listener.close();
      Throwable cause = assertThrows(CompletionException.class, accepting::join).getCause();
      assertTrue(
          cause instanceof AsynchronousCloseException || cause instanceof ClosedChannelException,
          cause.toString());
    }
  }

  @Test
  void aPathThatIsTooLongIsNamed() {
    Path path = directory.resolve("x".repeat(100));
    IOException e = assertThrows(IOException.class, () -> UnixListener.bind(path, 1));
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
  }
}
