package io.sluice.hadoop.files;

import io.sluice.hadoop.files.ClusterOutputStream.PoolWriter;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.FilesId;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.Timeouts;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.writer.WriteTarget;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;

/**
 * The service of the node on which this process is a container.
 *
 * <p>Thread contract: immutable. Ownership: a caller that connects closes the connection. Failure:
 * {@link IOException} with the reason.
 */
final class ContainerNode {
  /** A reader reads and checks so much at once, and has as much heap for each open file. */
  private static final int RUN_BYTES = 512 << 10;

  private final NodeMetadata service;
  private final String host;
  private final String applicationId;
  private final JobSecret secret;
  private final long timeoutMs;

  private ContainerNode(
      NodeMetadata service, String host, String applicationId, JobSecret secret, long timeoutMs) {
    this.service = service;
    this.host = host;
    this.applicationId = applicationId;
    this.secret = secret;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Finds the service.
   *
   * @param environment of the container
   * @throws IOException that says why there is none
   */
  static ContainerNode find(Map<String, String> environment, FilesRoot root, long timeoutMs)
      throws IOException {
    NodeMetadata service = NodeMetadata.find(environment);
    String host = environment.get(Environment.NM_HOST.name());
    if (host == null) {
      throw new IOException("the environment does not name this node: no " + Environment.NM_HOST);
    }
    String applicationId = FilesId.of(Owner.ofThisProcess(), root.id());
    return new ContainerNode(service, host, applicationId, root.secret(), timeoutMs);
  }

  /** Whether this id is that of this user's files. */
  boolean isOwnersId(String filesId) {
    return filesId.equals(applicationId);
  }

  /** Connects as the user's files. */
  SocketClient connect() throws IOException {
    return SocketClient.connect(
        service.address().socket(),
        service.owner(),
        Borrower.PROCESS,
        applicationId,
        secret,
        Timeouts.all(timeoutMs));
  }

  /** Begins a file in the node's pool. */
  PoolWriter begin(long blockBytes, boolean copied) throws IOException {
    SocketClient node = connect();
    try {
      Medium medium = MediumChooser.choose(service.address().medium(), node.places()).medium();
      String name = UUID.randomUUID().toString();
      PooledFile file =
          new PooledFile(
              host,
              service.address().controlPort(),
              applicationId,
              name,
              blockBytes,
              RUN_BYTES,
              copied);
      return new PoolWriter(node, WriteTarget.mapped(node, medium), file);
    } catch (IOException | RuntimeException e) {
      node.close();
      throw e;
    }
  }
}
