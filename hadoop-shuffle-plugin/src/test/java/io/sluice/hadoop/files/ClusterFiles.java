package io.sluice.hadoop.files;

import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.FilesId;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Processes that have files of one root: tasks on nodes, and drivers. */
final class ClusterFiles {
  static final int BLOCK_BYTES = 1 << 20;

  private static final URI CLUSTER = URI.create("sluice://cluster/");

  private final Configuration conf = new Configuration(false);

  /** Whose names are in this directory. */
  ClusterFiles(Path root) {
    conf.set("sluice.cluster.root", root.toUri().toString());
    conf.set("sluice.reduce.transport", "tcp");
    // One that shows what was flushed, as HDFS does.
    conf.set("fs.file.impl", RawLocalFileSystem.class.getName());
    conf.setBoolean("fs.file.impl.disable.cache", true); // other tests have the usual one
    conf.set("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.RawLocalFs");
  }

  ClusterFiles with(String key, String value) {
    conf.set(key, value);
    return this;
  }

  /** The file system as a process outside of any node has it; the caller closes it. */
  ClusterFileSystem driver() throws IOException {
    return open(Map.of());
  }

  /** The same in a container of a node. */
  ClusterFileSystem task(TestNode node) throws IOException {
    Map<String, String> environment = new HashMap<>(node.environment());
    environment.put("NM_HOST", "localhost");
    return open(environment);
  }

  private ClusterFileSystem open(Map<String, String> environment) throws IOException {
    FileSystem.Statistics counts = new FileSystem.Statistics(CLUSTER.getScheme());
    ClusterFileSystem files = new ClusterFileSystem(() -> counts, environment);
    files.initialize(CLUSTER, conf);
    return files;
  }

  /** One that reads the files of this user at a node, and keeps a connection; likewise. */
  RemoteClient reader(TestNode node, long timeoutMs) throws IOException {
    FilesRoot root = FilesRoot.open(conf);
    String files = FilesId.of(Owner.ofThisProcess(), root.id());
    return RemoteClient.connect(node.address().control(), files, root.secret(), timeoutMs);
  }

  static org.apache.hadoop.fs.Path path(String path) {
    return new org.apache.hadoop.fs.Path(path);
  }

  static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  /** Begins a file; the caller closes it. */
  static FSDataOutputStream begin(FileSystem files, String path) throws IOException {
    return files.create(path(path), true, 4096, (short) 1, BLOCK_BYTES);
  }

  static void write(FileSystem files, String path, byte[] bytes) throws IOException {
    try (FSDataOutputStream out = begin(files, path)) {
      out.write(bytes, 0, 100);
      out.write(bytes, 100, bytes.length - 100);
    }
  }
}
