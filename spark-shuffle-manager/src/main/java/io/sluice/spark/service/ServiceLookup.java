package io.sluice.spark.service;

import io.sluice.node.socket.ServiceFile;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Finds the service of this node and opens sockets to it. It keeps nothing open; {@link
 * ServiceConnection} does.
 *
 * <p>Thread contract: immutable. Failure: {@link IOException} if there is no service, or it does
 * not answer within the timeout.
 */
final class ServiceLookup {
  private final String service;
  private final String applicationId;
  private final JobSecret secret;
  private final long timeoutMs;

  /** A service, and the user who must own its socket. */
  record Service(Owner owner, ServiceAddress address) {}

  /** {@code service} is {@link SparkSettings#YARN_SERVICE} or the service's directory. */
  ServiceLookup(String service, String applicationId, JobSecret secret, long timeoutMs) {
    this.service = service;
    this.applicationId = applicationId;
    this.secret = secret;
    this.timeoutMs = timeoutMs;
  }

  /** Reads where the service is now: YARN passes it in the environment, others write a file. */
  Service find() throws IOException {
    if (service.equals(SparkSettings.YARN_SERVICE)) {
      NodeMetadata metadata = NodeMetadata.find(System.getenv());
      return new Service(metadata.owner(), metadata.address());
    }
    return new Service(Owner.ofThisProcess(), ServiceFile.read(Path.of(service)));
  }

  /** Opens a socket to the service, which learns of the application by that; the caller closes. */
  SocketClient open(Service at) throws IOException {
    return SocketClient.connect(
        at.address().socket(), at.owner(), applicationId, secret, timeoutMs);
  }
}
