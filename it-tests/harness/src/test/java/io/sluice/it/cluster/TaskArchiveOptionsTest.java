package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a container's shell makes of the documented options, in a script like a NodeManager's. */
class TaskArchiveOptionsTest {
  private static final String JARS = "/opt/hadoop/a/*:/opt/hadoop/b c.jar";

  @TempDir private Path directory;
  private Path archive;

  @BeforeEach
  void write() throws Exception {
    archive = Files.createFile(directory.resolve("tasks.jsa"));
    Path java = Files.createDirectories(directory.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/bash\nprintf '%s\\n' \"$@\"\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
  }

  /** The arguments of Java for each of the options, which are all alike. */
  private List<String> arguments(String options, String classPath) throws Exception {
    Path script = directory.resolve("launch_container.sh");
    Files.writeString(
        script,
        """
        #!/bin/bash
        set -o pipefail -e
        export JAVA_HOME="%s"
        export HADOOP_CONF_DIR="/etc/hadoop"
        export CLASSPATH="%s"
        exec /bin/bash -c "$JAVA_HOME/bin/java -Dfirst=1 %s -Dlast=2 Main 1>$PWD/said"
        """
            .formatted(
                directory,
                classPath,
                options.replace("/var/lib/sluice/tasks.jsa", archive.toString())));
    Process process =
        new ProcessBuilder("bash", script.toString())
            .directory(directory.toFile())
            .inheritIO()
            .start();
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    assertEquals(0, process.exitValue());
    List<String> said = new ArrayList<>(Files.readAllLines(directory.resolve("said")));
    assertEquals("-Dfirst=1", said.remove(0));
    assertEquals("Main", said.remove(said.size() - 1));
    assertEquals("-Dlast=2", said.remove(said.size() - 1));
    said.removeAll(List.of("-Djava.net.preferIPv4Stack=true", "-Dhadoop.metrics.log.level=WARN"));
    return said;
  }

  private static Collection<String> options() {
    Map<String, String> site =
        ClusterSiteXml.read(Workspace.find().fragments().resolve("mapred-site.archive.xml"));
    assertEquals(3, site.size());
    return site.values();
  }

  private void assertArchived(String before, String ofJob) throws Exception {
    String stocks = before + JARS + ofJob;
    for (String each : options()) {
      assertEquals(
          List.of(
              "-XX:SharedArchiveFile=" + archive,
              "-Xlog:cds=off",
              "-Xlog:cds+dynamic=off",
              "-XX:Tier4InvocationThreshold=100000",
              "-XX:Tier4MinInvocationThreshold=12000",
              "-XX:Tier4CompileThreshold=300000",
              "-XX:Tier4BackEdgeThreshold=800000",
              "-XX:CompileCommand=quiet",
              "-XX:CompileCommand=dontinline,io.sluice.mapreduce.map.RecordCollector::collect",
              "-cp",
              JARS + ":" + stocks.replace("$PWD", directory.toString())),
          arguments(each, stocks));
    }
  }

  @Test
  void theArchivesJarsAreInFrontOfStocksClassPath() throws Exception {
    assertArchived("$PWD:/etc/hadoop:", tail(""));
  }

  private static String tail(String more) {
    return ":job.jar/*:job.jar/classes/:job.jar/lib/*:$PWD/*" + more;
  }

  /** Names of what users add to their class path, which may be any. */
  @Test
  void namesOfUsersFilesAreNotReadAsShell() throws Exception {
    assertArchived("$PWD:/etc/hadoop:", tail(":$PWD/it's one"));
    assertArchived("$PWD:/etc/hadoop:", tail(":$PWD/(two) & three; four"));
  }

  @Test
  void thereIsNothingWhereTheArchiveIsMissingOrTheClassPathIsAnother() throws Exception {
    for (String each : options()) {
      assertEquals(List.of(), arguments(each, "$PWD:job.jar/*:$PWD/*:/etc/hadoop:" + JARS));
      assertEquals(List.of(), arguments(each, "/etc/hadoop:" + JARS));
      assertEquals(List.of(), arguments(each, "$PWD:$PWD/mr-framework/*"));
      assertFalse(arguments(each, "$PWD:/etc/hadoop:" + JARS + tail("")).isEmpty());
    }
    Files.delete(archive);
    for (String each : options()) {
      assertEquals(List.of(), arguments(each, "$PWD:/etc/hadoop:" + JARS + tail("")));
    }
  }
}
