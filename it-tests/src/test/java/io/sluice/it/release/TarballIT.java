package io.sluice.it.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.TestUsers;
import io.sluice.it.cluster.Workspace;
import io.sluice.node.testing.XmlFile;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tarball of a release, packed from what this checkout has built: the same bytes each time, and
 * all that a machine needs that has a JRE and the tools of any Linux. Its name of a release is that
 * of no other.
 */
class TarballIT {
  private static final String VERSION = "1.2.3";
  private static final String FILE = "sluice-%s-bin.tar.gz".formatted(VERSION);

  private static final List<String> JARS = List.of("disni", "hadoop", "spark", "tools");
  private static final String LICENCES = "licenses/hadoop-client.txt";
  private static final String IN_THE_JAR = "in the jar";
  private static final long LEAST_LICENCE_BYTES = 1024;
  private static final Pattern LICENCE = Pattern.compile("(?i)(META-INF/)?LICENSE[^/]*");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s:]+)(#[^)]*)?\\)");
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\n]*`");
  private static final long DEADLINE_S = 300;

  @TempDir private static Path directory;

  private static final Workspace WORKSPACE = Workspace.find();
  private static Path packed;
  private static Path home;
  private static Path programs;

  @BeforeAll
  static void unpack() throws Exception {
    // Another user passes through it.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    packed = pack("once", "umask 022", Map.of());
    Path place = Files.createDirectory(directory.resolve("of a user"));
    succeed(place, List.of("tar", "-xzf", packed.resolve(FILE).toString()), Map.of());
    home = place.resolve("sluice-" + VERSION);
    programs = LauncherTools.link(directory.resolve("programs"));
    Files.createSymbolicLink(
        programs.resolve("java"), Path.of(System.getProperty("java.home"), "bin", "java"));
    Files.createSymbolicLink(programs.resolve("sluice"), home.resolve("bin/sluice"));
  }

  /** Has the script of {@code ./sluice release} pack the jars of this checkout. */
  private static Path pack(String name, String before, Map<String, String> environment)
      throws Exception {
    Path place = directory.resolve(name);
    String jars =
        JARS.stream().map(jar -> "'" + builtJar(jar) + "'").collect(Collectors.joining(" "));
    String command =
        "%s; . setup/tarball.sh; make_tarball \"$PWD\" %s '%s' %s"
            .formatted(before, VERSION, place, jars);
    succeed(WORKSPACE.root(), List.of("bash", "-c", command), environment);
    return place;
  }

  private static Path builtJar(String jar) {
    List<Path> found =
        Workspace.matching(
            WORKSPACE.root().resolve("jars/%s/target".formatted(jar)),
            "sluice-" + jar + "-",
            ".jar");
    assertEquals(1, found.size(), found.toString());
    return found.get(0);
  }

  @Test
  void theSameFilesGiveTheSameBytes() throws Exception {
    Path again =
        pack(
            "in-another-directory", "umask 077", Map.of("TZ", "Pacific/Kiritimati", "LC_ALL", "C"));
    assertEquals(List.of(FILE, FILE + ".sha512"), names(again));
    assertEquals(
        -1,
        Files.mismatch(packed.resolve(FILE), again.resolve(FILE)),
        "the first byte that differs");
    assertEquals(
        Files.readString(packed.resolve(FILE + ".sha512")),
        Files.readString(again.resolve(FILE + ".sha512")));
    succeed(packed, List.of("sha512sum", "--check", FILE + ".sha512"), Map.of());
  }

  @Test
  void hasWhatItsPagesSay() throws Exception {
    assertEquals(
        List.of(
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "LICENSE",
            "NOTICE",
            "README.md",
            "SECURITY.md",
            "bin",
            "conf",
            "docs",
            "grafana",
            "hadoop",
            "helm",
            "jars",
            "kubernetes",
            "libexec",
            "licenses",
            "systemd"),
        names(home));
    assertEquals(
        JARS.stream().map(jar -> builtJar(jar).getFileName().toString()).toList(),
        names(home.resolve("jars")));
    assertEquals(
        List.of("local", "node-service.conf.template", "spark-defaults.conf.template"),
        names(home.resolve("conf")));
    assertEquals(List.of("sluice-alerts.yml", "sluice-node.json"), names(home.resolve("grafana")));
    assertEquals(List.of("sluice-node.service", "sluice.conf"), names(home.resolve("systemd")));
  }

  @Test
  void nobodyButItsOwnerMayChangeIt() throws Exception {
    List<String> wrong = new ArrayList<>();
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.filter(each -> !Files.isSymbolicLink(each)).toList()) {
        boolean runs = Files.isDirectory(file) || file.equals(home.resolve("bin/sluice"));
        String rights =
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
        if (!rights.equals(runs ? "rwxr-xr-x" : "rw-r--r--")) {
          wrong.add(rights + " " + home.relativize(file));
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void eachLinkOfItsPagesLeadsToAFile() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    try (Stream<Path> files = Files.walk(home)) {
      for (Path page : files.filter(file -> file.toString().endsWith(".md")).toList()) {
        String text = CODE.matcher(Files.readString(page)).replaceAll("");
        for (String link : LINK.matcher(text).results().map(found -> found.group(1)).toList()) {
          links++;
          if (!Files.exists(page.resolveSibling(link))) {
            broken.add(home.relativize(page) + ": " + link);
          }
        }
      }
    }
    assertEquals(List.of(), broken);
    assertTrue(links > 100, "only few links were found");
  }

  /**
   * The list has a line for each jar: its name without the version, its licence, and where that is.
   */
  @Test
  void theLicenceOfEachJarOfHadoopIsThere() throws IOException {
    SortedMap<String, String> listed = new TreeMap<>();
    for (String line : Files.readAllLines(home.resolve(LICENCES))) {
      String[] columns = line.split(" *\\| *");
      if (columns.length == 3) {
        listed.put(columns[0], columns[2]);
      }
    }
    SortedSet<String> wrong = new TreeSet<>();
    SortedSet<String> found = new TreeSet<>();
    for (String jar : names(home.resolve("hadoop"))) {
      String name = jar.replaceFirst("-\\d[^/]*\\.jar$", "");
      found.add(name);
      String text = listed.getOrDefault(name, "nowhere");
      if (!(text.equals(IN_THE_JAR)
          ? hasLicence(home.resolve("hadoop").resolve(jar))
          : Files.isRegularFile(home.resolve(text)))) {
        wrong.add(name + ": " + text);
      }
    }
    assertEquals(listed.keySet(), found);
    assertEquals(new TreeSet<>(), wrong);
  }

  /** A shorter one only says where the text is. */
  private static boolean hasLicence(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream()
          .anyMatch(
              entry ->
                  LICENCE.matcher(entry.getName()).matches()
                      && entry.getSize() >= LEAST_LICENCE_BYTES);
    }
  }

  @Test
  void itsHadoopIsTheOneThatTheEngineIsBuiltFor() throws Exception {
    XmlFile pom = new XmlFile(WORKSPACE.root().resolve("pom.xml"));
    String version = pom.texts("/project/properties/hadoop.version").get(0);
    assertTrue(Files.exists(home.resolve("hadoop/hadoop-common-%s.jar".formatted(version))));
  }

  /** With the history of the job, whose files Hadoop writes with libraries of others. */
  @Test
  void aJobGivesWhatStockGives() throws Exception {
    Path place = Files.createDirectory(directory.resolve("a job"));
    count(place, "stock", "-Dmapreduce.framework.name=local");
    count(
        place, "counted", "-Dmapreduce.jobhistory.intermediate-done-dir=" + place.resolve("done"));

    for (String part : List.of("part-r-00000", "part-r-00001")) {
      assertEquals(
          Files.readString(place.resolve("stock").resolve(part)),
          Files.readString(place.resolve("counted").resolve(part)));
    }
    assertTrue(Files.size(place.resolve("counted/part-r-00000")) > 1000);
    assertFalse(Files.readString(place.resolve("said-stock")).contains("io.sluice"));
    try (Stream<Path> files = Files.walk(place.resolve("done"))) {
      assertTrue(files.anyMatch(file -> file.toString().endsWith(".jhist")));
    }
  }

  private static void count(Path place, String output, String option) throws Exception {
    Files.writeString(
        place.resolve("said-" + output),
        succeed(place, counting(option, WORKSPACE.root().resolve("README.md"), output), jre()));
  }

  private static List<String> counting(String option, Path input, String output) {
    return List.of(
        programs.resolve("sluice").toString(),
        "run",
        HadoopDistribution.underTest(WORKSPACE).examplesJar().toString(),
        "wordcount",
        "-Dmapreduce.job.reduces=2",
        option,
        input.toString(),
        output);
  }

  /** A stand-in for its script, which no Maven repository has; its jars are stock's. */
  @Test
  void aJobRunsOnAnInstallation() throws Exception {
    HadoopDistribution stock = HadoopDistribution.underTest(WORKSPACE);
    Path place = Files.createDirectory(directory.resolve("an installation"));
    Path settings = Files.createDirectory(place.resolve("settings"));
    site(settings.resolve("core-site.xml"), "hadoop.tmp.dir", place.resolve("tmp").toString());
    site(settings.resolve("mapred-site.xml"), "mapreduce.framework.name", "yarn");
    Path program = Files.createDirectory(place.resolve("bin")).resolve("hadoop");
    Files.writeString(program, "#!/bin/sh\necho '%s:%s'\n".formatted(settings, stock.classPath()));
    assertTrue(program.toFile().setExecutable(true));
    Map<String, String> environment = new TreeMap<>(jre());
    environment.put("HADOOP_HOME", place.toString());
    environment.put("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=loaded");

    Path text = Files.writeString(place.resolve("text"), "to be or not to be\n");
    succeed(place, counting("-Dmapreduce.job.name=words", text, "counted"), environment);

    List<String> loaded = Files.readAllLines(place.resolve("loaded"));
    String jars = stock.classPath().replace("*", "");
    assertTrue(loaded.stream().anyMatch(line -> line.contains("RunJar source: file:" + jars)));
    assertTrue(loaded.stream().noneMatch(line -> line.contains("/sluice-" + VERSION + "/hadoop/")));
    assertTrue(
        loaded.stream().anyMatch(line -> line.contains("io.sluice.local.client.LocalEngine")));
    assertTrue(Files.isDirectory(place.resolve("tmp")), "core-site.xml was not read");
  }

  private static void site(Path file, String name, String value) throws IOException {
    Files.writeString(
        file,
        "<configuration><property><name>%s</name><value>%s</value></property></configuration>"
            .formatted(name, value));
  }

  /** Who may read it and not write, in a directory of theirs. */
  @Test
  void anotherUserRunsAJob() throws Exception {
    assumeTrue(TestUsers.unavailable().isEmpty(), () -> TestUsers.unavailable().orElse(""));
    Path place = Files.createDirectory(directory.resolve("of another"));
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path jar =
        Files.copy(HadoopDistribution.underTest(WORKSPACE).examplesJar(), place.resolve("job.jar"));
    Path text = Files.writeString(place.resolve("text"), "to be or not to be\n");
    List<String> command =
        new ArrayList<>(
            List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    command.addAll(
        List.of(
            programs.resolve("sluice").toString(),
            "run",
            jar.toString(),
            "wordcount",
            "-Dhadoop.tmp.dir=" + place.resolve("tmp"),
            text.toString(),
            "counted"));
    succeed(place, command, jre());
    assertEquals(
        "be\t2\nnot\t1\nor\t1\nto\t2\n", Files.readString(place.resolve("counted/part-r-00000")));
  }

  @Test
  void theDoctorLooksAtTheMachine() throws Exception {
    Path place = Files.createDirectory(directory.resolve("a machine"));
    String findings =
        succeed(place, List.of(programs.resolve("sluice").toString(), "doctor"), jre());
    assertTrue(findings.startsWith("OK       Java: "), findings);
  }

  @Test
  @Timeout(value = DEADLINE_S, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void theNodesServiceServesUntilItIsToldToEnd() throws Exception {
    Path place = Files.createDirectory(directory.resolve("a node"));
    Path log = place.resolve("log");
    ProcessBuilder builder =
        builder(
            place,
            List.of(
                programs.resolve("sluice").toString(),
                "node-service",
                "--dir=" + place.resolve("service"),
                "--capacity=4m",
                "--segment-size=1m",
                "--bind=127.0.0.1",
                "--port=0",
                "--metrics-port=0"),
            jre());
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      String port =
          Poll.until(
              "the port of metrics",
              Duration.ofSeconds(DEADLINE_S),
              () ->
                  Files.readAllLines(log).stream()
                      .filter(line -> line.startsWith("Metrics"))
                      .findFirst()
                      .map(line -> line.substring(line.lastIndexOf(' ') + 1)));
      assertEquals(200, status("http://127.0.0.1:%s/healthz".formatted(port)));
      process.destroy();
      assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS));
      assertEquals(143, process.exitValue(), Files.readString(log));
    } finally {
      process.destroyForcibly();
    }
  }

  private static int status(String address) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
    try {
      return connection.getResponseCode();
    } finally {
      connection.disconnect();
    }
  }

  /** The environment of a machine that has a JRE, and neither Maven nor a checkout. */
  private static Map<String, String> jre() {
    return Map.of("PATH", programs.toString());
  }

  /** With nothing of this process's environment if there is another; its output of both kinds. */
  private static String succeed(Path place, List<String> command, Map<String, String> environment)
      throws Exception {
    Path log = Files.createTempFile(directory, "log", "");
    Process process = builder(place, command, environment).redirectOutput(log.toFile()).start();
    try {
      assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> "still runs: " + command);
      assertEquals(0, process.exitValue(), command + "\n" + Files.readString(log));
      return Files.readString(log);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static ProcessBuilder builder(
      Path place, List<String> command, Map<String, String> environment) {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(place.toFile()).redirectErrorStream(true);
    if (environment.containsKey("PATH")) {
      builder.environment().clear();
    }
    builder.environment().putAll(environment);
    return builder;
  }

  private static List<String> names(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
