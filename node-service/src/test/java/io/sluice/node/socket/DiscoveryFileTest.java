package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said of a file that somebody removes, and how often. */
class DiscoveryFileTest {
  private final DiscoveryFile file = new DiscoveryFile("the socket", "Tasks do without.");

  private String said(DiscoveryFile.Maker maker) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      file.restore(maker);
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8);
  }

  private static DiscoveryFile.Maker failing(Exception cause) {
    return () -> {
      if (cause instanceof IOException e) {
        throw e;
      }
      throw (RuntimeException) cause;
    };
  }

  @Test
  void eachCauseIsSaidOnce() {
    for (Exception cause : List.of(new IOException("disk"), new IllegalStateException("bug"))) {
      String first = said(failing(cause));
      assertTrue(first.contains("removed the socket"), first);
      assertTrue(first.contains(": " + cause.getMessage() + ". Tasks do without."), first);
      assertEquals("", said(failing(cause)), "said twice");
    }
    String again = said(failing(new IOException("disk")));
    assertTrue(again.contains("disk"), "another cause came in between: " + again);
  }

  @Test
  void theSameCauseIsSaidAgainOnceTheFileWasThere() {
    said(failing(new IOException("disk")));
    assertEquals("", said(() -> false));
    assertTrue(said(failing(new IOException("disk"))).contains("disk"));
  }

  @Test
  void whatIsMadeAgainIsSaid() {
    String made = said(() -> true);
    assertTrue(made.contains("Somebody had removed the socket; it is there again"), made);
  }

  @Test
  void itIsMissingWhileItCannotBeMade() {
    assertEquals(Optional.empty(), file.trouble());
    said(failing(new IOException("disk")));
    assertEquals(Optional.of("somebody has removed the socket: disk"), file.trouble());
    said(() -> true);
    assertEquals(Optional.empty(), file.trouble());
  }

  /** The thread that asks has other things to do after it. */
  @Test
  void anErrorIsSaidAndEndsNothing() {
    String said =
        said(
            () -> {
              throw new OutOfMemoryError("of the test");
            });
    assertTrue(said.contains("of the test"), said);
    assertEquals(Optional.of("somebody has removed the socket"), file.trouble());
  }
}
