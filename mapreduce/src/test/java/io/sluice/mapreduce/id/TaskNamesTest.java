package io.sluice.mapreduce.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

/** Names of ids are Hadoop's where its digits are ASCII, and ASCII everywhere else, too. */
class TaskNamesTest {
  private static final long TIMEOUT_S = 120;

  private static final TaskAttemptID MAP =
      new TaskAttemptID("1700000000000", 12, TaskType.MAP, 1_234_567, 3);
  private static final TaskAttemptID REDUCE =
      new TaskAttemptID("1700000000000", 123_456, TaskType.REDUCE, 3, 12);

  private static String names() {
    return String.join(
        " ",
        TaskNames.application(MAP.getJobID()),
        TaskNames.attempt(MAP),
        TaskNames.application(REDUCE.getJobID()),
        TaskNames.attempt(REDUCE));
  }

  @Test
  void theyAreHadoopsOwn() {
    assertEquals(MAP.toString(), TaskNames.attempt(MAP));
    assertEquals(REDUCE.toString(), TaskNames.attempt(REDUCE));
    assertEquals(REDUCE.getJobID().toString(), TaskNames.job(REDUCE.getJobID()));
    assertEquals(
        REDUCE.getJobID().toString().replace("job_", "application_"),
        TaskNames.application(REDUCE.getJobID()));
  }

  /** A process of its own: Hadoop keeps the formats of the locale that it began with. */
  @Test
  void theyAreTheSameInALocaleWithOtherDigits() throws Exception {
    Process process =
        new ProcessBuilder(
                List.of(
                    new File(System.getProperty("java.home"), "bin/java").getPath(),
                    "-Duser.language=ar",
                    "-Duser.country=EG",
                    "-cp",
                    System.getProperty("java.class.path"),
                    OtherLocale.class.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(TIMEOUT_S, TimeUnit.SECONDS));
    assertEquals("ar " + names(), said.strip());
  }

  /** What that process runs. */
  static final class OtherLocale {
    private OtherLocale() {}

    public static void main(String[] arguments) {
      boolean isAscii = MAP.toString().chars().allMatch(c -> c < 128);
      System.out.println(
          (isAscii ? "Hadoop's id has ASCII digits:" : Locale.getDefault().getLanguage())
              + " "
              + names());
    }
  }
}
