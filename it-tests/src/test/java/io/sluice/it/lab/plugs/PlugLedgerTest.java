package io.sluice.it.lab.plugs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.lab.plugs.PlugLedger.Expectation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlugLedgerTest {
  private static final String APPLICATION = "application_0_0";

  @TempDir Path directory;
  private final SeededOutput output = SeededOutput.random(0, APPLICATION, new SplittableRandom(3));

  private PlugLedger open() {
    return PlugLedger.open(directory.resolve("ledger"));
  }

  @Test
  void expectsWhatItsLastLineSays() {
    try (PlugLedger ledger = open()) {
      ledger.begin(output);
    }
    assertExpected(Expectation.EITHER, List.of(), List.of());
    try (PlugLedger ledger = open()) {
      ledger.acknowledge(output);
    }
    assertExpected(Expectation.PRESENT, List.of(APPLICATION), List.of());
    try (PlugLedger ledger = open()) {
      ledger.freeing(APPLICATION);
    }
    assertExpected(Expectation.EITHER, List.of(), List.of(APPLICATION));
    try (PlugLedger ledger = open()) {
      ledger.settle(output, true);
    }
    assertExpected(Expectation.EITHER, List.of(), List.of(APPLICATION));
    try (PlugLedger ledger = open()) {
      ledger.freed(APPLICATION);
    }
    assertExpected(Expectation.ABSENT, List.of(), List.of());
  }

  @Test
  void whatWasSeenAbsentStaysSo() {
    try (PlugLedger ledger = open()) {
      ledger.begin(output);
      ledger.settle(output, false);
      ledger.freeing(APPLICATION);
    }
    assertExpected(Expectation.ABSENT, List.of(), List.of(APPLICATION));
  }

  @Test
  void aLineThatWasCutNeverWas() throws IOException {
    try (PlugLedger ledger = open()) {
      ledger.begin(output);
    }
    Files.writeString(directory.resolve("ledger"), "acked 0", StandardOpenOption.APPEND);
    assertExpected(Expectation.EITHER, List.of(), List.of());
    try (PlugLedger ledger = open()) {
      ledger.settle(output, true);
    }
    assertExpected(Expectation.PRESENT, List.of(APPLICATION), List.of());
  }

  private void assertExpected(Expectation expectation, List<String> live, List<String> inFree) {
    try (PlugLedger ledger = open()) {
      assertEquals(List.of(output), List.copyOf(ledger.outputs()));
      assertEquals(1, ledger.nextNumber());
      assertEquals(expectation, ledger.expectation(output));
      assertEquals(live, ledger.liveApplications());
      assertEquals(inFree, ledger.applicationsInFree());
      assertTrue(ledger.outputs().iterator().next().pieces().size() > 0);
    }
  }
}
