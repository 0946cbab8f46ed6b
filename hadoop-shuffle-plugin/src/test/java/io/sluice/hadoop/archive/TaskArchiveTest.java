package io.sluice.hadoop.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Writable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class TaskArchiveTest {
  private static final String TASK = "org/apache/hadoop/mapred/YarnChild.class";

  @TempDir private Path directory;

  private Path jar(String name, String... entries) throws IOException {
    Path jar = directory.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String entry : entries) {
        out.putNextEntry(new JarEntry(entry));
      }
    }
    return jar;
  }

  private List<String> classPath(String classPath) throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("yarn.application.classpath", "$HADOOP_CONF_DIR");
    conf.set("mapreduce.application.classpath", classPath);
    Path settings = Files.createDirectories(directory.resolve("conf"));
    Files.writeString(settings.resolve("container-log4j.properties"), "an administrator's");
    Files.writeString(settings.resolve("log4j.properties"), "of daemons");
    return TaskArchive.classPath(conf, Map.of("HADOOP_CONF_DIR", settings.toString()));
  }

  private Set<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return new TreeSet<>(files.map(file -> file.getFileName().toString()).toList());
    }
  }

  /** Of a class path that is empty: only the JDK's own classes are in it. */
  @Test
  void replacesWhatIsThereInOneStepAndLeavesNothingElse() throws Exception {
    Path file = directory.resolve("tasks.jsa");
    Files.writeString(file, "an older one");
    TaskArchive.make(file, "/nothing/there.jar");
    assertTrue(Files.size(file) > 1 << 20);
    assertEquals("r--r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(Set.of("tasks.jsa"), names());
  }

  @Test
  void whatAKilledMakerLeftGoesAndWhatOneMayBeWritingStays() throws Exception {
    for (String work : List.of(".archive-killed", ".archive-another")) {
      Files.writeString(
          Files.createDirectory(directory.resolve(work)).resolve("archive"), "half of one");
    }
    Path killed = directory.resolve(".archive-killed");
    Files.setLastModifiedTime(
        killed,
        FileTime.from(Instant.now().minus(Duration.ofMinutes(31)))); // two JVMs, 10 min each
    TaskArchive.make(directory.resolve("tasks.jsa"), "/nothing/there.jar");
    assertEquals(Set.of(".archive-another", "tasks.jsa"), names());
  }

  @Test
  void whatIsThereStaysWhereNoneCanBeMadeAndTheErrorSaysWhatJavaDid() throws Exception {
    Path file = directory.resolve("tasks.jsa");
    Files.writeString(file, "an older one");
    Path classes = Files.createDirectory(directory.resolve("classes"));
    String name = Writable.class.getName().replace('.', '/') + ".class"; // it needs no other
    Files.createDirectories(classes.resolve(name).getParent());
    try (InputStream in = Writable.class.getResourceAsStream("/" + name)) {
      Files.copy(in, classes.resolve(name));
    }
    IOException e =
        assertThrows(IOException.class, () -> TaskArchive.make(file, classes.toString()));
    assertTrue(e.getMessage().contains("non-empty directory"), e.getMessage());
    assertEquals("an older one", Files.readString(file));
    assertEquals(Set.of("classes", "tasks.jsa"), names());
  }

  /** A process that is told to end while Java makes the archive. */
  @Test
  void whoIsToldToEndLeavesNothing() throws Exception {
    Path file = directory.resolve("tasks.jsa");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ArchiveMain.class.getName(),
                file.toString())
            .inheritIO()
            .start();
    long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (process.descendants().findAny().isEmpty() && System.nanoTime() < endNs) {
      Thread.onSpinWait();
    }
    List<ProcessHandle> java = process.descendants().toList();
    assertFalse(java.isEmpty());
    process.destroy();
    assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    for (ProcessHandle each : java) {
      each.onExit().get(1, TimeUnit.MINUTES);
    }
    assertEquals(Set.of(), names());
  }

  /** Makes an archive of the JDK's own classes. */
  static final class ArchiveMain {
    public static void main(String[] arguments) throws Exception {
      TaskArchive.make(Path.of(arguments[0]), "/nothing/there.jar");
    }
  }

  @Test
  void aPlaceForNoFileIsRefusedAtOnce() throws IOException {
    Path missing = directory.resolve("none");
    IOException e =
        assertThrows(
            IOException.class,
            () -> TaskArchive.make(missing.resolve("tasks.jsa"), "/nothing/there.jar"));
    assertEquals(missing + " is no directory; make it first", e.getMessage());
    e = assertThrows(IOException.class, () -> TaskArchive.make(directory, "/nothing/there.jar"));
    assertEquals(directory + " is a directory; the archive is a file", e.getMessage());
    assertEquals(Set.of(), names());
  }

  @Test
  void aJarThatCannotBeReadIsNamed() throws IOException {
    jar("hadoop.jar", TASK);
    Path empty = Files.createFile(directory.resolve("empty.jar"));
    IOException e = assertThrows(IOException.class, () -> classPath(directory + "/*"));
    assertTrue(e.getMessage().contains(empty.toString()), e.getMessage());
  }

  @Test
  void namesOneFile() throws Exception {
    assertEquals(2, new TaskArchive().run(new String[0]));
    assertEquals(2, new TaskArchive().run(new String[] {"--help"}));
  }

  @Test
  void noneIsMadeWhereContainersFindNoTask() throws IOException {
    Path jar = jar("hadoop.jar", "a/B.class");
    IOException e = assertThrows(IOException.class, () -> classPath(directory + "/*," + jar));
    assertTrue(e.getMessage().contains("HADOOP_MAPRED_HOME"), e.getMessage());
  }

  @Test
  void noneIsMadeWhereAJarHidesAFileOfTheAdministrators() throws IOException {
    jar("hadoop.jar", TASK, "log4j.properties");
    assertEquals(List.of(directory + "/*"), classPath(directory + "/*"));
    jar("other.jar", "container-log4j.properties");
    IOException e = assertThrows(IOException.class, () -> classPath(directory + "/*"));
    assertTrue(e.getMessage().endsWith("[container-log4j.properties]"), e.getMessage());
  }

  @Test
  void theListNamesClassesOfHadoopAndOfSluiceOnce() throws IOException {
    List<String> names = TaskArchive.classesOfFile();
    assertEquals(names.size(), Set.copyOf(names).size());
    assertTrue(names.contains("org/apache/hadoop/mapred/YarnChild"));
    assertTrue(names.contains("org/apache/hadoop/mapreduce/v2/app/MRAppMaster"));
    assertTrue(names.contains("io/sluice/hadoop/collect/SluiceMapOutputCollector"));
  }

  /** A class that is gone does no harm, but the archive lacks the one that it has become. */
  @Test
  void eachClassOfSluiceInTheListIsThere() throws IOException {
    ClassLoader loader = TaskArchive.class.getClassLoader();
    assertEquals(
        List.of(),
        TaskArchive.classesOfFile().stream()
            .filter(name -> name.startsWith("io/sluice/"))
            .filter(name -> loader.getResource(name + ".class") == null)
            .toList(),
        "remove them from classes.txt, or give them their new names there");
  }
}
