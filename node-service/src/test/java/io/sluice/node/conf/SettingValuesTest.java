package io.sluice.node.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.verbs.VerbsNetwork;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values with units, and booleans: what they are read as, and what is refused. */
class SettingValuesTest {
  private static final Setting<Long> SIZE = Setting.size("a.size", "1g", "0b", "16t", "A size.");
  private static final Setting<Long> TIME =
      Setting.time("a.time", "30s", "100ms", "10min", "A time.");
  private static final Setting<Boolean> BOOL = Setting.bool("a.bool", false, "A choice.");

  @Test
  void whatIsNotSetIsTheDefault() {
    assertEquals(1L << 30, SIZE.get(name -> null));
    assertEquals(30_000, TIME.get(name -> null));
    assertEquals(false, BOOL.get(name -> null));
  }

  @ParameterizedTest
  @CsvSource({
    "4g, 4294967296",
    "4G, 4294967296",
    "4gb, 4294967296",
    "64m, 67108864",
    "64MB, 67108864",
    "2048k, 2097152",
    "0b, 0",
    "1048576b, 1048576",
    "16t, 17592186044416"
  })
  void readsSizes(String text, long bytes) {
    assertEquals(bytes, SIZE.get(name -> text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "64",
        "1.5g",
        "-1m",
        "64x",
        "",
        "m",
        "64 m",
        "1023k",
        "1b",
        "17t",
        "99999999999t",
        "9999999999999999999m",
        "lots"
      })
  void refusesWhatIsNoSizeAndSaysHowOneLooks(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> SIZE.get(name -> text)).getMessage();
    assertEquals(
        "a.size is '"
            + text
            + "', expected a size in whole MiB with its unit, such as 64m, from 0b to 16t",
        message);
  }

  @ParameterizedTest
  @CsvSource({"100ms, 100", "2s, 2000", "5min, 300000", "5m, 300000", "10MIN, 600000"})
  void readsTimes(String text, long ms) {
    assertEquals(ms, TIME.get(name -> text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"30000", "99ms", "1h", "500000us", "1d", "-1s", "", "soon"})
  void refusesWhatIsNoTimeAndSaysHowOneLooks(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> TIME.get(name -> text)).getMessage();
    assertEquals(
        "a.time is '" + text + "', expected a time with its unit, such as 30s, from 100ms to 10min",
        message);
  }

  @ParameterizedTest
  @CsvSource({"true, true", "TRUE, true", "False, false"})
  void readsBooleans(String text, boolean expected) {
    assertEquals(expected, BOOL.get(name -> text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"perhaps", "1", ""})
  void refusesWhatIsNoBoolean(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> BOOL.get(name -> text)).getMessage();
    assertTrue(message.endsWith("expected true or false"), message);
  }

  @Test
  void bothEnginesHaveTheSameLimits() {
    assertEquals(LimitSettings.HADOOP.get(name -> null), LimitSettings.SPARK.get(name -> null));
  }

  @Test
  void bothEnginesLeaveTheNetworkAsItIs() {
    assertEquals(VerbsNetwork.DEFAULT, VerbsSettings.HADOOP.get(name -> null));
    assertEquals(VerbsNetwork.DEFAULT, VerbsSettings.SPARK.get(name -> null));
  }

  @Test
  void readsTheNetwork() {
    Map<String, String> values =
        Map.of(
            "a.traffic-class", "104",
            "a.service-level", "3",
            "a.partition-key", "0x8001",
            "a.timeout-code", "14",
            "a.retry-count", "2",
            "a.mtu", "1024",
            "a.on-demand-paging", "true");
    VerbsSettings settings = VerbsSettings.withPrefix("a.");
    assertEquals(new VerbsNetwork(104, 3, 0x8001, 14, 2, 1024, true), settings.get(values::get));
    assertEquals(values.keySet(), names(settings));
  }

  private static Set<String> names(VerbsSettings settings) {
    return settings.all().stream().map(Setting::name).collect(Collectors.toSet());
  }

  @ParameterizedTest
  @CsvSource({
    "traffic-class, 256",
    "service-level, 16",
    "partition-key, 0x10000",
    "partition-key, 0",
    "timeout-code, 32",
    "retry-count, 8",
    "mtu, 1500",
    "on-demand-paging, maybe"
  })
  void refusesNetworksThatAreNone(String name, String value) {
    VerbsSettings settings = VerbsSettings.withPrefix("");
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> settings.get(key -> key.equals(name) ? value : null))
            .getMessage();
    assertTrue(message.startsWith(name + " is '" + value + "', expected"), message);
  }
}
