package io.sluice.spark.service;

import io.sluice.node.remote.RemoteClient;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spark.pool.OutputTarget;
import io.sluice.spark.pool.PoolEndpoint;
import io.sluice.spark.service.ServiceConnection.Connected;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import org.apache.spark.storage.BlockManagerId;

/**
 * The pool of this node's service, as an executor's map tasks write to it. Unlike an executor's own
 * pool, it outlives the executor: only the driver frees the outputs in it.
 *
 * <p>Thread contract: safe from any thread, after {@link ServiceConnection#connect}. Ownership:
 * writers close their outputs; this holds nothing. Failure: {@link IOException} if the service is
 * gone.
 */
public final class NodeTarget implements OutputTarget {
  private final ServiceConnection service;
  private final ShuffleCounters counters;
  private final ShuffleKey key;
  private final String applicationId;
  private final FreedShuffles freed = new FreedShuffles();

  NodeTarget(
      ServiceConnection service, ShuffleCounters counters, ShuffleKey key, String applicationId) {
    this.service = service;
    this.counters = counters;
    this.key = key;
    this.applicationId = applicationId;
  }

  @Override
  public BlockManagerId location(BlockManagerId executor) {
    ServiceAddress address = service.connected().service().address();
    return PoolEndpoint.withService(executor, address.host(), address.controlPort());
  }

  @Override
  public Attempt begin(int shuffleId) {
    return freed.begin(shuffleId);
  }

  @Override
  public MapOutput newOutput(Attempt attempt, long mapId, int partitionCount) throws IOException {
    Connected at = service.connected();
    SocketClient client = service.openSocket(at);
    OutputId id = new OutputId(applicationId, BlockRange.output(attempt.shuffleId(), mapId));
    return new MapOutput(
        this,
        attempt,
        client,
        () -> new OutputWriter(client, at.medium(), partitionCount, MapOutput.LEASE_BYTES),
        id,
        MapOutput.maxRuns(partitionCount),
        key == null ? null : () -> key.newOutput(id, partitionCount));
  }

  /**
   * The driver has freed a shuffle on every node. Outputs of attempts that are running now are
   * freed when they commit.
   */
  public void free(int shuffleId) {
    freed.add(shuffleId);
  }

  @Override
  public void committed(Attempt attempt, OutputId id, long lengthBytes) throws IOException {
    counters.wroteToService(lengthBytes);
    if (freed.isFreed(attempt)) {
      try (RemoteClient client = service.openControl()) {
        client.freeOutput(id.outputId());
      }
    }
  }
}
