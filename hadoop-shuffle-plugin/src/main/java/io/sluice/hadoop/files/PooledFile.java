package io.sluice.hadoop.files;

import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.text.HostAndPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * A file whose bytes lie in the pool of a node. Each block is an output of one partition. Its runs
 * have {@code runBytes} each, except for the last.
 *
 * @param host of the node, by its name in YARN
 * @param controlPort of its service
 * @param applicationId that owns the outputs
 * @param name of the file, which no other file ever has
 * @param blockBytes of each block but the last
 * @param copied whether there is a copy of the file in the root
 */
record PooledFile(
    String host,
    int controlPort,
    String applicationId,
    String name,
    long blockBytes,
    int runBytes,
    boolean copied) {

  PooledFile {
    if (blockBytes <= 0 || runBytes <= 0 || controlPort <= 0 || controlPort > 0xffff) {
      throw new IllegalArgumentException(
          "a file in blocks of %s bytes and runs of %s at port %s"
              .formatted(blockBytes, runBytes, controlPort));
    }
  }

  /** The address of its node's service. */
  NodeAddress address() {
    return NodeAddress.ofService(host, controlPort);
  }

  /** The prefix of the ids of its outputs, and of no others. */
  String outputPrefix() {
    return name + "-";
  }

  /** The id of a block's output. */
  String outputId(long block) {
    return outputPrefix() + block;
  }

  /** Where Hadoop finds a part of the file: a location for each block. */
  BlockLocation[] locations(long fileBytes, long fromBytes, long lengthBytes) {
    String[] names = {HostAndPort.of(host, controlPort)};
    String[] hosts = {host};
    long endBytes = lengthBytes > fileBytes - fromBytes ? fileBytes : fromBytes + lengthBytes;
    List<BlockLocation> found = new ArrayList<>();
    long startBytes = fromBytes / blockBytes * blockBytes;
    while (startBytes < endBytes) {
      long bytes = Math.min(blockBytes, fileBytes - startBytes);
      found.add(new BlockLocation(names, hosts, startBytes, bytes));
      startBytes += bytes;
    }
    return found.toArray(BlockLocation[]::new);
  }

  /**
   * The status of a file or directory, from its record and the root's file system.
   *
   * <p>Thread contract: as {@link FileStatus}.
   */
  static final class ClusterFileStatus extends FileStatus {
    private static final long serialVersionUID = 1L;

    private final transient PooledFile pooled; // null: it lies in the root, or this was serialised

    private ClusterFileStatus(FileStatus below, Path path, FileRecord record, long blockBytes) {
      super(
          record.lengthBytes(),
          false,
          record.pooled().isPresent() ? 1 : below.getReplication(),
          blockBytes,
          below.getModificationTime(),
          below.getAccessTime(),
          below.getPermission(),
          below.getOwner(),
          below.getGroup(),
          path);
      this.pooled = record.pooled().orElse(null);
    }

    /** The status of a file. */
    static FileStatus of(FileStatus below, Path path, FileRecord record) {
      long blockBytes = record.pooled().map(PooledFile::blockBytes).orElse(below.getBlockSize());
      return new ClusterFileStatus(below, path, record, blockBytes);
    }

    /** The status of a directory. */
    static FileStatus directory(FileStatus below, Path path) {
      return new FileStatus(
          0,
          true,
          0,
          0,
          below.getModificationTime(),
          below.getAccessTime(),
          below.getPermission(),
          below.getOwner(),
          below.getGroup(),
          path);
    }

    /** Where its bytes are, if they are in a pool and this still says so. */
    Optional<PooledFile> pooled() {
      return Optional.ofNullable(pooled);
    }

    // Hadoop has statuses equal if their paths are.
    @Override
    public boolean equals(Object other) {
      return super.equals(other);
    }

    @Override
    public int hashCode() {
      return super.hashCode();
    }
  }
}
