package io.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.bench.Bench.SameOutput;
import io.sluice.it.cluster.ClusterException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SameOutputTest {
  @Test
  void oneThatDiffersIsSaidWithWhoHasPutItOut() {
    SameOutput<List<String>> output = new SameOutput<>("word count");
    output.add("stock", List.of("a"));
    output.add("tuned", List.of("a"));
    ClusterException e =
        assertThrows(ClusterException.class, () -> output.add("ours", List.of("b")));
    assertEquals("word count: ours put out [b], others [a]", e.getMessage());
    assertEquals(List.of("a"), output.get());
  }
}
