package io.sluice.hadoop.files;

import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.text.HostAndPort;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;

/**
 * A file whose bytes lie in the pool of a node: each block an output of one partition, whose runs
 * have {@code runBytes} each, but for the last.
 *
 * @param host of the node, as YARN calls it
 * @param controlPort of its service
 * @param applicationId whose outputs they are
 * @param name of the file, which no other one ever has
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

  /** Where its node's service can be asked. */
  NodeAddress address() {
    return NodeAddress.ofService(host, controlPort);
  }

  /** What the ids of its outputs begin with, and no others. */
  String outputPrefix() {
    return name + "-";
  }

  /** The output that a block is. */
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
}
