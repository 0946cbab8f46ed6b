package io.sluice.hadoop.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JavaVersionTest {
  @ParameterizedTest
  @CsvSource({"1.8, 8", "11, 11", "16, 16"})
  void declinesOlder(String specification, String number) {
    assertEquals(
        "it needs Java 17 or later, and this JVM is Java " + number,
        JavaVersion.declineReason(specification));
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "21", "25"})
  void takesNewer(String specification) {
    assertNull(JavaVersion.declineReason(specification));
  }

  @Test
  void takesThisOne() {
    assertNull(JavaVersion.declineReason(JavaVersion.current()));
  }

  @Test
  void classThatIsNotThereDeclines() {
    Declined e =
        assertThrows(Declined.class, () -> Implementation.make(List.class, "io.sluice.Nothing"));
    assertTrue(e.getMessage().contains("io.sluice.Nothing"), e.getMessage());
  }
}
