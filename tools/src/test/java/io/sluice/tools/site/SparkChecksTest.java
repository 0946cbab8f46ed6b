package io.sluice.tools.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.SystemFiles;
import io.sluice.tools.site.ClusterDoctor.KnownNames;
import io.sluice.tools.site.NodeMemoryCheck.PoolFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    assertContains("have no jar of Sluice", look(manager + "spark.driver.extraClassPath " + jar));
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

  private String overhead(String type, String text) throws IOException {
    SystemFiles none = new SystemFiles(directory);
    return Conf.complaints(
        new SparkChecks(read(text), none, directory, Optional.of("1.0"))
            .overhead(new PoolFileSystem(directory, type, 0)).stream().toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "spark.sluice.pool.capacity auto",
        "spark.sluice.service none",
        "spark.sluice.service none\nspark.shuffle.service.enabled true"
      })
  void onYarnAnExecutorNeedsRoomForAPool(String more) throws IOException {
    assertContains(
        "spark.executor.memoryOverhead: is not set",
        overhead("tmpfs", "spark.master yarn\n" + more));
  }

  @Test
  void onKubernetesAPoolIsSmall() throws IOException {
    assertContains("then has 64 MiB at most", overhead("tmpfs", "spark.master k8s://host:6443"));
  }

  @ParameterizedTest
  @CsvSource({
    "tmpfs, yarn, spark.executor.memoryOverhead 2g",
    "tmpfs, yarn, spark.sluice.pool.capacity 1g",
    "tmpfs, yarn, spark.sluice.service yarn",
    "tmpfs, yarn, spark.sluice.service /run/sluice",
    "tmpfs, yarn, spark.shuffle.service.enabled true",
    "tmpfs, local[2], ''",
    "ext4, yarn, ''",
  })
  void elsewhereItHasRoom(String type, String master, String more) throws IOException {
    assertEquals("", overhead(type, "spark.master %s\n%s".formatted(master, more)));
  }

  @Test
  void aPoolLargerThanItsPlaceIsSaid() throws IOException {
    assertContains(
        "more than %s of this host holds".formatted(directory),
        look(
            complete()
                + "spark.sluice.pool.capacity %sb"
                    .formatted(Files.getFileStore(directory).getTotalSpace() + 1)));
  }

  @Test
  void theCommandThatMountsItLargerTakesAnyPath() throws IOException {
    PoolFileSystem place = new PoolFileSystem(Path.of("/mnt/my pool"), "tmpfs", 1 << 20);
    SparkChecks checks =
        new SparkChecks(
            read("spark.sluice.pool.capacity 1g"),
            SystemFiles.ofThisMachine(),
            directory,
            Optional.empty());
    assertContains(
        "mount -o remount,size=SIZE '/mnt/my pool' (a container",
        Conf.complaints(checks.capacity(place).stream().toList()));
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
    assertContains("write spark.sluice.pool.capacity, or remove it", said);
    assertEquals(1, said.lines().filter(line -> line.startsWith("BROKEN")).count(), said);
  }
}
