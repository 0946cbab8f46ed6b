package io.sluice.hadoop.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.conf.Setting;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names that nobody reads any more, or never did. */
class UnknownSettingsTest {
  @Test
  void whatIsReadIsKnown() {
    Configuration conf = new Configuration(false);
    UnknownSettings.all().forEach(setting -> conf.set(setting.name(), "1"));
    conf.set("mapreduce.shuffle.port", "1");

    assertEquals(List.of(), UnknownSettings.in(conf));
  }

  @Test
  void anOldNameIsToldTheNewOne() {
    Configuration conf = new Configuration(false);
    conf.set("sluice.transport", "tcp");
    conf.set("sluice.bounce.buffer-mb", "32");

    assertEquals(
        List.of(
            "sluice.bounce.buffer-mb is now called sluice.service.bounce-buffer-mb",
            "sluice.transport is now called sluice.reduce.transport (of jobs) and"
                + " sluice.service.transport (of NodeManagers)"),
        UnknownSettings.in(conf));
  }

  @Test
  void aMisspeltNameIsNoSetting() {
    Configuration conf = new Configuration(false);
    conf.set("sluice.pool.capacity", "4096");

    assertEquals(
        List.of(
            "sluice.pool.capacity is no setting of Sluice; the nearest name is"
                + " sluice.pool.capacity-mb"),
        UnknownSettings.in(conf));
  }

  @ParameterizedTest
  @CsvSource({
    "sluice.reduce.bufer-mb, NO_SETTING reduce.bufer-mb (nearest reduce.buffer-mb)",
    "sluice.restart.timeout, NO_SETTING restart.timeout (nearest restart.timeout-ms)",
    "sluice.nothing.like-it, NO_SETTING nothing.like-it"
  })
  void aCounterNamesItWithTheNearest(String name, String counter) {
    assertEquals(counter, UnknownSettings.counter(name));
  }

  /** Hadoop cuts longer ones. */
  @Test
  void aCounterHasRoomForEverySettingOfAJobWithALetterTooMuch() {
    for (Setting<?> setting : JobSettings.all()) {
      String counter = UnknownSettings.counter(setting.name() + "s");
      assertTrue(counter.contains("nearest " + setting.name().replace("sluice.", "")), counter);
      assertTrue(counter.length() <= 64, counter);
    }
  }
}
