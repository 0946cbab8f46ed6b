package io.sluice.it.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./sluice run} in a checkout of its own that has just been built. */
class RunJarIT {
  private static final long DEADLINE_S = 240;

  /** Of an installation, which need not be there. */
  private static final String HADOOP_HOME = "hadoop";

  private static final String MAKING = "making an archive of classes";

  /** What the script reads of a checkout; the rest would be built anew. */
  private static final List<String> BUILT =
      List.of("README.md", "docs", "setup", "it-tests/distribution", "jars/hadoop/target");

  private final Map<String, String> environment = new HashMap<>();

  @TempDir Path root;
  private Path archive;

  @BeforeEach
  void checkOut() throws IOException {
    Workspace built = Workspace.find();
    Files.copy(built.root().resolve("sluice"), root.resolve("sluice"));
    for (String part : BUILT) {
      Files.createDirectories(root.resolve(part).getParent());
      Files.createSymbolicLink(root.resolve(part), built.root().resolve(part));
    }
    Files.createDirectories(root.resolve("it-tests/target"));
    Files.createFile(root.resolve("it-tests/target/.built"));
    Files.writeString(root.resolve("text"), "to be or not to be\n");
    archive = root.resolve("target/run/classes.jsa");
  }

  @Test
  void theFirstRunArchivesTheClassesThatTheNextStartsWith() throws Exception {
    assertTrue(countWords("first").contains(MAKING), "it says why it takes long");
    Path loaded = root.resolve("loaded");
    String second = countWords("second", "-Xlog:class+load:file=" + loaded);
    assertFalse(second.contains("archive"), second);

    assertTrue(
        Files.readAllLines(loaded).stream()
            .anyMatch(
                line ->
                    line.contains("io.sluice.local.client.LocalEngine ")
                        && line.contains("shared objects file")),
        "the engine's classes are not from the archive");
    assertEquals(List.of("classes.jsa", "log"), names(archive.getParent()));
  }

  @Test
  void findsTheNativeLibrariesOfAnInstallation() throws Exception {
    Path libraries = Files.createDirectories(root.resolve(HADOOP_HOME).resolve("lib/native"));

    String said = countWords("words", "-XshowSettings:properties");

    assertTrue(said.contains("java.library.path = " + libraries), said);
  }

  /** As the script hadoop does: what it has behind Hadoop's own, before them, or not at all. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "HADOOP_CLASSPATH",
        "HADOOP_USER_CLASSPATH_FIRST",
        "HADOOP_USE_CLIENT_CLASSLOADER"
      })
  void hasTheUsersClassPathWhereHadoopJarHasIt(String set) throws Exception {
    environment.put(set, "true");
    Path users = Files.createDirectories(root.resolve("of user"));
    Files.createFile(users.resolve("driver.jar"));
    environment.put("HADOOP_CLASSPATH", users + "/*");

    String said = countWords("words", "-XshowSettings:properties");

    int path = said.indexOf("java.class.path = ");
    int hadoop = said.indexOf("hadoop-common-", path);
    int found = said.indexOf("driver.jar", path);
    assertEquals(
        switch (set) {
          case "HADOOP_USER_CLASSPATH_FIRST" -> 1;
          case "HADOOP_USE_CLIENT_CLASSLOADER" -> 0;
          default -> -1;
        },
        found < 0 ? 0 : Integer.compare(hadoop, found),
        said);
  }

  @Test
  void runsWithoutAnArchiveWhereNoneCanBeMade() throws Exception {
    Files.createDirectory(root.resolve("target"));
    Files.createFile(archive.getParent());

    String said = countWords("words");

    assertTrue(said.contains("no archive of classes could be made"), said);
  }

  /** As one may for a debugger that waits; with this one the JVM ends well without an archive. */
  @Test
  @Tag("campaign")
  void optionsForTheJobAreNotThoseOfWhatMakesTheArchive() throws Exception {
    countWords("words", "-Xshare:off");

    assertEquals(List.of("classes.jsa", "log"), names(archive.getParent()));
  }

  @Test
  @Tag("campaign")
  void takesNoArchiveOfAnotherBuild() throws Exception {
    Files.createDirectories(archive.getParent());
    Files.writeString(archive, "of another build");
    Files.setLastModifiedTime(
        root.resolve("it-tests/target/.built"),
        FileTime.fromMillis(System.currentTimeMillis() + 60_000));

    String said = countWords("words");

    assertEquals(1, said.lines().filter(line -> line.contains("archive")).count(), said);
    assertTrue(said.contains(MAKING), said);
    assertTrue(Files.size(archive) > 1 << 20, "it was not made anew");
  }

  /** By whoever ends its shells, and leaves Java, which makes the archive, to itself. */
  @Test
  void whoIsToldToEndLeavesNothingButTheLog() throws Exception {
    Process process = start("words");
    try {
      Path directory = archive.getParent();
      List<ProcessHandle> all =
          Poll.until(
              "Java to make the archive",
              Duration.ofSeconds(DEADLINE_S),
              () -> {
                List<ProcessHandle> found = process.descendants().toList();
                boolean isMade =
                    Files.isDirectory(directory)
                        && names(directory).stream().anyMatch(name -> name.startsWith("making."))
                        && found.stream().anyMatch(each -> is(each, "java"));
                return Optional.of(found).filter(handles -> isMade);
              });
      process.destroy();
      all.stream().filter(each -> is(each, "bash")).forEach(ProcessHandle::destroy);
      for (ProcessHandle each : all) {
        each.onExit().get(DEADLINE_S, TimeUnit.SECONDS);
      }
      assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS));
      assertEquals(
          List.of(), names(directory).stream().filter(n -> n.startsWith("making.")).toList());
    } finally {
      kill(process);
    }
  }

  private static boolean is(ProcessHandle process, String program) {
    return process.info().command().filter(path -> path.endsWith("/" + program)).isPresent();
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static List<String> names(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Counts the words of the text, and returns what was said. */
  private String countWords(String output, String... jvmOptions) throws Exception {
    Process process = start(output, jvmOptions);
    try {
      assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> "still runs: " + output);
    } finally {
      kill(process);
    }
    String text = Files.readString(root.resolve("said-" + output));
    assertEquals(0, process.exitValue(), text);
    assertEquals(
        List.of("be\t2", "not\t1", "or\t1", "to\t2"),
        Files.readAllLines(root.resolve(output).resolve("part-r-00000")));
    return text;
  }

  private Process start(String output, String... jvmOptions) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("./sluice", "run"));
    command.add(HadoopDistribution.underTest(Workspace.find()).examplesJar().toString());
    command.addAll(List.of("wordcount", "text", output));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(root.resolve("said-" + output).toFile());
    builder.environment().put("JDK_JAVA_OPTIONS", String.join(" ", jvmOptions));
    builder.environment().put("HADOOP_HOME", root.resolve(HADOOP_HOME).toString());
    builder.environment().remove("HADOOP_CLASSPATH");
    builder.environment().putAll(environment);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }
}
