package io.sluice.hadoop.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class FileNodesTest {
  private static final int NODES = 3;

  /** Of a node that answers nothing: longer than this test may take. */
  private static final long IO_TIMEOUT_MS = 600_000;

  @TempDir Path directory;
  private final List<Closeable> open = Collections.synchronizedList(new ArrayList<>());

  private ServerSocket silentNode(CountDownLatch connected) throws IOException {
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    open.add(server);
    DaemonThreads.create(
            "silent-node",
            () -> {
              try {
                open.add(server.accept());
                connected.countDown();
              } catch (IOException e) {
                return; // the test has ended
              }
            })
        .start();
    return server;
  }

  /** One after the other would take each one's deadline. */
  @Test
  @Timeout(120)
  void deadNodesAreWaitedForTogether() throws Exception {
    CountDownLatch connected = new CountDownLatch(NODES);
    List<PooledFile> files = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      int port = silentNode(connected).getLocalPort();
      files.add(
          new PooledFile(
              "127.0.0.1", port, "files_of_somebody", "file" + i, 1 << 20, 1 << 20, false));
    }
    Configuration conf = new Configuration(false);
    conf.set("sluice.cluster.root", directory.resolve("root").toUri().toString());
    conf.set("fs.file.impl", RawLocalFileSystem.class.getName());
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.set("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.RawLocalFs");
    FileCounts counts = new FileCounts();
    try (FileNodes nodes = new FileNodes(FilesRoot.open(conf), conf, IO_TIMEOUT_MS, null, counts)) {
      Thread freeing = DaemonThreads.create("freeing", () -> nodes.free(files));
      freeing.start();
      assertTrue(connected.await(2, TimeUnit.MINUTES), "all are asked, and none has answered");
      Closer.all(List.copyOf(open)); // servers first, in order: nobody connects again
      freeing.join();
    }
    assertEquals(Map.of("files_not_freed", (long) NODES), counts.found());
  }
}
