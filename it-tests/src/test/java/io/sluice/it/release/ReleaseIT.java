package io.sluice.it.release;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.LogTail;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.PlanOracle.ShuffleState;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkJob;
import io.sluice.it.spark.SparkSubmit;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleJob.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import io.sluice.node.testing.Bundled;
import io.sluice.node.testing.XmlFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code ./sluice release} builds of this checkout's commit, in clones of it: the same bytes
 * each time, and all that people need who have nothing but the repository that it makes.
 */
@Tag("campaign")
class ReleaseIT {
  private static final List<String> JARS =
      List.of("sluice-disni", "sluice-hadoop", "sluice-spark", "sluice-tools");

  /** Of each jar, behind its name and version. */
  private static final List<String> FILES =
      List.of(".jar", ".pom", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", "-cyclonedx.xml");

  private static final List<String> CHECKSUMS = List.of("", ".md5", ".sha1", ".sha512");

  private static final String STAGING = "staging";
  private static final String FILES_BESIDE = "release-files";

  private static final String RESOLVER =
      "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

  private static final long DEADLINE_MIN = 40;
  private static final int TAIL_LINES = 60;

  @TempDir private static Path directory;

  private static final Workspace WORKSPACE = Workspace.find();
  private static Path target; // of the checkout that made the release
  private static Path staging;
  private static String version;

  @BeforeAll
  static void buildOnce() throws Exception {
    target = release("once", "umask 022", Map.of());
    staging = target.resolve(STAGING);
    try (Stream<Path> versions = Files.list(group(staging).resolve("sluice-spark"))) {
      version = versions.findFirst().orElseThrow().getFileName().toString();
    }
  }

  /**
   * In a directory of another length, in another place of the world, and with other rights of new
   * files.
   */
  @Test
  void theSameCommitGivesTheSameBytes() throws Exception {
    Path again =
        release(
            "once-more-in-another-directory",
            "umask 077",
            Map.of("TZ", "Pacific/Kiritimati", "LC_ALL", "C"));
    for (String made : List.of(STAGING, FILES_BESIDE)) {
      SortedMap<String, String> first = digests(target.resolve(made));
      SortedMap<String, String> second = digests(again.resolve(made));
      assertEquals(first.keySet(), second.keySet());
      assertEquals(
          List.of(),
          first.keySet().stream()
              .filter(file -> !first.get(file).equals(second.get(file)))
              .toList(),
          "files that differ");
    }
  }

  /** {@link TarballIT} looks at a tarball; this one has what is published. */
  @Test
  void theTarballHasThePublishedJars() throws Exception {
    Path files = target.resolve(FILES_BESIDE);
    String tarball = "sluice-%s-bin.tar.gz".formatted(version);
    assertEquals(Set.of(tarball, tarball + ".sha512"), digests(files).keySet());
    Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
    run(unpacked, "tar -xzf '%s'".formatted(files.resolve(tarball)), Map.of());
    SortedMap<String, String> expected = new TreeMap<>();
    for (String jar : JARS) {
      Path of = staged(jar, ".jar");
      expected.put(of.getFileName().toString(), digest("SHA-256", of));
    }
    assertEquals(expected, digests(unpacked.resolve("sluice-%s/jars".formatted(version))));
  }

  @Test
  void nothingButTheJarsIsPublished() throws Exception {
    SortedSet<String> expected = new TreeSet<>();
    for (String jar : JARS) {
      for (String file : FILES) {
        CHECKSUMS.forEach(
            checksum ->
                expected.add("%1$s/%2$s/%1$s-%2$s".formatted(jar, version) + file + checksum));
      }
    }
    assertEquals(expected, new TreeSet<>(digests(group(staging)).keySet()));
    assertTrue(version.matches("[0-9.]+"), version);
  }

  @Test
  void theChecksumsAreThoseOfTheFiles() throws Exception {
    for (String file : digests(staging).keySet()) {
      if (file.endsWith(".sha512")) {
        Path of = staging.resolve(file.replaceFirst("\\.sha512$", ""));
        assertEquals(
            digest("SHA-512", of) + "  " + of.getFileName() + "\n",
            Files.readString(staging.resolve(file)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sluice-disni", "sluice-hadoop", "sluice-spark", "sluice-tools"})
  void theSourcesAndPagesOfItsClassesGoWithAJar(String jar) throws Exception {
    SortedSet<String> sources = entries(staged(jar, "-sources.jar"));
    SortedSet<String> missing =
        entries(staged(jar, ".jar")).stream()
            .filter(entry -> entry.matches("io/sluice/(?!shaded/)[^$]*\\.class"))
            .map(entry -> entry.replaceFirst("class$", "java"))
            .filter(source -> !sources.contains(source))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(new TreeSet<>(), missing);
    SortedSet<String> strangers =
        sources.stream()
            .filter(entry -> entry.endsWith(".java") && !entry.startsWith("io/sluice/"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(new TreeSet<>(), strangers);
    assertTrue(
        entries(staged(jar, "-javadoc.jar")).stream()
            .anyMatch(page -> page.matches("io/sluice/.*/[A-Z]\\w*\\.html")),
        "no page of a class");
  }

  /** A project that a jar bundles is in its list, and nothing that is not in the jar. */
  @ParameterizedTest
  @ValueSource(strings = {"sluice-disni", "sluice-hadoop", "sluice-spark", "sluice-tools"})
  void theListOfItsContentsIsTrue(String jar) throws Exception {
    XmlFile list = new XmlFile(staged(jar, "-cyclonedx.xml"));
    List<String> groups = list.texts("/bom/components/component/group");
    List<String> names = list.texts("/bom/components/component/name");
    assertEquals(groups.size(), names.size());
    List<String> others =
        IntStream.range(0, names.size())
            .mapToObj(i -> groups.get(i) + ":" + names.get(i))
            .filter(module -> !module.startsWith("io.sluice:"))
            .toList();
    SortedSet<String> entries = entries(staged(jar, ".jar"));
    List<Bundled> bundled =
        Stream.of(Bundled.values()).filter(one -> entries.stream().anyMatch(one::holds)).toList();
    assertEquals(
        List.of(),
        others.stream()
            .filter(module -> bundled.stream().noneMatch(one -> one.isModule(module)))
            .toList(),
        "not in the jar");
    assertEquals(
        List.of(),
        bundled.stream().filter(one -> others.stream().noneMatch(one::isModule)).toList(),
        "missing");
  }

  /**
   * What a project gets that names them, and whose machine has none of Sluice: they ask for nothing
   * more.
   */
  @Test
  void mavenResolvesEachIntoAnEmptyRepository() throws Exception {
    Path project = Files.createDirectory(directory.resolve("project"));
    String dependencies =
        JARS.stream()
            .flatMap(jar -> Stream.of(dependency(jar, ""), dependency(jar, "sources")))
            .collect(Collectors.joining());
    Files.writeString(
        project.resolve("pom.xml"),
        """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>org.example</groupId>
          <artifactId>user-of-sluice</artifactId>
          <version>1</version>
          <repositories>
            <repository>
              <id>staging</id>
              <url>%s</url>
              <releases><checksumPolicy>fail</checksumPolicy></releases>
            </repository>
          </repositories>
          <dependencies>%s</dependencies>
        </project>
        """
            .formatted(staging.toUri(), dependencies));
    run(
        project,
        "mvn -B -ntp -Dmaven.repo.local=%s -DoutputDirectory=%s %s"
            .formatted(project.resolve("repository"), project.resolve("resolved"), RESOLVER),
        Map.of());
    SortedMap<String, String> expected = new TreeMap<>();
    for (String jar : JARS) {
      for (String file : List.of(".jar", "-sources.jar")) {
        Path of = staged(jar, file);
        expected.put(of.getFileName().toString(), digest("SHA-256", of));
      }
    }
    assertEquals(expected, digests(project.resolve("resolved")));
  }

  private static String dependency(String jar, String classifier) {
    return """
    <dependency>
      <groupId>io.sluice</groupId>
      <artifactId>%s</artifactId>
      <version>%s</version>
      <classifier>%s</classifier>
    </dependency>
    """
        .formatted(jar, version, classifier);
  }

  /** As {@code --packages} and {@code --repositories} do, whose settings these are. */
  @Test
  void sparkResolvesItsJarAndShufflesThroughIt() throws Exception {
    Path ivy = directory.resolve("ivy");
    SparkJob job =
        SparkJob.shuffle(WORKSPACE, new ShuffleArguments(Workload.REPARTITION, 20_000, 6, 7))
            .with("spark.jars.packages", "io.sluice:sluice-spark:" + version)
            .with("spark.jars.repositories", staging.toUri())
            .with("spark.jars.ivy", ivy)
            .with("spark.shuffle.manager", SparkJob.SLUICE_MANAGER)
            .with("spark.sluice.fallback.policy", "never");
    Map<String, String> environment =
        Map.of(
            // Else Spark also asks the local repository of Maven, and what the public ones know.
            "SPARK_SUBMIT_OPTS",
            "-Duser.home=" + directory.resolve("home"),
            "DEFAULT_ARTIFACT_REPOSITORY",
            staging.toUri().toString());
    try (SparkSubmit submit =
        new SparkSubmit(SparkDistribution.underTest(), directory.resolve("runs"), environment)) {
      ShuffleReport report = submit.run(SparkSubmit.LOCAL_CLUSTER, job).report(ShuffleReport.class);
      assertAll(
          () -> assertEquals(20_000, report.count()),
          () -> assertEquals(SparkJob.SLUICE_MANAGER, report.driverShuffleManager()),
          () ->
              assertEquals(
                  Map.of("0", SparkJob.SLUICE_MANAGER, "1", SparkJob.SLUICE_MANAGER),
                  report.executorShuffleManagers()),
          () -> assertTrue(report.costs().remoteBytesRead() > 0, report.toString()),
          () ->
              assertEquals(
                  report.costs().remoteBytesRead(),
                  ShuffleState.of(report.executorStates().values()).servedBytes(),
                  "remote bytes that pools served"),
          () -> assertEquals(0, report.costs().failedTasks()));
    }
    assertEquals(
        Map.of(
            "io.sluice_sluice-spark-" + version + ".jar",
            digest("SHA-256", staged("sluice-spark", ".jar"))),
        digests(ivy.resolve("jars")));
  }

  /** Where a new clone of this checkout's commit makes the release, without anybody's key. */
  private static Path release(String name, String before, Map<String, String> environment)
      throws Exception {
    Path clone = directory.resolve(name);
    run(directory, "git clone -q '%s' %s".formatted(WORKSPACE.root(), clone), Map.of());
    Map<String, String> all = new TreeMap<>(environment);
    all.put("GNUPGHOME", Files.createDirectory(directory.resolve("keys-of-" + name)).toString());
    String said = run(clone, before + "; ./sluice release", all);
    assertTrue(said.contains("Signing is skipped"), said);
    return clone.resolve("target");
  }

  private static String run(Path place, String command, Map<String, String> environment)
      throws Exception {
    Path log = Files.createTempFile(directory, "log", "");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", command)
            .directory(place.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertTrue(
          process.waitFor(DEADLINE_MIN, TimeUnit.MINUTES),
          () -> "still runs: " + command + "\n" + LogTail.of(log, TAIL_LINES));
      assertEquals(0, process.exitValue(), () -> command + "\n" + LogTail.of(log, TAIL_LINES));
      return Files.readString(log);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static Path group(Path repository) {
    return repository.resolve("io/sluice");
  }

  private static Path staged(String jar, String file) {
    return group(staging).resolve("%1$s/%2$s/%1$s-%2$s%3$s".formatted(jar, version, file));
  }

  private static SortedSet<String> entries(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().map(ZipEntry::getName).collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Of all files below a directory, by their paths. */
  private static SortedMap<String, String> digests(Path below) throws Exception {
    SortedMap<String, String> digests = new TreeMap<>();
    try (Stream<Path> files = Files.walk(below)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        digests.put(below.relativize(file).toString(), digest("SHA-256", file));
      }
    }
    return digests;
  }

  private static String digest(String algorithm, Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
  }
}
