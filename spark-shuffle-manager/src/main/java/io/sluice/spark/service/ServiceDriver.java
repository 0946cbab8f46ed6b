package io.sluice.spark.service;

import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.pool.BlockNames;
import io.sluice.spark.pool.Endpoint;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The driver's side of the nodes' services: has them free what nobody needs any more, since the
 * executors that wrote it may be gone. It knows the services from the map outputs.
 *
 * <p>Thread contract: Spark's cleaner and the thread that stops the context. Failure: a service
 * that cannot be reached is said and left; it frees everything when nobody of the application has
 * come for long enough.
 */
final class ServiceDriver extends LocalDiskShuffleDriverComponents {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceDriver.class);

  private final SparkConf conf;
  private final Set<NodeAddress> services = new HashSet<>();

  ServiceDriver(SparkConf conf) {
    this.conf = conf;
  }

  /** An executor that is lost has not lost its outputs; one that has is found out by a reader. */
  @Override
  public boolean supportsReliableStorage() {
    return true;
  }

  @Override
  public void removeShuffle(int shuffleId, boolean blocking) {
    Option<ShuffleStatus> status = tracker().shuffleStatuses().get(shuffleId);
    if (status.isDefined()) {
      Set<NodeAddress> ofShuffle = servicesOf(status.get());
      synchronized (this) {
        services.addAll(ofShuffle);
      }
      ofShuffle.forEach(
          service -> tell(service, client -> client.freeOutputs(BlockNames.ofShuffle(shuffleId))));
    }
    super.removeShuffle(shuffleId, blocking);
  }

  @Override
  public synchronized void cleanupApplication() {
    CollectionConverters.asJava(tracker().shuffleStatuses())
        .values()
        .forEach(status -> services.addAll(servicesOf(status)));
    services.forEach(service -> tell(service, RemoteClient::applicationStopped));
    super.cleanupApplication();
  }

  private static MapOutputTrackerMaster tracker() {
    return (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
  }

  private static Set<NodeAddress> servicesOf(ShuffleStatus shuffle) {
    return shuffle.withMapStatuses(
        statuses -> {
          Set<NodeAddress> found = new HashSet<>();
          for (MapStatus status : statuses) {
            if (status != null) {
              Endpoint.ofService(status.location()).ifPresent(found::add);
            }
          }
          return found;
        });
  }

  private interface Message {
    void tell(RemoteClient service) throws IOException;
  }

  private void tell(NodeAddress service, Message message) {
    long timeoutMs = SparkSettings.IO_TIMEOUT_MS.get(SparkSettings.of(conf));
    try (RemoteClient client =
        RemoteClient.connect(
            service.control(), conf.getAppId(), ApplicationSecret.of(conf), timeoutMs)) {
      message.tell(client);
    } catch (IOException e) {
      LOG.warn("{} could not be told to free outputs: {}", service.name(), e.toString());
    }
  }
}
