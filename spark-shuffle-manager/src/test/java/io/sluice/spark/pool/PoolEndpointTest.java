package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.NodeAddress;
import java.net.InetSocketAddress;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import scala.Option;

class PoolEndpointTest {
  private static final BlockManagerId EXECUTOR =
      BlockManagerId.apply("3", "127.0.0.1", 7000, Option.empty());

  @Test
  void anExecutorsPoolIsAtTheExecutor() {
    BlockManagerId location = PoolEndpoint.withPort(EXECUTOR, 4711);
    assertEquals(address("executor 3 on 127.0.0.1", "127.0.0.1"), PoolEndpoint.of(location).get());
    assertTrue(PoolEndpoint.ofService(location).isEmpty());
  }

  @Test
  void aServiceIsAtTheExecutorsHostOrWhereItSays() {
    BlockManagerId here = PoolEndpoint.withService(EXECUTOR, "", 4711);
    assertEquals(address("node service on 127.0.0.1", "127.0.0.1"), PoolEndpoint.of(here).get());
    assertEquals(PoolEndpoint.of(here), PoolEndpoint.ofService(here));
    BlockManagerId there = PoolEndpoint.withService(EXECUTOR, "127.0.0.2", 4711);
    assertEquals(address("node service on 127.0.0.2", "127.0.0.2"), PoolEndpoint.of(there).get());
    assertEquals(EXECUTOR.host(), there.host());
  }

  @Test
  void whatIsNotOursIsNoPool() {
    assertTrue(PoolEndpoint.of(EXECUTOR).isEmpty());
    assertTrue(
        PoolEndpoint.of(BlockManagerId.apply("3", "127.0.0.1", 7000, Option.apply("/rack-1")))
            .isEmpty());
  }

  private static NodeAddress address(String name, String host) {
    return new NodeAddress(name, new InetSocketAddress(host, 4711));
  }
}
