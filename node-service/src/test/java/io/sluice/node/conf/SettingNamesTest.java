package io.sluice.node.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettingNamesTest {
  private static final SettingNames NAMES =
      new SettingNames(
          Set.of("sluice.node.memory-mb", "sluice.pool.dir", "sluice.pool.medium"),
          Map.of("sluice.pool.where", "sluice.pool.dir"));

  @Test
  void aMisspeltNameIsToldTheNearest() {
    assertEquals(
        List.of(
            "sluice.node.memory is no setting of Sluice; the nearest name is sluice.node.memory-mb",
            "sluice.pool.dri is no setting of Sluice; the nearest name is sluice.pool.dir"),
        NAMES.complaints(List.of("sluice.pool.dri", "sluice.pool.dir", "sluice.node.memory")));
  }

  @Test
  void aFormerNameIsToldWhatItIsNow() {
    assertEquals(
        List.of("sluice.pool.where is now called sluice.pool.dir"),
        NAMES.complaints(List.of("sluice.pool.where")));
  }

  @Test
  void aNameThatIsLikeNoneIsToldNone() {
    assertEquals(Optional.empty(), NAMES.nearest("sluice.x"));
    assertEquals(
        List.of("sluice.x is no setting of Sluice"), NAMES.complaints(List.of("sluice.x")));
  }
}
