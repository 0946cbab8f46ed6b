package io.sluice.spark.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which node service an application names. */
class ServiceSettingTest {
  private static final String NAME = "spark.sluice.service";

  @Test
  void withoutItThereIsNone() {
    assertEquals(Optional.empty(), service(new SparkConf(false)));
  }

  @Test
  void noneIsNoDirectory() {
    assertEquals(Optional.empty(), service(new SparkConf(false).set(NAME, "none")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn", "/dev/shm/sluice"})
  void namesTheNodeManagersOrADirectory(String service) {
    assertEquals(Optional.of(service), service(new SparkConf(false).set(NAME, service)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "sluice", "Yarn", "./sluice"})
  void refusesWhatIsNeither(String service) {
    SparkConf conf = new SparkConf(false).set(NAME, service);
    assertEquals(
        NAME + " is '" + service + "', expected none, yarn or an absolute path",
        assertThrows(IllegalArgumentException.class, () -> SparkSettings.check(conf)).getMessage());
  }

  private static Optional<String> service(SparkConf conf) {
    return SparkSettings.SERVICE.get(SparkSettings.of(conf));
  }
}
