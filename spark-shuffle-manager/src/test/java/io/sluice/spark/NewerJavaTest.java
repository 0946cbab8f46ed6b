package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.launcher.JavaModuleOptions;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A newer Java than that of the tests warns on its error stream, once per kind, of calls that a
 * later Java will forbid.
 */
@Tag("slow")
class NewerJavaTest {
  private static final Path INSTALLED = Path.of("/usr/lib/jvm");
  private static final int FIRST_THAT_WARNS = 24;
  private static final int RECORDS = 10_000;

  /** The one of Spark's options that silences Java's warnings of {@code sun.misc.Unsafe}. */
  private static final String QUIET = "--sun-misc-unsafe-memory-access=allow";

  @TempDir private Path base;

  private static Optional<Path> newerJava() throws IOException {
    if (!Files.isDirectory(INSTALLED)) {
      return Optional.empty();
    }
    try (Stream<Path> all = Files.list(INSTALLED)) {
      return all.filter(java -> feature(java) >= FIRST_THAT_WARNS).sorted().findFirst();
    }
  }

  private static int feature(Path java) {
    try {
      Matcher version =
          Pattern.compile("JAVA_VERSION=\"(\\d+)")
              .matcher(Files.readString(java.resolve("release")));
      return version.find() ? Integer.parseInt(version.group(1)) : 0;
    } catch (IOException e) {
      return 0; // no JDK, or an older one's
    }
  }

  @Test
  void warnsOfSparkAloneAndOfNothingWithSparksOptions() throws Exception {
    Optional<Path> java = newerJava();
    Assumptions.assumeTrue(
        java.isPresent(), "no JDK " + FIRST_THAT_WARNS + " or later is in " + INSTALLED);
    List<String> options = new ArrayList<>(List.of(JavaModuleOptions.defaultModuleOptionArray()));
    assertEquals(List.of(), callers(java.get(), options));
    assertTrue(options.remove(QUIET), options.toString());
    List<String> warned = callers(java.get(), options); // as with Spark 4.1
    assertTrue(
        warned.stream().allMatch(caller -> caller.startsWith("org.apache.spark.")),
        warned.toString());
  }

  /** Of whom that Java warns while a small application runs. */
  private List<String> callers(Path java, List<String> options) throws Exception {
    Path said = Files.createTempFile(base, "said", ".txt");
    List<String> command = new ArrayList<>(List.of(java.resolve("bin/java").toString()));
    command.addAll(options);
    command.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(NewerJavaTest.class.getName(), base.toString()));
    Process child =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      assertTrue(child.waitFor(2, TimeUnit.MINUTES), "it hangs");
    } finally {
      child.destroyForcibly();
    }
    String all = Files.readString(said, StandardCharsets.UTF_8);
    assertEquals(0, child.exitValue(), all);
    assertTrue(all.contains("counted " + RECORDS), all);
    List<String> callers = new ArrayList<>();
    Matcher warning = Pattern.compile("WARNING: \\S+ has been called by (\\S+)").matcher(all);
    while (warning.find()) {
      callers.add(warning.group(1));
    }
    return callers;
  }

  /** Shuffles some records and persists them, in pools below a directory. */
  public static void main(String[] arguments) {
    SparkConf conf =
        new SparkConf(false)
            .setMaster("local[2]")
            .setAppName("NewerJavaTest")
            .set("spark.ui.enabled", "false")
            .set("spark.log.level", "WARN")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.plugins", SluicePlugin.class.getName())
            .set("spark.sluice.persistence.enabled", "true")
            .set("spark.sluice.pool.dir", arguments[0])
            .set("spark.sluice.pool.capacity", "32m");
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      long records =
          context
              .parallelize(IntStream.range(0, RECORDS).boxed().toList(), 3)
              .repartition(4)
              .persist(StorageLevel.DISK_ONLY())
              .count();
      System.out.println("counted " + records);
    }
  }
}
