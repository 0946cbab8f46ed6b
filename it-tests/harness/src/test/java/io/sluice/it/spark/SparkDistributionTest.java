package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.ClusterException;
import org.junit.jupiter.api.Test;

class SparkDistributionTest {
  @Test
  void aReleaseThatIsNotThereComesWithTheCommandThatFetchesIt() {
    String message =
        assertThrows(ClusterException.class, () -> SparkDistribution.locate("0.1")).getMessage();
    assertTrue(message.endsWith("run: ./sluice fetch-spark 0.1"), message);
  }
}
