package io.sluice.hadoop.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.node.conf.Setting;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings: defaults, and what a value that is none is answered with. */
final class SettingTest {
  static Stream<Setting<?>> all() {
    return UnknownSettings.all();
  }

  @ParameterizedTest
  @MethodSource("all")
  void defaultIsValid(Setting<?> setting) {
    setting.get(new Configuration(false)::getTrimmed);
  }

  @ParameterizedTest
  @MethodSource("all")
  void nameIsOfOurs(Setting<?> setting) {
    assertTrue(setting.name().matches("sluice\\.[a-z]+\\.?[a-z-]*"), setting.name());
  }

  @Test
  void noNameMeansTwoThings() {
    List<Setting<?>> different = all().distinct().toList();
    assertEquals(
        different.stream().map(Setting::name).distinct().toList(),
        different.stream().map(Setting::name).toList());
  }

  /** The entries read it by themselves, where Java may be too old for settings. */
  @ParameterizedTest
  @EnumSource(FallbackPolicy.class)
  void theEntriesKnowTheFallbackPolicyToo(FallbackPolicy policy) {
    Configuration conf = new Configuration(false);
    assertEquals(
        FallbackPolicy.of(conf).value(), JobSettings.FALLBACK_POLICY.get(conf::getTrimmed));
    conf.set(JobSettings.FALLBACK_POLICY.name(), " " + policy.value());
    assertEquals(policy, FallbackPolicy.of(conf));
    assertEquals(policy.value(), JobSettings.FALLBACK_POLICY.get(conf::getTrimmed));
  }

  @ParameterizedTest
  @CsvSource({"0", "1025", "-1", "many", "''", "99999999999", "64m", "1.5"})
  void integerThatIsNoneNamesKeyValueAndRange(String value) {
    Configuration conf = new Configuration(false);
    conf.set(JobSettings.REDUCE_BUFFER_MB.name(), value);
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> JobSettings.REDUCE_BUFFER_MB.get(conf::getTrimmed));
    assertEquals(
        "sluice.reduce.buffer-mb is '" + value + "', expected a whole number from 1 to 1024",
        e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"1,1", "1024,1024", "' 77 ',77", "0x10,16"})
  void integerIsReadAsHadoopReadsIt(String value, int expected) {
    Configuration conf = new Configuration(false);
    conf.set(JobSettings.REDUCE_BUFFER_MB.name(), value);
    assertEquals(expected, JobSettings.REDUCE_BUFFER_MB.get(conf::getTrimmed));
  }

  @Test
  void choiceThatIsNoneNamesKeyValueAndChoices() {
    Configuration conf = new Configuration(false);
    conf.set("sluice.reduce.transport", "carrier-pigeon");
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> JobSettings.TRANSPORT.get(conf::getTrimmed));
    assertEquals(
        "sluice.reduce.transport is 'carrier-pigeon', expected one of auto, verbs, ucx, disni, tcp",
        e.getMessage());
  }

  @Test
  void textIsTrimmed() {
    Configuration conf = new Configuration(false);
    conf.set(NodeSettings.POOL_DIR.name(), " /mnt/pmem0 ");
    assertEquals("/mnt/pmem0", NodeSettings.POOL_DIR.get(conf::getTrimmed));
  }
}
