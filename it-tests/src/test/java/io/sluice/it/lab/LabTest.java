package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a program that stands for the one that boots guests. */
class LabTest {
  @TempDir Path directory;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  @Test
  void aGuestThatEndsBeforeItsFirstWordIsBootedOnceMoreAndTheConsoleSaysSo() throws IOException {
    try (Guest guest = boot("echo boot >>boots; [ $(wc -l <boots) -gt 1 ] || exit 255; echo up")) {
      assertEquals(0, guest.await());
    }
    assertEquals(List.of("up"), lines);
    assertEquals(2, boots());
    assertTrue(said().contains("guest guest ended or hung before it said a word"), said());
  }

  @Test
  void aSecondEndIsTheGuestsEnd() throws IOException {
    try (Guest guest = boot("echo boot >>boots; exit 255")) {
      assertEquals(255, guest.await());
    }
    assertEquals(2, boots());
  }

  /** What it has said may be a test's failure. */
  @Test
  void aGuestThatHasSaidAWordIsNotBootedAgain() throws IOException {
    try (Guest guest = boot("echo boot >>boots; echo up; exit 3")) {
      assertEquals(3, guest.await());
    }
    assertEquals(1, boots());
    assertEquals("", said());
  }

  private Guest boot(String line) throws IOException {
    Path target = Files.createDirectories(directory.resolve("it-tests/target"));
    Files.writeString(target.resolve("lab.classpath"), "/usr/lib/some.jar");
    Path vng = directory.resolve("vng");
    Files.writeString(vng, "#!/bin/sh\ncd " + directory + "\n" + line + "\n");
    assertTrue(vng.toFile().setExecutable(true));
    Console console = new Console(new PrintStream(said, true, StandardCharsets.UTF_8), false);
    LabTools tools = LabTools.of(vng, directory.resolve("vmlinuz"));
    Lab lab = new Lab(new Workspace(directory), tools, console, false);
    GuestSpec spec = lab.spec("guest", 1, 64, Duration.ofMinutes(2));
    return lab.boot(spec, lab.newShare("share"), "true", lines::add);
  }

  private int boots() throws IOException {
    return Files.readAllLines(directory.resolve("boots")).size();
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }
}
