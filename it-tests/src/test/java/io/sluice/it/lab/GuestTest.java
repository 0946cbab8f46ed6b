package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With programs that stand for those that boot guests. */
class GuestTest {
  @Test
  void whatBootsGuestsFindsTheProgramsBesideItself(@TempDir Path directory) throws IOException {
    Path programs = Files.createDirectory(directory.resolve("programs"));
    Path vng = program(programs.resolve("vng"), "exec a-program-that-is-only-there");
    program(programs.resolve("a-program-that-is-only-there"), "echo booted");
    List<String> lines = new CopyOnWriteArrayList<>();
    GuestSpec spec = GuestSpec.single("guest", 1, 64, false, Duration.ofMinutes(2));
    LabTools tools = LabTools.of(vng, directory.resolve("vmlinuz"));
    try (Guest guest =
        Guest.start(tools, spec, directory, directory.resolve("guest.sh"), lines::add)) {
      assertEquals(0, guest.await());
    }
    assertTrue(lines.contains("booted"), lines.toString());
  }

  @Test
  void aGuestThatSaysNothingIsNotTakenForOneThatBoots(@TempDir Path directory) throws Exception {
    Path programs = Files.createDirectories(directory.resolve("bin"));
    GuestSpec spec = GuestSpec.single("guest", 1, 64, false, Duration.ofMinutes(2));
    LabTools silent =
        LabTools.of(
            program(programs.resolve("silent"), "exec sleep 600"), directory.resolve("vmlinuz"));
    try (Guest guest =
        Guest.start(silent, spec, directory, directory.resolve("guest.sh"), line -> {})) {
      assertFalse(guest.speaksWithin(Duration.ZERO));
    }
    LabTools speaking =
        LabTools.of(
            program(programs.resolve("speaking"), "echo booted; exec sleep 600"),
            directory.resolve("vmlinuz"));
    try (Guest guest =
        Guest.start(speaking, spec, directory, directory.resolve("guest.sh"), line -> {})) {
      assertTrue(guest.speaksWithin(Duration.ofMinutes(1)));
    }
  }

  /** A kernel that panics writes nothing but its log, and the emulator ends. */
  @Test
  void aGuestThatEndsWithoutAWordHasNotSpokenAndShowsWhatItsKernelSaid(@TempDir Path directory)
      throws Exception {
    GuestSpec spec = GuestSpec.single("guest", 1, 64, false, Duration.ofMinutes(2));
    Path programs = Files.createDirectories(directory.resolve("bin"));
    String panics =
        "echo 'Kernel panic - not syncing' >" + spec.kernelLog(directory) + "; exit 255";
    LabTools tools =
        LabTools.of(program(programs.resolve("vng"), panics), directory.resolve("vmlinuz"));
    try (Guest guest =
        Guest.start(tools, spec, directory, directory.resolve("guest.sh"), line -> {})) {
      assertFalse(guest.speaksWithin(Duration.ofMinutes(1)));
      assertEquals(255, guest.await());
      assertTrue(guest.tail().contains("Kernel panic"), guest.tail());
    }
  }

  @Test
  void aGuestOfAarch64HasARootOfItsOwnAndSeesItsShareWhereThisMachineDoes() {
    Path share = Path.of("/share");
    Optional<Path> some = Optional.of(Path.of("/some"));
    LabTools tools = new LabTools(some, some, some, Optional.of(Path.of("/cache/root")), false);
    GuestSpec spec = GuestSpec.single("guest", 1, 64, false, Duration.ofMinutes(2));

    List<String> command = spec.command(tools, share, share.resolve("guest.sh"));
    assertTrue(
        String.join(" ", command).contains("--arch arm64 --root /cache/root "), command.toString());
    assertTrue(command.contains("/share=/share"), command.toString());
    LabTools own = LabTools.of(Path.of("vng"), Path.of("vmlinuz"));
    assertFalse(
        spec.command(own, share, share.resolve("guest.sh")).contains("--root"), "this machine's");
  }

  private static Path program(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    assertTrue(file.toFile().setExecutable(true));
    return file;
  }
}
