package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.transport.verbs.RdmaAddresses.Missed;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RestartAdviceTest {
  private long nowNs = 7;
  private Optional<Missed> obstacle = Optional.empty();
  private boolean works;
  private int looks;

  private final RestartAdvice advice =
      new RestartAdvice(
          "tcp",
          () -> {
            looks++;
            boolean now = works;
            return new WrappedTcp() {
              @Override
              public String name() {
                return "better";
              }

              @Override
              public Optional<String> unavailabilityCause() {
                return now ? Optional.empty() : Optional.of("its port is down");
              }
            };
          },
          () -> obstacle,
          Runnable::run,
          () -> nowNs);

  private String logOfALook() {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      advice.look();
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8);
  }

  @Test
  void looksOnceInAPeriodAndSaysOnceThatARestartHelps() {
    works = true;
    assertEquals("", logOfALook());
    assertEquals(0, looks, "the service has just looked");
    works = false;
    nowNs += RestartAdvice.PERIOD_NS;
    assertEquals("", logOfALook());
    works = true;
    nowNs += RestartAdvice.PERIOD_NS - 1;
    assertEquals("", logOfALook());
    assertEquals(1, looks);
    nowNs++;
    String said = logOfALook();
    assertTrue(said.contains("Transport better works by now"), said);
    assertTrue(said.contains("this service chose tcp"), said);
    assertTrue(said.contains("restart it to serve over better"), said);
    nowNs += RestartAdvice.PERIOD_NS;
    assertEquals("", logOfALook());
    assertEquals(2, looks);
  }

  /** Else the restart would change nothing. */
  @Test
  void saysWhatElseIsToBeDone() {
    works = true;
    obstacle = Optional.of(new Missed("readers go elsewhere", "set test.data"));
    nowNs += RestartAdvice.PERIOD_NS;
    String said = logOfALook();
    assertTrue(said.contains("readers go elsewhere; set test.data, then restart it"), said);
  }
}
