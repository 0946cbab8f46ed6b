package io.sluice.tools.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.SystemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkChecksTest {
  @TempDir private Path directory;

  private static void assertContains(String part, String text) {
    assertTrue(text.contains(part), text);
  }

  private SiteConf read(String text) throws IOException {
    Files.writeString(directory.resolve("spark-defaults.conf"), text);
    return SiteConf.ofSpark(directory);
  }

  private String look(String text) throws IOException {
    SystemFiles none = new SystemFiles(directory);
    return Conf.complaints(new SparkChecks(read(text), none, directory, Optional.of("1.0")).look());
  }

  private String complete() throws IOException {
    Path jar = Conf.jar(directory.resolve("sluice-spark.jar"), "1.0", SparkChecks.MANAGER);
    return "spark.shuffle.manager %s\nspark.jars /no/other.jar,%s\n"
        .formatted(SparkChecks.MANAGER, jar);
  }

  @Test
  void oneJarAndOnePropertyAreEnough() throws IOException {
    assertEquals("", look(complete()));
  }

  @Test
  void whatIsMissingIsSaid() throws IOException {
    String said = look("");
    assertContains("set it to " + SparkChecks.MANAGER, said);
    assertContains("set spark.jars to the path of sluice-spark-<version>.jar", said);
  }

  @Test
  void aJarOnOneSideAloneIsNotEnough() throws IOException {
    Path jar = Conf.jar(directory.resolve("sluice-spark.jar"), "1.0", SparkChecks.MANAGER);
    String manager = "spark.shuffle.manager " + SparkChecks.MANAGER + "\n";
    assertContains("have no jar of Sluice's", look(manager + "spark.driver.extraClassPath " + jar));
    assertEquals(
        "",
        look(
            manager
                + "spark.driver.extraClassPath %1$s\nspark.executor.extraClassPath %1$s"
                    .formatted(jar)));
  }

  @Test
  void aJarOfAnotherFileSystemIsNotCalledMissing() throws IOException {
    assertEquals(
        "",
        look(
            "spark.shuffle.manager %s\nspark.jars hdfs://nn:8020/lib/sluice-spark.jar"
                .formatted(SparkChecks.MANAGER)));
  }

  @Test
  void aJarMayBeNamedByAUri() throws IOException {
    Path jar = Conf.jar(directory.resolve("sluice-spark.jar"), "1.0", SparkChecks.MANAGER);
    String manager = "spark.shuffle.manager " + SparkChecks.MANAGER + "\n";
    assertEquals("", look(manager + "spark.jars file://" + jar));
    assertEquals("", look(manager + "spark.jars local:" + jar));
  }

  @Test
  void anotherReleaseIsCalledThat() throws IOException {
    Path jar = Conf.jar(directory.resolve("sluice-old.jar"), "0.9", SparkChecks.MANAGER);
    assertContains(
        "have release 0.9, this doctor's is 1.0",
        look("spark.shuffle.manager %s\nspark.jars %s".formatted(SparkChecks.MANAGER, jar)));
  }

  @Test
  void onYarnAnExecutorNeedsRoomForAPool() throws IOException {
    assertContains(
        "spark.executor.memoryOverhead: is not set", look(complete() + "spark.master yarn"));
    assertEquals("", look(complete() + "spark.master yarn\nspark.executor.memoryOverhead 2g"));
  }

  @Test
  void aPoolLargerThanItsPlaceIsSaid() throws IOException {
    assertContains(
        "more than %s of this host holds".formatted(directory),
        look(complete() + "spark.sluice.pool.capacity 16t"));
  }

  @Test
  void pushBasedMergingIsNotSluices() throws IOException {
    assertContains("does not merge", look(complete() + "spark.shuffle.push.enabled true"));
  }

  @Test
  void aMisspeltNameIsSaidWithTheNearest() throws IOException {
    String said =
        Conf.complaints(
            KnownNames.ofSpark(read("spark.sluice.pool.capcity 1g\nspark.sluice.secret x")).look());
    assertContains("write spark.sluice.pool.capacity, or take it out", said);
    assertEquals(1, said.lines().filter(line -> line.startsWith("BROKEN")).count(), said);
  }
}
