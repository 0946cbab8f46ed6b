package io.sluice.node.socket;

import io.sluice.node.wire.NodeMetadata;
import java.io.IOException;
import java.util.Base64;
import java.util.Map;

/**
 * The metadata that a NodeManager's service puts into the environment of its node's containers. No
 * class of YARN is needed to read it: Spark's executors may have none.
 *
 * <p>Thread contract: stateless. Failure: {@link IOException} in plain words.
 */
public final class ServiceAnnouncement {
  /** How NodeManagers' configurations call the service. */
  public static final String AUXILIARY_SERVICE = "sluice_shuffle";

  /** The variable for the data of the auxiliary service of that name, in Base64. */
  static final String VARIABLE = "NM_AUX_SERVICE_" + AUXILIARY_SERVICE;

  private ServiceAnnouncement() {}

  /**
   * Finds that of a service that works.
   *
   * @param environment of the container
   * @throws IOException if there is no service, it is of another release, or does not work
   */
  public static NodeMetadata find(Map<String, String> environment) throws IOException {
    String encoded = environment.getOrDefault(VARIABLE, "");
    if (encoded.isEmpty()) {
      throw new IOException(
          "this node's NodeManager runs no auxiliary service "
              + AUXILIARY_SERVICE
              + "; see yarn.nodemanager.aux-services");
    }
    NodeMetadata metadata;
    try {
      metadata = NodeMetadata.decode(Base64.getDecoder().decode(encoded));
    } catch (IllegalArgumentException e) {
      throw new IOException(VARIABLE + " is not of Sluice's service", e);
    }
    if (!metadata.isRunning()) {
      throw new IOException(
          "this node's Sluice service could not start: " + metadata.degradedReason());
    }
    return metadata;
  }
}
