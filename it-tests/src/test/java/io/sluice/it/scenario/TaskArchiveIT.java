package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Containers that start from the archive of classes which {@code docs/class-archive.md} tells to
 * make.
 */
@ExtendWith(SharedCluster.class)
class TaskArchiveIT {
  private static final Scenario RECORDS =
      Scenario.newApi("archive").with(ScenarioConf.RECORDS_PER_MAP, 2_000);
  private static final String JVM = "-XX:+UseSerialGC -Xmx512m ";
  private static final int CLASSES_OF_A_LINE = 6;
  private static final Pattern LOADED = Pattern.compile(".*\\] (\\S+) source: (.*)");
  private static final Pattern CLASS_PATH = Pattern.compile("-Djava\\.class\\.path=([^']*)'");

  private static Scenario withJvms(Scenario scenario, String options) {
    return scenario
        .with("mapreduce.map.java.opts", JVM + options)
        .with("mapreduce.reduce.java.opts", JVM + options)
        .with("yarn.app.mapreduce.am.command-opts", JVM + options);
  }

  /** With -Xshare:on a JVM ends at once if the archive does not fit it. */
  @Test
  void mastersAndTasksMapIt(PseudoCluster cluster) throws IOException {
    JobResult result =
        withJvms(RECORDS, "-Xshare:on -Xlog:class+load=info:file=<LOG_DIR>/classes")
            .run(cluster, HadoopVariant.SLUICE)
            .requireSuccess();
    Map<String, Set<String>> ours = new TreeMap<>();
    List<Path> logs =
        cluster.containerLogs().ofJob(result.jobId()).stream()
            .map(c -> c.resolve("classes"))
            .toList();
    assertTrue(logs.size() > 3, logs::toString);
    List<Integer> percents = logs.stream().map(log -> percentArchived(log, ours)).toList();
    Path found = Workspace.find().root().resolve("target/archives/classes.txt");
    Files.write(found, ours.entrySet().stream().flatMap(TaskArchiveIT::lines).toList());
    assertTrue(
        percents.stream().allMatch(percent -> percent >= 90),
        () ->
            "of the classes of a container only so many per cent are archived: %s; %s has what they load, for hadoop-shuffle-plugin/src/main/resources/io/sluice/hadoop/archive"
                .formatted(percents, found));
  }

  /** As the list has them: a package, and some of its classes. */
  private static Stream<String> lines(Map.Entry<String, Set<String>> classes) {
    List<String> names = List.copyOf(classes.getValue());
    return IntStream.iterate(0, i -> i < names.size(), i -> i + CLASSES_OF_A_LINE)
        .mapToObj(i -> names.subList(i, Math.min(names.size(), i + CLASSES_OF_A_LINE)))
        .map(some -> classes.getKey() + " " + String.join(" ", some));
  }

  /** How many of the classes of a process, and all that are not generated, by package. */
  private static int percentArchived(Path log, Map<String, Set<String>> packages) {
    int all = 0;
    int archived = 0;
    try {
      for (String line : Files.readAllLines(log)) {
        Matcher loaded = LOADED.matcher(line);
        if (loaded.matches()
            && !loaded.group(1).matches(".*(\\$\\$|\\$Proxy|Lambda|Generated|/0x).*")) {
          all++;
          archived += loaded.group(2).startsWith("shared objects file") ? 1 : 0;
          String name = loaded.group(1).replace('.', '/');
          int end = name.lastIndexOf('/') + 1;
          packages
              .computeIfAbsent(name.substring(0, end), key -> new TreeSet<>())
              .add(name.substring(end));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertTrue(all > 1_000, log + " has " + all);
    return 100 * archived / all;
  }

  /** The launcher says what CLASSPATH is, which is stock's, and then what takes its place. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theClassPathIsStocksWithTheArchivesJarsInFrontOrStocksAlone(
      boolean usersFirst, PseudoCluster cluster) throws IOException {
    assertClassPath("mapreduce.job.user.classpath.first", usersFirst, !usersFirst, cluster);
  }

  @Test
  @Tag("campaign")
  void itIsStocksAloneWithAClassLoaderOfTheJob(PseudoCluster cluster) throws IOException {
    assertClassPath("mapreduce.job.classloader", true, false, cluster);
  }

  private static void assertClassPath(
      String setting, boolean value, boolean fits, PseudoCluster cluster) throws IOException {
    Scenario scenario = RECORDS.named("archive-" + setting + value);
    String expected = StockOutput.of(cluster, RECORDS);
    JobResult result =
        scenario
            .with(setting, value)
            .with("mapreduce.map.env", "_JAVA_LAUNCHER_DEBUG=1")
            .run(cluster, HadoopVariant.SLUICE)
            .requireSuccess();
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
    String jars = cluster.spec().distribution().home().resolve("lib") + "/";
    int maps = 0;
    for (Path container : cluster.containerLogs().ofJob(result.jobId())) {
      List<String> said =
          CLASS_PATH
              .matcher(Files.readString(container.resolve("stdout")))
              .results()
              .map(found -> found.group(1))
              .toList();
      if (!said.isEmpty()) {
        maps++;
        String stocks = said.get(0);
        String own = said.get(said.size() - 1);
        assertEquals(fits, !own.equals(stocks), own);
        assertTrue(own.equals(stocks) || own.startsWith(jars) && own.endsWith(":" + stocks), own);
      }
    }
    assertTrue(maps > 0, "no map said its class path");
  }
}
