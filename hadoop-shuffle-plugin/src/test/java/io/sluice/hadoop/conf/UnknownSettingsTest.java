package io.sluice.hadoop.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

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
}
