package io.sluice.it.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.Workspace;
import io.sluice.rdma.testing.PlainWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher of a release in a directory with a blank, on a machine whose Java and Hadoop only
 * print how they were called.
 */
class ReleaseLauncherTest {
  private static final long DEADLINE_S = 60;
  private static final Pattern LISTED = Pattern.compile("(?m)^  ([a-z-]+) ");
  private static final String PRINT_ARGUMENTS = "printf '%s\\n' \"$@\"";

  @TempDir private Path directory;
  private Path home;
  private Path launcher;
  private Path programs;
  private Path job;
  private final Map<String, String> environment = new TreeMap<>();

  /**
   * What a command came to.
   *
   * @param output of both kinds, in its order
   */
  private record Launch(int status, String output) {
    List<String> lines() {
      return output.lines().toList();
    }
  }

  @BeforeEach
  void unpack() throws IOException {
    Path checkout = Workspace.find().root();
    home = directory.resolve("of a user/sluice-1.2.3");
    launcher = home.resolve("bin/sluice");
    Map<Path, Path> copies =
        Map.of(
            checkout.resolve("dist/bin/sluice"),
            launcher,
            checkout.resolve("setup/exec-jar.sh"),
            home.resolve("libexec/exec-jar.sh"));
    for (Map.Entry<Path, Path> copy : copies.entrySet()) {
      Files.createDirectories(copy.getValue().getParent());
      Files.copy(copy.getKey(), copy.getValue());
    }
    Files.createDirectory(home.resolve("jars"));
    for (String jar : List.of("sluice-hadoop", "sluice-tools")) {
      Files.createFile(home.resolve("jars/" + jar + "-1.2.3.jar"));
    }
    programs = LauncherTools.link(directory.resolve("programs"));
    java(programs, "17.0.15");
    job = Files.createFile(directory.resolve("a job.jar"));
    environment.put("PATH", programs.toString());
  }

  /** A Java that says that it is this one. */
  private void java(Path place, String version) throws IOException {
    program(
        place.resolve("java"),
        "[ \"$1\" != -version ] || { echo 'openjdk version \"%s\" 2026-04-15' >&2; exit; }"
            .formatted(version),
        PRINT_ARGUMENTS);
  }

  /** A Hadoop that prints what it reads of the environment. */
  private Path hadoop(Path place) throws IOException {
    Files.createDirectories(place);
    program(
        place.resolve("hadoop"),
        "[ \"$1\" != classpath ] || { echo \"/settings:/of/*${HADOOP_CLASSPATH-}\"; exit; }",
        "echo \"JAVA_HOME=${JAVA_HOME-}\"",
        PRINT_ARGUMENTS);
    return place.resolve("hadoop");
  }

  private static void program(Path file, String... lines) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  private Launch launch(String... arguments) throws Exception {
    return launch(launcher, arguments);
  }

  private Launch launch(Path program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    boolean ended = process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertTrue(ended, Files.readString(output));
    return new Launch(process.exitValue(), Files.readString(output));
  }

  /** Runs the job, and returns the class path. */
  private String classPath() throws Exception {
    Launch launch = launch("run", job.toString());
    assertEquals(0, launch.status(), launch.output());
    return launch.lines().get(launch.lines().indexOf("-cp") + 1);
  }

  private String engine() {
    return home.resolve("conf/local") + ":" + home.resolve("jars/sluice-hadoop-1.2.3.jar") + ":";
  }

  @Test
  void aJarRunsOnTheJarsThatComeAlong() throws Exception {
    Launch launch = launch("run", "a job.jar", "Main", "two words", "--help");

    assertEquals(
        List.of(
            "@" + home.resolve("conf/local/java.options"),
            "-XX:MaxRAMPercentage=40",
            "-cp",
            engine() + home.resolve("hadoop/*"),
            "org.apache.hadoop.util.RunJar",
            "a job.jar",
            "Main",
            "two words",
            "--help"),
        launch.lines());
    assertEquals(0, launch.status());
  }

  @Test
  void anInstallationComesBeforeTheJarsThatComeAlong() throws Exception {
    hadoop(programs);
    assertEquals(engine() + "/settings:/of/*", classPath());

    environment.put("HADOOP_HOME", "");
    assertEquals(engine() + home.resolve("hadoop/*"), classPath());

    Path installation = directory.resolve("an installation");
    Files.delete(programs.resolve("hadoop"));
    hadoop(installation.resolve("bin"));
    environment.put("HADOOP_HOME", installation.toString());
    assertEquals(engine() + "/settings:/of/*", classPath());
  }

  /** And none of them twice, from what the script hadoop makes of the same variable. */
  @ParameterizedTest
  @CsvSource({
    ",%s:/users",
    "HADOOP_USER_CLASSPATH_FIRST,%2$s:/users:%1$s",
    "HADOOP_USE_CLIENT_CLASSLOADER,%s"
  })
  void theUsersClassPathIsWhereHadoopJarHasIt(String set, String expected) throws Exception {
    hadoop(programs);
    environment.put("HADOOP_CLASSPATH", "/users");
    if (set != null) {
      environment.put(set, "true");
    }

    assertEquals(
        expected.formatted(engine() + "/settings:/of/*", home.resolve("conf/local")), classPath());
  }

  /** The system's own, and two that go on after a failure within {@code $(...)}. */
  @ParameterizedTest
  @ValueSource(strings = {"/bin/sh", "/bin/bash", "/bin/busybox"})
  void anInstallationWithoutItsProgramIsNamed(String shell) throws Exception {
    assumeTrue(Files.exists(Path.of(shell)), () -> "there is no " + shell + " here");
    environment.put("HADOOP_HOME", "/nowhere");
    List<String> command = new ArrayList<>(List.of(launcher.toString(), "run", job.toString()));
    if (shell.endsWith("busybox")) {
      command.add(0, "sh");
    }
    Launch launch = launch(Path.of(shell), command.toArray(String[]::new));

    assertEquals(1, launch.status(), launch.output());
    assertFalse(launch.output().contains("RunJar"), launch.output());
    assertTrue(
        launch.output().contains("HADOOP_HOME is /nowhere, which has no program"), launch.output());
  }

  @Test
  void anInstallationThatFailsEndsTheRun() throws Exception {
    program(programs.resolve("hadoop"), "echo no settings >&2", "exit 3");
    Launch launch = launch("run", job.toString());

    assertEquals(1, launch.status(), launch.output());
    assertTrue(launch.output().contains("no settings\nsluice: "), launch.output());
    assertTrue(launch.output().contains("hadoop classpath failed"), launch.output());
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "17.0.15", "22-ea", "25.0.1"})
  void eachJavaFrom17OnWillDo(String version) throws Exception {
    java(programs, version);
    assertEquals(0, launch("doctor").status());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.8.0_392", "9", "11.0.22", "16.0.2", "nonsense"})
  void aJavaThatIsTooOldIsNamed(String version) throws Exception {
    java(programs, version);
    for (List<String> command :
        List.of(List.of("run", job.toString()), List.of("doctor"), List.of("node-service"))) {
      Launch launch = launch(command.toArray(String[]::new));
      assertEquals(1, launch.status(), launch.output());
      assertEquals(
          "sluice: %s/java is Java %s; Sluice needs 17 or later. Install one, or set JAVA_HOME to it\n"
              .formatted(programs, version),
          launch.output());
    }
  }

  @Test
  void aJavaThatIsMissingIsNamed() throws Exception {
    Files.delete(programs.resolve("java"));
    Launch launch = launch("doctor");
    assertEquals(1, launch.status());
    assertTrue(
        launch.output().startsWith("sluice: there is no java; install a JRE 17"), launch.output());

    environment.put("JAVA_HOME", "/nowhere");
    launch = launch("doctor");
    assertEquals(1, launch.status());
    assertTrue(
        launch.output().startsWith("sluice: there is no /nowhere/bin/java;"), launch.output());
  }

  @Test
  void aJavaThatDoesNotStartIsNamed() throws Exception {
    program(programs.resolve("java"), "echo no memory >&2", "exit 1");
    Launch launch = launch("doctor");
    assertEquals(1, launch.status());
    assertTrue(launch.output().contains("java does not start: no memory"), launch.output());
  }

  @Test
  void theJavaOfTheEnvironmentIsTaken() throws Exception {
    java(programs, "1.8.0_392");
    Path jre = directory.resolve("a jre");
    java(Files.createDirectories(jre.resolve("bin")), "21.0.1");
    environment.put("JAVA_HOME", jre.toString());
    assertEquals(0, launch("doctor").status());
  }

  /** They may make Java wait, or print. */
  @Test
  void optionsOfTheEnvironmentAreNotForTheLookAtJava() throws Exception {
    program(
        programs.resolve("java"),
        "[ -z \"${JDK_JAVA_OPTIONS-}${JAVA_TOOL_OPTIONS-}\" ] || [ \"$1\" != -version ] || exit 1",
        "[ \"$1\" != -version ] || echo 'openjdk version \"17\"'",
        "echo \"with ${JDK_JAVA_OPTIONS-}\"");
    environment.put("JDK_JAVA_OPTIONS", "-Xmx1g");
    environment.put("JAVA_TOOL_OPTIONS", "-Xmx2g");
    Launch launch = launch("doctor");
    assertEquals("with -Xmx1g\n", launch.output());
  }

  @ParameterizedTest
  @ValueSource(strings = {"doctor", "node-service"})
  void theToolsRunInTheirJar(String command) throws Exception {
    assertEquals(
        List.of(
            "-Dsluice.command=sluice",
            "-jar",
            home.resolve("jars/sluice-tools-1.2.3.jar").toString(),
            command,
            "--help"),
        launch(command, "--help").lines());
  }

  @Test
  void linksLeadToTheReleaseFromEverywhere() throws Exception {
    Path absolute = Files.createSymbolicLink(directory.resolve("sluice"), launcher);
    Path relative =
        Files.createSymbolicLink(
            programs.resolve("sluice"), programs.relativize(directory.resolve("sluice")));

    for (Path link : List.of(absolute, relative, Path.of("sluice"))) {
      Launch launch = launch(programs.resolve("sh"), "-c", "'%s' doctor".formatted(link));
      assertTrue(
          launch.lines().contains(home.resolve("jars/sluice-tools-1.2.3.jar").toString()),
          launch.output());
    }
  }

  @Test
  void nothingIsWrittenIntoTheRelease() throws Exception {
    List<Path> before = files();
    launch("run", job.toString());
    launch("doctor");
    assertEquals(before, files());
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      return files.sorted().toList();
    }
  }

  @Test
  void anArchiveIsMadeByTheInstallation() throws Exception {
    Launch without = launch("archive", "/var/lib/sluice/tasks.jsa");
    assertEquals(1, without.status());
    assertTrue(without.output().contains("there is no program hadoop"), without.output());

    hadoop(programs);
    assertEquals(
        List.of(
            "JAVA_HOME=" + directory.toRealPath(),
            "jar",
            home.resolve("jars/sluice-hadoop-1.2.3.jar").toString(),
            "io.sluice.hadoop.archive.TaskArchive",
            "/var/lib/sluice/tasks.jsa"),
        javaIn(directory.resolve("bin")).launch("archive", "/var/lib/sluice/tasks.jsa").lines());
  }

  /** The program java of the PATH leads there. */
  private ReleaseLauncherTest javaIn(Path place) throws IOException {
    Files.delete(programs.resolve("java"));
    java(Files.createDirectories(place), "17");
    Files.createSymbolicLink(programs.resolve("java"), place.resolve("java"));
    return this;
  }

  @Test
  void aReleaseThatIsNotWholeIsNamed() throws Exception {
    Files.delete(home.resolve("jars/sluice-tools-1.2.3.jar"));
    Launch launch = launch("doctor");
    assertEquals(1, launch.status());
    assertTrue(launch.output().contains("was not unpacked completely"), launch.output());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "diagnose",
        "--nonsense",
        "run",
        "run --x",
        "run no.jar",
        "archive",
        "archive a b"
      })
  void badArgumentsEndWithStatus2AndNameTheHelp(String arguments) throws Exception {
    Launch launch = launch(arguments.split(" "));
    assertEquals(2, launch.status());
    assertEquals(1, launch.lines().size(), launch.output());
    assertTrue(launch.output().endsWith("; see sluice --help\n"), launch.output());
  }

  @Test
  void theHelpListsWhatThereIs() throws Exception {
    Launch help = launch("--help");
    assertEquals(0, help.status());
    List<String> commands =
        LISTED.matcher(help.output()).results().map(found -> found.group(1)).toList();
    assertEquals(List.of("run", "doctor", "node-service", "archive"), commands);
    for (String command : commands) {
      String said = launch(command).output();
      assertFalse(said.contains("there is no command"), said);
    }
    assertEquals(help, launch("run", "--help"));
    Launch nothing = launch();
    assertEquals(new Launch(2, help.output()), nothing);
    assertEquals(
        "",
        PlainWords.complaints(help.output().replace("\n  ", "\n\n")).stream()
            .collect(Collectors.joining("\n")));
  }

  @Test
  void theVersionIsThatOfTheJars() throws Exception {
    assertEquals(new Launch(0, "Sluice 1.2.3\n"), launch("--version"));
  }
}
