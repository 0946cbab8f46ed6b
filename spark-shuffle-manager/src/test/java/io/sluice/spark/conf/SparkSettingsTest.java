package io.sluice.spark.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.conf.Setting;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names and defaults of an application's settings. */
class SparkSettingsTest {
  static Stream<Setting<?>> all() {
    return Stream.of(
            SparkSettings.all(), SparkSettings.VERBS.all(), SparkSettings.LIMITS.forExperiments())
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("all")
  void defaultIsValid(Setting<?> setting) {
    setting.get(SparkSettings.of(new SparkConf(false)));
  }

  @ParameterizedTest
  @MethodSource("all")
  void nameIsLikeSparks(Setting<?> setting) {
    assertTrue(setting.name().matches("spark\\.sluice(\\.[a-z][a-zA-Z]*)+"), setting.name());
  }

  @Test
  void noNameMeansTwoThings() {
    List<String> names = all().map(Setting::name).toList();
    assertEquals(names.stream().distinct().toList(), names);
  }

  @Test
  void anOldNameIsToldTheNewOneAndAMisspeltOneIsNoSetting() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.capacity-mb", "4096")
            .set("spark.sluice.pool.size", "4g")
            .set("spark.sluice.pool.segmentSize", "64m")
            .set("spark.sluice.secret", "00")
            .set("spark.executor.memory", "4g");
    assertEquals(
        "spark.sluice.pool.capacity-mb is now called spark.sluice.pool.capacity;"
            + " spark.sluice.pool.size is no setting of Sluice; the nearest name is"
            + " spark.sluice.pool.dir",
        assertThrows(IllegalArgumentException.class, () -> SparkSettings.check(conf)).getMessage());
  }

  @Test
  void valuesAreTrimmed() {
    SparkConf conf = new SparkConf(false).set("spark.sluice.pool.capacity", " 64m ");
    assertEquals(
        OptionalLong.of(64 << 20), SparkSettings.POOL_CAPACITY_BYTES.get(SparkSettings.of(conf)));
  }

  @Test
  void aSizeWithoutUnitIsRefused() {
    SparkConf conf = new SparkConf(false).set("spark.sluice.pool.capacity", "4096");
    String message =
        assertThrows(IllegalArgumentException.class, () -> SparkSettings.check(conf)).getMessage();
    assertTrue(message.startsWith("spark.sluice.pool.capacity is '4096'"), message);
  }
}
