package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Doctor.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With tcp, which can be tried everywhere. */
@Timeout(300)
class TrialProcessTest {
  private final TrialProcess trial = new TrialProcess(Optional.of("tcp"));

  @TempDir Path directory;

  @Test
  void aTransportIsTriedInAnotherProcess() throws IOException {
    assertEquals(Optional.empty(), trial.failureOf("tcp"));
  }

  @Test
  void aPlaceIsTriedAndLeftAsItWas() throws IOException {
    assertEquals(Optional.of(new Trial.Outcome("tcp", Optional.empty())), trial.of(directory));
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void theDeathOfTheProcessIsTold() throws IOException {
    String failure = trial.failureOf("no such transport").orElseThrow();
    assertTrue(failure.contains("died (exit status 1)"), failure);
  }

  @Test
  void withoutANicNothingIsTried() throws IOException {
    assertEquals(Optional.empty(), new TrialProcess(Optional.empty()).of(directory));
  }

  /** DiSNI needs it: what is available in this process must be so in that one. */
  @Test
  void theProcessMayAskOfTheJdkWhatThisOneMay() {
    List<String> command =
        TrialProcess.command(
            List.of("-Xmx1g", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "-Dname=value"));
    assertTrue(command.contains("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"));
    assertFalse(command.contains("-Xmx1g"));
  }
}
