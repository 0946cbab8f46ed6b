package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.task.KilledProgram;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hadoop writes the numbers of jobs, tasks and files in the digits of the locale. */
@Timeout(300)
@Tag("slow")
class LocalesTest {
  @TempDir private Path directory;

  @Test
  void jobsRunAsWithStock() throws Exception {
    succeeds("-Duser.language=ar", ClientOfLocale.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-Duser.language=th -Duser.country=TH -Duser.extensions=u-nu-thai",
        "-Duser.language=tr"
      })
  @Tag("campaign")
  void jobsOfOtherLocalesRunAsWithStock(String locale) throws Exception {
    succeeds(locale, ClientOfLocale.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-Duser.language=ar",
        "-Duser.language=th -Duser.country=TH -Duser.extensions=u-nu-thai",
        "-Duser.language=tr"
      })
  void programsOfAnAttemptAreFound(String locale) throws Exception {
    succeeds(locale, KilledProgram.class);
  }

  private void succeeds(String locale, Class<?> program) throws Exception {
    String shell = "export LC_ALL=C.UTF-8 JAVA_TOOL_OPTIONS='" + locale + "'; ";
    Path log = directory.resolve("log");
    try (ForkedJvm client = ForkedJvm.start(log, shell, "256m", program, directory.toString())) {
      assertTrue(client.succeeded().contains(locale), "the locale was set");
    }
  }
}
