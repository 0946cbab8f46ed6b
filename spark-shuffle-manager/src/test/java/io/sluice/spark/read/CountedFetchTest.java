package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.read.PeerBlockClient.CountedFetch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.junit.jupiter.api.Test;

class CountedFetchTest {
  @Test
  void countsWhatArrivesAndPassesEverythingOn() {
    List<String> heard = new ArrayList<>();
    BlockFetchingListener listener =
        new BlockFetchingListener() {
          @Override
          public void onBlockFetchSuccess(String id, ManagedBuffer data) {
            heard.add(id + " " + data.size());
          }

          @Override
          public void onBlockFetchFailure(String id, Throwable failure) {
            heard.add(id + " " + failure.getMessage());
          }
        };
    ShuffleCounters counters = new ShuffleCounters();
    CountedFetch fetch = new CountedFetch(listener, counters);
    fetch.onBlockFetchSuccess("a", new NioManagedBuffer(ByteBuffer.allocate(10)));
    fetch.onBlockFetchSuccess("b", new NioManagedBuffer(ByteBuffer.allocate(5)));
    fetch.onBlockFetchFailure("c", new IllegalStateException("lost"));
    assertEquals(List.of("a 10", "b 5", "c lost"), heard);
    assertEquals(Map.of(ShuffleCounters.THROUGH_SPARK, 15L), counters.bytesByWay());
  }
}
