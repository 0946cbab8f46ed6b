package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.NodeServiceCommand.AmountConverter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** What the node service's command line takes for sizes and times. */
class AmountConverterTest {
  @Test
  void readsUnits() {
    assertEquals(64 << 20, new AmountConverter.Bytes().convert("64m"));
    assertEquals(3_600_000, new AmountConverter.Ms().convert("60min"));
  }

  @Test
  void refusesANumberWithoutOne() {
    assertRefused("--capacity=1024", "whole MiB");
    assertRefused("--segment-size=1b", "whole MiB");
    assertRefused("--keep=60", "60min");
  }

  @Test
  void refusesASegmentThatCannotBeMappedAtOnce() {
    assertEquals(1 << 30, new AmountConverter.SegmentBytes().convert("1g"));
    assertRefused("--segment-size=4g", "1m to 1g");
    assertRefused("--segment-size=0m", "1m to 1g");
  }

  private static void assertRefused(String option, String expected) {
    CommandLine commandLine = new CommandLine(new NodeServiceCommand());
    String message =
        assertThrows(ParameterException.class, () -> commandLine.parseArgs("--dir=/none", option))
            .getMessage();
    assertTrue(message.contains(option.split("=")[0]) && message.contains(expected), message);
  }
}
